"""The temperature of the request, which no prompt states; models hallucinate more at a higher one."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_TEMPERATURE: ContextVar[float] = ContextVar("temperature", default=0.0)


@contextmanager
def asked_at(temperature: float) -> Iterator[None]:
    """What is answered within is asked for at this temperature."""
    before = _TEMPERATURE.set(temperature)
    try:
        yield
    finally:
        _TEMPERATURE.reset(before)


def temperature() -> float:
    """The temperature of the request that is answered now; 0 where none is set."""
    return _TEMPERATURE.get()
