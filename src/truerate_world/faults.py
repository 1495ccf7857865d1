"""Faults of a search of the web, planted by flag; they depend on a query's digest and attempt, never on time."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

KINDS = ("search-quota", "search-rate")


@dataclass(frozen=True)
class Fault:
    """One kind of failure: share of searches, and only the `first_n` attempts of each query (None: all)."""

    kind: str
    rate: float = 1.0
    first_n: int | None = None


def parse_fault(text: str) -> Fault:
    """`KIND[:rate][:first_n]` as a fault; ValueError with one line saying what is allowed."""
    kind, *rest = text.split(":")
    if kind not in KINDS or len(rest) > 2:
        raise ValueError(
            f"fault {text!r}: allowed is KIND[:rate][:first_n] with KIND one of {', '.join(KINDS)}"
        )
    try:
        rate = float(rest[0]) if rest and rest[0] else 1.0
        first_n = int(rest[1]) if len(rest) > 1 else None
    except ValueError:
        raise ValueError(f"fault {text!r}: rate is a number in [0, 1], first_n a whole number") from None
    if not 0 <= rate <= 1 or (first_n is not None and first_n < 0):
        raise ValueError(f"fault {text!r}: rate is a number in [0, 1], first_n a whole number from 0")
    return Fault(kind, rate, first_n)


def pick(faults: Sequence[Fault], digest: str, attempt: int) -> str | None:
    """The kind of the first fault that meets this attempt (from 0) at this query, None where all is well."""
    for fault in faults:
        if fault.first_n is not None and attempt >= fault.first_n:
            continue
        if fault.rate >= 1 or _draw(fault.kind, digest, attempt) < fault.rate:
            return fault.kind
    return None


def _draw(*parts: object) -> float:
    """A number in [0, 1) from blake2b over the parts."""
    return int.from_bytes(blake2b("\0".join(map(str, parts)).encode(), digest_size=6).digest()) / 2**48
