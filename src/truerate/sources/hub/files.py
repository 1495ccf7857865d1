"""Which files of a data set of the Hub are of a config and split, by its card, else by their names; and what a data set
that truerate published says of itself: source, licences and track, by `build/source.json`.

An older data set says its licence and track in the YAML of its README; `truerate.json` says that its texts went out.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

import yaml

from truerate.config import HubSource
from truerate.config.layout import ORIGIN
from truerate.config.track_blocks import declared, fault_of, track_names
from truerate.core.errors import SettingsError, SourceError, TruerateError, listed
from truerate.sources.cards import REDISTRIBUTION
from truerate.sources.cuts import columns_of, parse
from truerate.sources.rows import BadRow

CARD = "README.md"
MARK = "truerate.json"  # stands in what truerate published
ABOUT = (CARD, MARK, ORIGIN)  # what such a data set says of itself
DATA = (".parquet", ".jsonl", ".json", ".csv", ".tsv", ".txt", ".zst", ".gz", ".arrow")
NO_DATA = ("dataset_infos.json", "dataset_info.json", "croissant.json", MARK, "source.json")
WHOLE = "default"  # the config of a data set that names none
WORDS = {  # what publishers call a split → the split
    **dict.fromkeys(("train", "training"), "train"),
    **dict.fromkeys(("validation", "valid", "val", "dev"), "validation"),
    **dict.fromkeys(("test", "testing", "eval", "evaluation"), "test"),
}
_SHARD = re.compile(r"(?:.*/)?(?P<split>\w+(?:\.\w+)*)-\d{5}-of-\d{5}\.\w+")

Splits = dict[str, list[str]]


def files_of(hub: HubSource, paths: Sequence[str], card: str) -> list[str]:
    """Return the files of a data set's config (its default where none is named) and split (else all splits).

    `paths` are all files of the commit, `card` is its README. Raises TruerateError for a config or split that
    it has not.
    """
    data = sorted(path for path in paths if _is_data(path))
    configs, default = _declared(card, data) or _by_name(data)
    name = hub.config or default
    if name not in configs:
        met = "names no default config" if name is None else f"has no config {name!r}"
        raise SettingsError(f"it {met}; those there are: {listed(configs)}; set `config`")
    splits, where = configs[name], f"its config {name!r}"
    if hub.split is not None and hub.split not in splits:
        there = f"those there are: {listed(splits)}; set `split`"
        raise SettingsError(f"{where} has no split {hub.split!r}; {there}")
    wanted = {path for split, files in splits.items() if hub.split in (None, split) for path in files}
    if not wanted:
        raise SettingsError(f"{where} names files that are not there; correct `config` or `revision`")
    return sorted(wanted)


def about(paths: Collection[str]) -> list[str]:
    """The files that describe a data set published by truerate; none of another's."""
    return [path for path in ABOUT if path in paths] if MARK in paths else []


def _is_data(path: str) -> bool:
    parts = path.split("/")
    is_hidden = any(part.startswith(".") for part in parts)
    return parts[-1].endswith(DATA) and parts[-1] not in NO_DATA and not is_hidden


# ---- as the card says --------------------------------------------------------------------------------------
def _declared(card: str, data: Sequence[str]) -> tuple[dict[str, Splits], str | None] | None:
    """The configs that the card's YAML declares, and the default among them; None where it declares none."""
    listed_configs = front_of(card).get("configs")
    entries = listed_configs if isinstance(listed_configs, list) else []
    named = [(str(entry.get("config_name") or WHOLE), entry) for entry in entries if isinstance(entry, dict)]
    configs = {name: _splits(entry, data) for name, entry in named}
    marked = [name for name, entry in named if entry.get("default") == "true"]
    return (configs, _default(configs, marked)) if configs else None


def front_of(card: str) -> dict:
    """The YAML in front of a card, scalars as text (a config may be called `no`); raises TruerateError for
    broken YAML.
    """
    parts = re.split(r"^---\s*$", card.removeprefix("\ufeff"), maxsplit=2, flags=re.MULTILINE)
    if len(parts) < 3 or parts[0].strip():
        return {}
    try:
        front = yaml.load(parts[1], Loader=yaml.BaseLoader)
    except yaml.YAMLError as error:
        problem = f"the YAML of its card cannot be read ({' '.join(str(error).split())[:120]})"
        raise SourceError(f"{problem}; take `config` and `split` away to have all of it") from None
    return front if isinstance(front, dict) else {}


def _splits(entry: dict, data: Sequence[str]) -> Splits:
    """The files of one entry's splits: `data_files` are patterns, `data_dir` is a folder."""
    base = str(entry.get("data_dir") or "").strip("/.")
    below = [path for path in data if not base or path.startswith(f"{base}/")]
    spec = entry.get("data_files")
    if not spec:
        return _by_split(below)
    if isinstance(spec, dict):
        named = list(spec.items())
    elif isinstance(spec, list) and all(isinstance(part, dict) for part in spec):
        named = [(part.get("split") or "train", part.get("path") or part.get("pattern")) for part in spec]
    else:
        named = [("train", spec)]
    splits: Splits = {}
    for split, patterns in named:
        several = patterns if isinstance(patterns, list) else [patterns]
        plain = [str(pattern).removeprefix("./") for pattern in several]
        wanted = [f"{base}/{pattern}" if base else pattern for pattern in plain]
        fitting = [path for path in data if any(fits(path, pattern) for pattern in wanted)]
        splits.setdefault(str(split), []).extend(fitting)
    return splits


def fits(path: str, pattern: str) -> bool:
    """Return whether a path matches a pattern: `*` is anything but a slash, a part `**` any folders, also
    none.
    """
    parts = pattern.split("/")
    plain = [part for index, part in enumerate(parts) if part != "**" or parts[index - 1 : index] != ["**"]]
    return _fit(path.split("/"), plain)


def _fit(path: list[str], pattern: list[str]) -> bool:
    if not pattern:
        return not path
    if pattern[0] == "**":
        return any(_fit(path[index:], pattern[1:]) for index in range(len(path) + 1))
    return bool(path) and fnmatchcase(path[0], pattern[0]) and _fit(path[1:], pattern[1:])


# ---- as folders and files are called -----------------------------------------------------------------------
def _by_name(data: Sequence[str]) -> tuple[dict[str, Splits], str | None]:
    """Configs by folder (`data/<config>/…`, `<config>/…`); other files are of `default`."""
    folders: dict[str, list[str]] = {}
    for path in data:
        parts = path.split("/")[:-1]
        parts = parts[1:] if parts[:1] == ["data"] else parts
        folders.setdefault(parts[0] if parts and parts[0].lower() not in WORDS else WHOLE, []).append(path)
    configs = {name: _by_split(files) for name, files in folders.items()}
    return configs, _default(configs, [])


def _by_split(files: Sequence[str]) -> Splits:
    """Files by the split in their name or folder; `train` where none is, as the Hub's client has it."""
    splits: Splits = {}
    for path in files:
        splits.setdefault(_split(path), []).append(path)
    return splits


def _split(path: str) -> str:
    if shard := _SHARD.fullmatch(path):
        return shard["split"]
    words = [word for part in reversed(path.lower().split("/")) for word in re.split(r"[-._ ]|\d+", part)]
    return next((WORDS[word] for word in words if word in WORDS), "train")


def _default(configs: dict[str, Splits], marked: Sequence[str]) -> str | None:
    """The config that is meant where none is named: the marked one, the only one, or the one called
    `default`.
    """
    if len(marked) == 1:
        return marked[0]
    return next(iter(configs)) if len(configs) == 1 else WHOLE if WHOLE in configs else None


# ---- what a data set of truerate's says of itself -----------------------------------------------------------
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
        front = front_of((folder / CARD).read_text("utf-8", errors="replace"))
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
