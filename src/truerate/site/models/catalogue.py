"""Every model that the committed boards rank, each once, under all the names that it bears there."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

import polars as pl

from truerate.core.errors import listed, meant
from truerate.site.models.aliases import Alias, Aliases, Entry, read_aliases, refuse
from truerate.site.safety import slug

WEIGHTS = {"open_weights": "open", "open_source": "open", "closed": "closed"}  # of a published table, in ours
OWN, WITH_MAKER = "its own name", "the same name, with an organisation of its maker before it"
SETTING = "its name without the setting, by the table’s column base"
DEFAULT = "default"  # of efforts: the model was asked as it is
FACTS = ("maker", "weights", "billions", "launched")


class RankedBoard(Protocol):
    """What the catalogue reads of a board (`results.board.RealBoard`)."""

    @property
    def name(self) -> str: ...
    @property
    def ranked(self) -> Sequence[Any]: ...
    @property
    def table(self) -> pl.DataFrame | None: ...


@dataclass(frozen=True)
class Line:
    """A model's line on a board: `subject` as the board has it, `name` without the `setting` (empty: none) in
    which the model was asked, and why this name is that of the model.
    """

    board: str
    subject: str
    name: str
    setting: str
    why: str


@dataclass(frozen=True)
class Model:
    """A model; what its maker has not published is None. `see`: names of models that it may be, each with the
    reason why nobody can tell. `address`: the name of its page's file.
    """

    name: str
    address: str = ""
    maker: str | None = None
    weights: str | None = None
    billions: float | None = None
    launched: str | None = None
    lines: tuple[Line, ...] = ()
    see: tuple[tuple[str, str], ...] = ()

    @property
    def page(self) -> str:
        """Its page, from the site's root; models of the build have theirs in the folder above."""
        return f"models/real/{self.address}.html"

    @property
    def boards(self) -> tuple[str, ...]:
        """The boards that rank it, in their order."""
        return tuple(dict.fromkeys(line.board for line in self.lines))

    @property
    def names(self) -> dict[str, str]:
        """The names that it bears on boards, each with the reason why it is this model's."""
        return {line.name: line.why for line in reversed(self.lines)}

    def on(self, board: str) -> tuple[Line, ...]:
        """Its lines on a board, one per setting."""
        return tuple(line for line in self.lines if line.board == board)


@dataclass(frozen=True)
class Catalogue:
    """The models of some boards in order of name; `not_models`: of (board, subject), why it is none."""

    models: tuple[Model, ...] = ()
    not_models: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def of(self, board: str, subject: str) -> Model | None:
        """The model that a board's subject is; None where it is none, or the board has no such subject."""
        return self._by_line.get((board, subject))

    def ranked(self, board: RankedBoard) -> list[Model]:
        """The models of a board, best first, each once."""
        models = (self.of(board.name, score.subject) for score in board.ranked)
        return list(dict.fromkeys(model for model in models if model))

    @cached_property
    def by_name(self) -> dict[str, Model]:
        """The models by name."""
        return {model.name: model for model in self.models}

    @cached_property
    def _by_line(self) -> dict[tuple[str, str], Model]:
        return {(line.board, line.subject): model for model in self.models for line in model.lines}


@dataclass(frozen=True)
class _Stem:
    """A name on a board without settings: its subjects with their settings, and what the board says of it."""

    board: str
    name: str
    rest: str  # without the organisation before it
    facts: Mapping[str, Any]
    subjects: tuple[tuple[str, str], ...]

    def lines(self, why: str, setting: str = "") -> tuple[Line, ...]:
        """Its lines on the board, of a model to which it belongs for a reason."""
        return tuple(
            Line(self.board, subject, self.name, setting or of_table, why)
            for subject, of_table in self.subjects
        )


def load_models(path: str | Path, boards: Sequence[RankedBoard]) -> Catalogue:
    """The models of some boards by a file as `aliases` describes it; without one each name is a model.

    Raises TruerateError, one line that names the entry.
    """
    return catalogue_of(read_aliases(path), boards)


def catalogue_of(aliases: Aliases, boards: Sequence[RankedBoard]) -> Catalogue:
    """The models of boards: those of the entries, then a model per name that no entry has.

    A name is an entry's where the entry lists it, or where it is the entry's own name, alone or behind an
    organisation of its maker. Other names are one model where they are spelled the same but for such an
    organisation. Nothing else is joined. Raises SourceError for a board that is not there, a name that no
    board has or that two entries claim, and an unknown model under `see`.
    """
    stems = [stem for board in boards for stem in _stems(board, aliases.makers)]
    board_names = [board.name for board in boards]
    not_models: dict[tuple[str, str], str] = {}
    for alias in aliases.not_models:
        for stem in _named(alias, stems, board_names, "not_models"):
            not_models |= {(stem.board, subject): alias.why for subject, _ in stem.subjects}
            stems.remove(stem)
    claimed = _claimed(aliases.models, stems, board_names)
    models = []
    for entry in aliases.models:
        refuse(
            not claimed[entry.name],
            f"model {entry.name!r}: no board has a model of this name, or of its names",
        )
        models.append(_model(entry, claimed[entry.name]))
    taken = {(stem.board, stem.name) for each in claimed.values() for stem, _ in each}
    models += _unlisted([stem for stem in stems if (stem.board, stem.name) not in taken], claimed)
    names = {model.name for model in models}
    for entry in aliases.models:
        for see in entry.see:
            unknown = f"model {entry.name!r}: see: no model {see.model!r}{meant(see.model, names)}"
            refuse(see.model not in names, unknown)
    models.sort(key=lambda model: (model.name.casefold(), model.name))
    addresses = _addresses([model.name for model in models])
    ranked = (((board.name, score.subject) for score in board.ranked) for board in boards)
    positions = {line: position for position, line in enumerate(chain.from_iterable(ranked))}

    def finished(model: Model) -> Model:
        lines = sorted(model.lines, key=lambda line: positions[line.board, line.subject])
        return replace(model, address=addresses[model.name], lines=tuple(lines))

    return Catalogue(tuple(map(finished, models)), not_models)


def _stems(board: RankedBoard, makers: Mapping[str, Iterable[str]]) -> list[_Stem]:
    """The names of a board's models, each once, with what its table says of them."""
    maker_of = {spelled: maker for maker, spellings in makers.items() for spelled in (maker, *spellings)}
    table = (
        {}
        if board.table is None
        else {row["subject"]: row for row in board.table.filter(slice="").to_dicts()}
    )
    subjects: dict[str, list[tuple[str, str]]] = {}
    facts: dict[str, dict[str, Any]] = {}
    for score in board.ranked:
        if score.kind == "model":
            row = table.get(score.subject, {})
            name = row.get("base") or score.subject
            effort = row["effort"] if row.get("base") else ""
            setting = "" if effort in ("", DEFAULT) else f"reasoning: {effort}"
            subjects.setdefault(name, []).append((score.subject, setting))
            facts.setdefault(name, _facts(row, maker_of))
    return [
        _Stem(board.name, name, rest, {"maker": maker} | facts[name], tuple(each))
        for name, each in subjects.items()
        for maker, rest in [_parted(name, maker_of)]
    ]


def _facts(row: Mapping[str, Any], maker_of: Mapping[str, str]) -> dict[str, Any]:
    """What a table says of a model, in our words; what it leaves out is not there."""
    maker = row.get("maker")
    facts = {
        "maker": maker and maker_of.get(maker, maker),
        "weights": WEIGHTS.get(row.get("weights") or ""),
        "billions": float(row["billions"]) if row.get("billions") else None,
        "launched": row.get("launched"),
    }
    return {name: value for name, value in facts.items() if value}


def _parted(name: str, maker_of: Mapping[str, str]) -> tuple[str | None, str]:
    """The maker whose organisation stands before a name, and the rest; None and all of it where none does."""
    organisation, slash, rest = name.partition("/")
    return (maker_of[organisation], rest) if slash and organisation in maker_of else (None, name)


def _named(alias: Alias, stems: Sequence[_Stem], boards: Sequence[str], where: str) -> list[_Stem]:
    """The stems that a name of an entry means. Raises SourceError for an unknown board, and for none."""
    for board in alias.boards:
        unknown = f"{where}: board {board!r} is unknown{meant(board, boards)}; boards: {listed(boards)}"
        refuse(board not in boards, unknown)
    meant_by = [stem for stem in stems if stem.name == alias.name and stem.board in (alias.boards or boards)]
    for board in alias.boards or [""]:
        on = f"board {board!r} does not have" if board else "no board has"
        has_none = not any(stem.board == (board or stem.board) for stem in meant_by)
        refuse(has_none, f"{where}: {on} {alias.name!r}{meant(alias.name, [stem.name for stem in stems])}")
    return meant_by


def _claimed(
    entries: Sequence[Entry], stems: Sequence[_Stem], boards: Sequence[str]
) -> dict[str, list[tuple[_Stem, Alias]]]:
    """The stems of each entry, with the name by which each is its."""
    owner: dict[tuple[str, str], str] = {}
    claimed: dict[str, list[tuple[_Stem, Alias]]] = {entry.name: [] for entry in entries}
    for entry in entries:
        for alias in entry.names:
            for stem in _named(alias, stems, boards, f"model {entry.name!r}"):
                first = owner.setdefault((stem.board, stem.name), entry.name)
                message = f"{stem.name!r} on board {stem.board!r} is also a name of model {first!r}"
                is_twice = first != entry.name or stem in [each for each, _ in claimed[entry.name]]
                refuse(is_twice, f"model {entry.name!r}: {message}")
                claimed[entry.name].append((stem, alias))
    for entry in entries:
        for stem in stems:
            is_maker = stem.rest == stem.name or stem.facts["maker"] == entry.maker
            if entry.name in (stem.name, stem.rest) and is_maker and (stem.board, stem.name) not in owner:
                owner[stem.board, stem.name] = entry.name
                claimed[entry.name].append((stem, Alias(name=stem.name, why=_why(stem))))
    return claimed


def _why(stem: _Stem) -> str:
    why = OWN if stem.name == stem.rest else WITH_MAKER
    return f"{why}; {SETTING}" if any(setting for _, setting in stem.subjects) else why


def _model(entry: Entry, claimed: Sequence[tuple[_Stem, Alias]]) -> Model:
    """The model of an entry: its own facts, else the first that a board's table says."""
    lines = tuple(line for stem, alias in claimed for line in stem.lines(alias.why, alias.setting or ""))
    facts = {name: getattr(entry, name) for name in FACTS}
    for name in FACTS:
        of_tables = (stem.facts.get(name) for stem, _ in claimed)
        facts[name] = facts[name] if facts[name] is not None else next(filter(None, of_tables), None)
    return Model(entry.name, lines=lines, see=tuple((see.model, see.why) for see in entry.see), **facts)


def _unlisted(stems: Sequence[_Stem], entries: Collection[str]) -> list[Model]:
    """A model per name that no entry has, without the organisation of its maker where no other has the rest."""
    makers: dict[str, set[str]] = {}
    for stem in stems:
        makers.setdefault(stem.rest, set()).update({stem.facts["maker"]} if stem.rest != stem.name else ())
    by_name: dict[str, list[tuple[_Stem, Alias]]] = {}
    for stem in stems:
        is_alone = len(makers[stem.rest]) <= 1 and stem.rest not in entries
        name = stem.rest if is_alone else stem.name
        by_name.setdefault(name, []).append((stem, Alias(name=stem.name, why=_why(stem))))
    return [_model(Entry(name=name), claimed) for name, claimed in by_name.items()]


def _addresses(names: Iterable[str]) -> dict[str, str]:
    """A file name for each name, no two alike, in their order."""
    by_name: dict[str, str] = {}
    for name in names:
        base, n = str(slug(name)), 1
        while (address := base if n == 1 else f"{base}-{n}") in by_name.values():
            n += 1
        by_name[name] = address
    return by_name
