"""At which temperature a reply is asked for: what the request says of it, and no prompt. Models hallucinate more at a
higher one.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_TOLD: ContextVar[float] = ContextVar("temperature", default=0.0)


@contextmanager
def asked_at(temperature: float) -> Iterator[None]:
    """What is answered within is asked for at this temperature."""
    before = _TOLD.set(temperature)
    try:
        yield
    finally:
        _TOLD.reset(before)


def temperature() -> float:
    """The temperature of the request that is answered now; 0 where none was told."""
    return _TOLD.get()
