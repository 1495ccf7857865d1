import asyncio
import socket

import pytest

from truerate.web.guard import Guard, GuardedResolver, RefusedAddress

PRIVATE = [
    "127.0.0.1",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",  # where clouds keep their secrets
    "100.64.0.1",
    "0.0.0.0",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::1",
    "fe80::1",
    "fe80::1%eth0",
    "fd00::1",
    "ff02::1",
    "::ffff:127.0.0.1",  # IPv4 within IPv6
    "64:ff9b::7f00:1",  # the same by NAT64
    "2002:7f00:1::",  # and by 6to4
    "fec0::1",  # site-local, RFC 3879
    "192.88.99.1",  # relays of 6to4, RFC 7526
    "3fff::1",  # documentation, RFC 9637
]


@pytest.mark.parametrize("address", PRIVATE)
def test_addresses_that_are_not_of_the_public_web_are_refused(address):
    assert Guard().address(address)


@pytest.mark.parametrize(
    "address", ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946", "64:ff9b::5db8:d822"]
)
def test_public_addresses_pass(address):
    assert Guard().address(address) is None


@pytest.mark.parametrize(
    "host",
    [
        "2130706433", "127.1", "0x7f.1", "0x7f000001", "017700000001", "localhost", "a.localhost", "",
        "127.0.0.1",
    ],
)  # fmt: skip
def test_hosts_that_systems_read_as_this_machine_are_refused(host):
    assert Guard().host(host)


def test_what_is_listed_passes_and_nothing_else():
    guard = Guard(["127.0.0.0/8", "::1", "*.intranet"])
    assert (
        guard.host("127.0.0.1") is None and guard.host("::1") is None and guard.host("wiki.intranet") is None
    )
    assert guard.host("10.0.0.1") and guard.address("::ffff:127.0.0.1") is None and guard.host("127.1")


def resolved(monkeypatch, addresses, *, allowed=()):
    """What the resolver gives for a name whose server answers so."""

    async def getaddrinfo(self, host, port, **_):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", getaddrinfo)
    return [entry["host"] for entry in asyncio.run(GuardedResolver(Guard(allowed)).resolve("a.example", 80))]


def test_a_name_is_judged_by_what_it_resolves_to(monkeypatch):
    with pytest.raises(RefusedAddress, match="a.example: 10.0.0.1 is not of the public web"):
        resolved(monkeypatch, ["10.0.0.1"])
    assert resolved(monkeypatch, ["10.0.0.1", "93.184.216.34"]) == ["93.184.216.34"]
    assert resolved(monkeypatch, ["10.0.0.1"], allowed=["10.0.0.0/8"]) == ["10.0.0.1"]
    assert resolved(monkeypatch, ["10.0.0.1"], allowed=["a.example"]) == ["10.0.0.1"]


@pytest.mark.parametrize("port", [22, 25, 6379, 8080, 0, None])
def test_ports_of_other_services_are_refused(port):
    assert Guard().port("example.org", port) == f"port {port} is none of 80, 443"


def test_a_host_that_is_listed_may_be_asked_at_any_port():
    guard = Guard(["127.0.0.0/8", "*.lab"], ports=[80])
    assert guard.port("127.0.0.1", 6379) is guard.port("wiki.lab", 8080) is guard.port("a.org", 80) is None
    assert guard.port("a.org", 443) == "port 443 is none of 80"
