"""Hosts of addresses, and the guard against those that are not of the public web.

A name is checked by what it resolves to, in the very look-up whose addresses are then connected to, so that
no second answer of a name server can lead elsewhere (DNS rebinding). Addresses written as such are checked as
they stand.
"""

import asyncio
import ipaddress
import socket
from collections.abc import Iterable
from fnmatch import fnmatchcase

from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
# Of no public web, yet global to some releases of Python: site-local (RFC 3879), 6to4 anycast (RFC 7526),
# documentation (RFC 9637).
_NOWHERE = tuple(map(ipaddress.ip_network, ("fec0::/10", "192.88.99.0/24", "3fff::/20")))
PORTS = (80, 443)
# .invalid is never on the web (RFC 2606): a simulated one uses it
WIKIPEDIA = (("wikipedia", "org"), ("wikipedia", "invalid"))


def host_of(url: str) -> str:
    """The host of an address in lower case without a last dot; empty where none can be read."""
    try:
        return (URL(url).raw_host or "").lower().rstrip(".")
    except ValueError:
        return ""


def is_wikipedia(url: str) -> bool:
    """Return whether an address is of Wikipedia, in any language."""
    return tuple(host_of(url).split(".")[-2:]) in WIKIPEDIA


def is_within(host: str, domains: Iterable[str]) -> bool:
    """Return whether a host is one of the domains or below one; `netflix.com` is not within `x.com`."""
    return any(host == domain or host.endswith("." + domain) for domain in map(str.lower, domains))


def matches(host: str, patterns: Iterable[str]) -> bool:
    """Return whether a host matches a shell-like pattern, as `*.invalid`."""
    return any(fnmatchcase(host, pattern.lower()) for pattern in patterns)


class RefusedAddress(OSError):
    """A host whose address is not of the public web and not among those allowed."""


class Guard:
    """Say why addresses, hosts and ports are refused. `allowed`: patterns or networks that may be private."""

    def __init__(self, allowed: Iterable[str] = (), ports: Iterable[int] = PORTS):
        self.networks, self.patterns, self.ports = [], [], frozenset(ports)
        for entry in allowed:
            try:
                self.networks.append(ipaddress.ip_network(entry, strict=False))
            except ValueError:
                self.patterns.append(entry)

    def address(self, text: str) -> str | None:
        """Return why an address is refused, None where it may be asked."""
        try:
            parsed = ipaddress.ip_address(text.strip("[]").partition("%")[0])
        except ValueError:
            return f"{text!r} is no plain address"
        if _is_in(parsed, self.networks):
            return None
        inner = _embedded(parsed)
        if inner is not None:
            return self.address(str(inner))
        is_special = parsed.is_multicast or parsed.is_reserved or _is_in(parsed, _NOWHERE)
        return None if parsed.is_global and not is_special else f"{parsed} is not of the public web"

    def host(self, host: str) -> str | None:
        """Return why a host as it is written is refused; what a name resolves to is left to the resolver.

        Forms that only look like names (`2130706433`, `0x7f.1`, `127.1`) are refused: systems read them as
        addresses.
        """
        if not host:
            return "there is no host"
        if matches(host, self.patterns):
            return None
        if ":" in host or host[-1].isdigit() or host.rpartition(".")[2].startswith("0x"):
            return self.address(host)
        if host == "localhost" or host.endswith(".localhost"):
            return f"{host} is this machine"
        return None

    def port(self, host: str, port: int | None) -> str | None:
        """Return why a port of a host is refused: mail, shells and databases are no web."""
        try:
            is_listed = _is_in(ipaddress.ip_address(host.strip("[]")), self.networks)
        except ValueError:
            is_listed = matches(host, self.patterns)
        if port in self.ports or is_listed or matches(host, self.patterns):
            return None
        return f"port {port} is none of {', '.join(map(str, sorted(self.ports)))}"


def _is_in(address: Address, networks: Iterable[Network]) -> bool:
    return any(address.version == network.version and address in network for network in networks)


def _embedded(address: Address) -> Address | None:
    """The IPv4 address inside an IPv6 one, where that is where it leads."""
    if address.version == 4:
        return None
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)


class GuardedResolver(AbstractResolver):
    """A resolver that gives only addresses that the guard lets pass; a name with none is refused."""

    def __init__(self, guard: Guard):
        self.guard = guard

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """The addresses of a name. Raises RefusedAddress where none may be asked, OSError without any."""
        entries = await asyncio.get_running_loop().getaddrinfo(
            host, port, family=family, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG
        )
        is_allowed = matches(host.lower(), self.guard.patterns)
        refusals = [None if is_allowed else self.guard.address(entry[4][0]) for entry in entries]
        passed: list[tuple] = [entry for entry, why in zip(entries, refusals, strict=True) if why is None]
        if entries and not passed:
            raise RefusedAddress(f"{host}: {refusals[0]}")
        flags = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
        return [
            ResolveResult(
                hostname=host, host=address[0], port=address[1], family=of, proto=proto, flags=flags
            )
            for of, _, proto, _, address in passed
        ]

    async def close(self) -> None:
        """Nothing is held."""
