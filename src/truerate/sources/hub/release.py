"""What a data set that truerate published says of itself: its source, licences and track, by
`build/source.json`, else by its README.

A data set of before that file says its licence and its track in the YAML of its README; that its texts were
let out is what `truerate.json` stands for, for nothing else goes out with texts.
"""

from dataclasses import dataclass, field
from pathlib import Path

from truerate.config.layout import ORIGIN
from truerate.config.track_blocks import declared, fault_of, found
from truerate.core.errors import SourceError, TruerateError
from truerate.sources.cards import REDISTRIBUTION
from truerate.sources.cuts import parse
from truerate.sources.hub.files import CARD as README
from truerate.sources.hub.files import MARK, front_of
from truerate.sources.rows import BadRow


@dataclass(frozen=True)
class Release:
    """`card`: fields of the source's card; `track`: of the board; `licences`: config → words on its licence."""

    card: dict[str, str]
    track: str
    licences: dict[str, str] = field(default_factory=dict)

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that can be read."""
        return declared(self.track, "Settings").released


def release_in(folder: Path, *, name: str) -> Release:
    """What is told of the data set in a folder. Raises TruerateError for a `build/source.json` that is not ours."""
    front, origin = _front(folder), _origin(folder, name)
    words = front.get("license_name") if front.get("license") == "other" else front.get("license")
    card = {"licence": " ".join(words.split())[:80]} if isinstance(words, str) and words.strip() else {}
    tags = front.get("tags") if isinstance(front.get("tags"), list) else []
    if not origin:
        let_out = {"redistribution": "yes"} if card and (folder / MARK).is_file() else {}
        tracks = readable()
        unnamed = [track for track in tracks if declared(track, "Settings").reads_unnamed]
        return Release(card | let_out, next(iter([*(track for track in tracks if track in tags), *unnamed])))
    kept = ("name", "citation", "redistribution", "url", "note", "lang")
    card |= {key: origin[key] for key in kept if isinstance(origin.get(key), str)}
    return Release(card, origin["track"], origin["licences"])


def readable() -> list[str]:
    """The tracks whose published data sets can be read."""
    return [track for track in found() if not fault_of(track) and declared(track, "Settings").released]


def _front(folder: Path) -> dict:
    try:
        return front_of((folder / README).read_text("utf-8", errors="replace"))
    except (OSError, TruerateError):
        return {}


def _origin(folder: Path, name: str) -> dict:
    path = folder / ORIGIN
    if not path.is_file():
        return {}
    try:
        origin = parse(path.read_bytes())
    except (OSError, BadRow) as error:
        raise SourceError(
            f"source {name!r}: {ORIGIN}: {getattr(error, 'detail', error)}; fetch the data set again"
        ) from None
    origin = origin if isinstance(origin, dict) else {}
    licences = origin.get("licences")
    is_ours = isinstance(licences, dict) and all(isinstance(words, str) for words in licences.values())
    if (
        not is_ours
        or origin.get("track") not in readable()
        or origin.get("redistribution") not in REDISTRIBUTION
    ):
        must = f"it must hold `licences`, `redistribution` and `track` ({', '.join(readable())})"
        raise SourceError(f"source {name!r}: {ORIGIN}: {must}; fetch the data set again")
    return origin
