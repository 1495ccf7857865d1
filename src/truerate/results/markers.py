"""A file in which a command rewrites what stands between two markers."""

from pathlib import Path

from truerate.core.errors import TruerateError


def read_between(path: Path, name: str) -> tuple[str, str, str]:
    """A file in three: up to and with `<!-- name -->`, what stands between the markers, and from `<!-- /name
    -->` on.

    Raises TruerateError for a file that is no UTF-8 or has no such markers in this order.
    """
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    try:
        page = path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise TruerateError(f"{str(path)!r}: not UTF-8 at byte {error.start}; save it as UTF-8") from None
    before, _, rest = page.partition(begin)
    between, _, after = rest.partition(end)
    if begin not in page or end not in rest:
        hint = "add them where the text should stand"
        raise TruerateError(f"{str(path)!r} has no markers {begin} … {end}; {hint}")
    return before + begin, between, end + after


def write_between(path: Path, name: str, text: str) -> None:
    """Replace what stands between the markers of a file (`read_between`)."""
    before, _, after = read_between(path, name)
    path.write_text(f"{before}\n{text}\n{after}", "utf-8")
