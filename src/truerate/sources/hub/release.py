"""What a data set that truerate published says of itself: source, licences and track, by `build/source.json`.

An older data set says its licence and track in the YAML of its README; `truerate.json` says that its texts
went out.
"""

from dataclasses import dataclass, field
from pathlib import Path

from truerate.config.layout import ORIGIN
from truerate.config.track_blocks import declared, fault_of, track_names
from truerate.core.errors import SourceError, TruerateError
from truerate.sources.cards import REDISTRIBUTION
from truerate.sources.cuts import columns_of, parse
from truerate.sources.hub.files import CARD as README
from truerate.sources.hub.files import MARK, front_of
from truerate.sources.rows import BadRow

FROM_ORIGIN = ("name", "citation", "redistribution", "url", "note", "lang")


@dataclass(frozen=True)
class Release:
    """Fields of the source's card, the track of the board, and the words on the licence of each config."""

    card: dict[str, str]
    track: str
    licences: dict[str, str] = field(default_factory=dict)

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that can be read."""
        return declared(self.track, "Settings").released


def release_in(folder: Path, *, name: str) -> Release:
    """Read what a data set says of itself. Raises TruerateError for a foreign `build/source.json`."""
    try:
        front = front_of((folder / README).read_text("utf-8", errors="replace"))
    except (OSError, TruerateError):
        front = {}
    origin = _origin(folder, name)
    words = front.get("license_name") if front.get("license") == "other" else front.get("license")
    card = {"licence": " ".join(words.split())[:80]} if isinstance(words, str) and words.strip() else {}
    if origin:
        card |= {key: origin[key] for key in FROM_ORIGIN if isinstance(origin.get(key), str)}
        return Release(card, origin["track"], origin["licences"])
    if card and (folder / MARK).is_file():
        card |= {"redistribution": "yes"}
    tags = front.get("tags") if isinstance(front.get("tags"), list) else []
    tagged = [track for track in readable() if track in tags]
    unnamed = [track for track in readable() if declared(track, "Settings").reads_unnamed]
    return Release(card, [*tagged, *unnamed][0])


def readable() -> list[str]:
    """The tracks whose published data sets can be read."""
    return [track for track in track_names() if not fault_of(track) and declared(track, "Settings").released]


def checked_columns(path: Path, where: str, *, may_be_bare: bool = False) -> list[str]:
    """The columns of a published file. Raises SourceError without texts, unless it `may_be_bare`."""
    try:
        columns = columns_of(path)
    except BadRow as bad:
        raise SourceError(f"{where}: {bad.detail}; put a sound file there") from None
    if "text_sha256" in columns and "text" not in columns and not may_be_bare:
        advice = "rebuild the texts as the data set's rebuild/REBUILD.md says"
        problem = "its rows are ids and labels without texts"
        raise SourceError(f"{where}: {problem}; {advice}, and read the source that they come from")
    return columns


def _origin(folder: Path, name: str) -> dict:
    path, where = folder / ORIGIN, f"source {name!r}: {ORIGIN}"
    if not path.is_file():
        return {}
    try:
        origin = parse(path.read_bytes())
    except (OSError, BadRow) as error:
        raise SourceError(f"{where}: {error}; fetch the data set again") from None
    origin = origin if isinstance(origin, dict) else {}
    licences = origin.get("licences")
    is_ours = isinstance(licences, dict) and all(isinstance(words, str) for words in licences.values())
    is_ours = is_ours and origin.get("track") in readable() and origin.get("redistribution") in REDISTRIBUTION
    if not is_ours:
        must = f"it must hold `licences`, `redistribution` and `track` ({', '.join(readable())})"
        raise SourceError(f"{where}: {must}; fetch the data set again")
    return origin
