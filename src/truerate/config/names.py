"""Names that one block of params.yaml uses and another declares, and settings of two blocks that must fit
together.

Each mistake is one line that begins with the place of the setting: `tracks.<track>.subjects: model 'gpt4' is
not declared; …`.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from truerate.config.detectors import Grid, RateOf, teacher_of
from truerate.config.models import shared_identity
from truerate.config.placement import track_settings
from truerate.config.track_blocks import declared as class_of
from truerate.config.track_blocks import fault_of, track_names
from truerate.core.errors import listed, meant

if TYPE_CHECKING:
    from truerate.config import Params


def undeclared(p: "Params") -> Iterator[str]:
    """A line for every name that is declared nowhere."""
    lost: dict[tuple[str, str], list[str]] = {}
    allowed: dict[str, Collection[str]] = {}
    for setting, kind, name, declared in _used(p):
        if name not in declared:
            allowed[kind] = declared
            lost.setdefault((kind, name), []).append(setting)
    for (kind, name), places in lost.items():
        where = ", ".join(dict.fromkeys(places))
        yield (
            f"{where}: {kind} {name!r} is not declared{meant(name, allowed[kind])}; declared: "
            f"{listed(allowed[kind])}"
        )
    yield from _without_block(p)


def _without_block(p: "Params") -> Iterator[str]:
    """Boards whose track has no settings or sizes: a track that no board runs needs none."""
    for name, board in p.boards.items():
        for block, blocks in (("tracks", p.tracks), (f"sizes.{p.profile}", p.sizes.get(p.profile, {}))):
            if board.track not in track_names() or board.track in blocks:
                continue
            if fault := fault_of(board.track):
                yield f"boards.{name}.track: {fault}"
            else:
                what = f"board {name!r}: track {board.track!r} has no block under `{block}`"
                yield f"{what}; there: {listed(blocks)}"


def _used(p: "Params") -> Iterator[tuple[str, str, str, Collection[str]]]:
    """Every name with the place where it stands, the kind of thing it names, and the declared names."""
    tracks = track_names()
    yield "profile", "profile", p.profile, p.sizes
    for name, board in p.boards.items():
        yield f"boards.{name}.source", "source", board.source, p.sources
        yield f"boards.{name}.track", "track", board.track, tracks
    for name, public in p.public_data.items():
        yield f"public_data.{name}.track", "track", public.track, tracks
    for alias, model in p.models.items():
        yield f"models.{alias}.endpoint", "endpoint", model.endpoint, p.endpoints
        if model.base is not None:
            yield f"models.{alias}.base", "model", model.base, p.models
    for key_of, settings in track_settings(p):
        for key, alias in settings.asked():
            yield key_of(key), "model", alias, p.models
        for key in settings.among:
            for alias in settings.setting(key) or ():
                yield key_of(key), "model", alias, p.models
        by_kind = (
            ("endpoint", settings.endpoints_in, p.endpoints),
            ("source", settings.sources_in, p.sources),
        )
        for kind, keys, there in by_kind:
            for key in keys:
                if (value := settings.setting(key)) is not None:
                    yield key_of(key), kind, value, there
    for name in p.hub.datasheets:
        yield "hub.datasheets", "board", name, {**p.boards, **p.public_data}
    for name, family in p.detectors.items():
        for track in family.tracks:
            yield f"detectors.{name}.tracks", "track", track, tracks
        if family.learns_from is not None:
            yield f"detectors.{name}.learns_from", "board", family.learns_from, p.boards
        for member, judging in family.judges.items():
            if judging.backbone is not None:
                yield f"detectors.{name}.judges.{member}.backbone", "backbone", judging.backbone, p.backbones
        for member, published in family.published.items():
            if published.model is not None:
                yield f"detectors.{name}.published.{member}.model", "model", published.model, p.models


def mismatched(p: "Params") -> Iterator[str]:
    """A line for every two settings that do not fit together; asked where all names are declared."""
    if aliases := shared_identity(p.models, p.endpoints):
        named = " and ".join(f"models.{alias} (endpoint {p.models[alias].endpoint!r})" for alias in aliases)
        model = p.models[aliases[0]]
        hint = "give each an `identity:` of its own, such as <weights>@<revision>-<quantisation>"
        yield f"{named} would share their replies as {model.identity or model.model!r}; {hint}"
    for alias, model in p.models.items():
        if model.base == alias or (model.base is not None and p.models[model.base].base is not None):
            what = "itself" if model.base == alias else f"{model.base!r}, which has a base of its own"
            yield f"models.{alias}.base: is {what}; name the model without search, which has no base"
    yield from _detectors(p)
    yield from _untaught(p)
    unmarked = list(_without_tokens(p))
    yield from unmarked or _detectors_of_rates(p)
    purposes = {purpose for settings in p.tracks.values() for purpose in settings.cut}
    for purpose in p.llm.cut.keys() - purposes:
        what = f"no track asks a model for {purpose!r}{meant(purpose, purposes)}"
        yield f"llm.cut: {what}; allowed: {listed(purposes)}"
    for key_of, settings in track_settings(p):
        for key, other in settings.among.items():
            allowed = settings.setting(other)
            for alias in settings.setting(key) or ():
                if alias not in allowed:
                    what = f"{alias!r} is no {other.removesuffix('s')}{meant(alias, allowed)}"
                    yield f"{key_of(key)}: {what}; {other}: {listed(allowed)}"


def _detectors(p: "Params") -> Iterator[str]:
    """Rows of a board that would bear one name."""
    for name, family in p.detectors.items():
        for member in family.members:
            if member in p.models:
                yield (
                    f"models.{member}: a detector of detectors.{name} has this name too and both are "
                    "rows; rename the model"
                )
    for board, track in ((name, entry.track) for name, entry in p.boards.items()):
        members = {name: p.members(name, board) for name in p.detectors}
        times = Counter(member for of_family in members.values() for member in of_family)
        for member in [member for member, n in times.items() if n > 1]:
            families = [name for name, of_family in members.items() if member in of_family]
            yield (
                f"detectors.{families[-1]}.members: {member!r} is a member of {families[0]!r} too, and "
                f"both are rows of {track}'s boards"
            )


def _untaught(p: "Params") -> Iterator[str]:
    """Families that learn from a board of which no family can teach them."""
    for name, family in p.detectors.items():
        if (board := family.learns_from) is None:
            continue
        track = p.boards[board].track
        if teacher_of(name, p.detectors, track):
            continue
        setting = f"detectors.{name}.learns_from"
        there = {
            key: family_there for key, family_there in p.detectors.items() if track in family_there.tracks
        }
        for key, family_there in there.items():
            if not family_there.learns_on(board) and set(family.members) & set(
                family_there.members_on(track)
            ):
                what = (
                    f"family {key!r} has its members on board {board!r}, but learns from "
                    f"{family_there.learns_from!r}"
                )
                yield f"{setting}: {what}; a circle: name the board on which they are trained"
                break
        else:
            members = {member for family_there in there.values() for member in family_there.members_on(track)}
            lost = [member for member in family.members if member not in members] or list(family.members)
            yield (
                f"{setting}: no family that learns on board {board!r} has "
                f"{lost[0]!r}{meant(lost[0], members)}; there: {listed(members)}"
            )


def tracks_to_mark(p: "Params", name: str) -> tuple[str, ...]:
    """The tracks whose texts a family learns to mark: its own, or its `learns_from` board's; or none."""
    family = p.detectors[name]
    if family.learns_from is None:
        return () if family.kind in ("texts", "published") else family.tracks
    teacher, board = p.teacher(name, "")
    return () if teacher != name or family.kind == "texts" else (p.board(board).track,)


def _without_tokens(p: "Params") -> Iterator[str]:
    """Families that mark tokens, and tracks that have none: their sizes are no grid of networks."""
    marked = [
        track for track in track_names() if not fault_of(track) and issubclass(class_of(track, "Sizes"), Grid)
    ]
    for name in p.detectors:
        for track in tracks_to_mark(p, name):
            if track not in marked:
                yield no_tokens(f"detectors.{name}.tracks", track, marked)


def no_tokens(setting: str, track: str, marked: Collection[str]) -> str:
    """The line for a family that marks tokens, or judges by them, and names a track that has none."""
    what = f"track {track!r} has no tokens to mark, and a family without `folds` marks tokens"
    return f"{setting}: {what}; tracks with tokens: {listed(marked)}"


def _detectors_of_rates(p: "Params") -> Iterator[str]:
    """Lines where the detector whose counts make a board's rates is not built."""
    for name, board in p.boards.items():
        settings, size = p.track(name), p.size_of(name)
        for key in type(settings).model_fields:
            named = getattr(settings, key)
            if not (isinstance(named, RateOf) and isinstance(size, Grid)):
                continue
            members = [member for family in p.detectors.values() for member in family.members_on(board.track)]
            sizes = f"sizes.{p.profile}.{board.track}"
            where = {
                part: f"boards.{name}.sizes" if part in board.sizes else sizes
                for part in ("scopes", "labels")
            }
            allowed = {
                "member": (members, f"detectors for {board.track}"),
                "scope": (size.scopes, f"{where['scopes']}.scopes"),
                "labels": (size.labels, f"{where['labels']}.labels"),
            }
            for part, (built, declared) in allowed.items():
                if (value := getattr(named, part)) not in built:
                    what = f"{part} {value!r} is not built{meant(value, built)}"
                    yield f"{p.setting_name(name, key)}: {what}; {declared}: {listed(built)}"
