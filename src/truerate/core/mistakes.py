"""What a check says of a setting, as lines that begin with the setting's place in params.yaml."""

from collections.abc import Callable, Iterator

from truerate.core.errors import TruerateError

N_SHOWN = 80


def mistakes(
    setting: str, check: Callable[..., object], *args: object, near: Callable[[], str] = str
) -> Iterator[str]:
    """The fault that a package finds in a setting, as a line with its place, or nothing; `near` gives likely names."""
    try:
        check(*args)
    except OSError as error:  # a name that no file can have
        yield f"{setting}: {str(error.filename)[:N_SHOWN]!r}: {error.strerror}"
    except TruerateError as error:
        for line in str(error).splitlines():
            what = (
                line.removeprefix(f"{setting}: ")
                .replace("; allowed", f"{near()}; allowed", 1)
                .replace("; known", f"{near()}; known", 1)
            )
            yield what if line.startswith("params.yaml: ") else f"{setting}: {what}"
