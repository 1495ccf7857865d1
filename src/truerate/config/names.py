"""Names that one block of params.yaml uses and another declares, and settings of two blocks that must fit
together.

Each mistake is one line that begins with the place of the setting: `tracks.halueval.subjects: model 'gpt4' is
not declared; …`.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from truerate.config.models import shared_identity
from truerate.config.yaml_faults import block_in
from truerate.core.errors import listed, meant

if TYPE_CHECKING:
    from truerate.config import Params


def undeclared(p: "Params") -> Iterator[str]:
    """A line for every name that is declared nowhere."""
    lost: dict[tuple[str, str], list[str]] = {}
    allowed: dict[str, Collection[str]] = {}
    for place, kind, name, declared in _used(p):
        if name not in declared:
            allowed[kind] = declared
            lost.setdefault((kind, name), []).append(place)
    for (kind, name), places in lost.items():
        where = ", ".join(dict.fromkeys(places))
        yield f"{where}: {kind} {name!r} is not declared{meant(name, allowed[kind])}; declared: {listed(allowed[kind])}"
    yield from _without_block(p)


def _without_block(p: "Params") -> Iterator[str]:
    """Boards whose track has no settings or sizes: a track that no board runs needs none."""
    for name, board in p.boards.items():
        for place, blocks in (("tracks", p.tracks), (f"sizes.{p.profile}", p.sizes.get(p.profile))):
            if blocks and getattr(blocks, board.track, p) is None:
                there = listed(track for track, block in blocks if block)
                yield f"board {name!r}: track {board.track!r} has no block under `{place}`; there: {there}"


def _used(p: "Params") -> Iterator[tuple[str, str, str, Collection[str]]]:
    """Every name with the place where it stands, what kind of thing it names, and the names that there are."""
    tracks = tuple(type(p.tracks).model_fields)
    yield "profile", "profile", p.profile, p.sizes
    for name, board in p.boards.items():
        yield f"boards.{name}.source", "source", board.source, p.sources
        yield f"boards.{name}.track", "track", board.track, tracks
    for name, public in p.public_data.items():
        yield f"public_data.{name}.track", "track", public.track, tracks
    for alias, model in p.models.items():
        yield f"models.{alias}.endpoint", "endpoint", model.endpoint, p.endpoints
    for track, settings in p.tracks:
        for key, alias in settings.asked() if settings else ():
            yield f"tracks.{track}.{key}", "model", alias, p.models
    if wild := p.tracks.wildhallucinations:
        for key, endpoint in {
            "search.endpoint": wild.search.endpoint,
            "fetch.proxy": wild.fetch.proxy,
        }.items():
            if endpoint is not None:
                yield f"tracks.wildhallucinations.{key}", "endpoint", endpoint, p.endpoints
        for alias in wild.panel or ():
            yield "tracks.wildhallucinations.panel", "model", alias, p.models
    for name, family in p.detectors.items():
        for track in family.tracks:
            yield f"detectors.{name}.tracks", "track", track, tracks


def mismatched(p: "Params") -> Iterator[str]:
    """A line for every two settings that do not fit together; asked where all names are declared."""
    if aliases := shared_identity(p.models, p.endpoints):
        named, model = (
            " and ".join(f"models.{alias} (endpoint {p.models[alias].endpoint!r})" for alias in aliases),
            p.models[aliases[0]],
        )
        hint = "give each an `identity:` of its own, such as <weights>@<revision>-<quantisation>"
        yield f"{named} would share their replies as {model.identity or model.model!r}; {hint}"
    yield from _detectors(p)
    yield from _detector_of_rates(p)
    wild = p.tracks.wildhallucinations
    for alias in (wild and wild.panel) or ():
        if alias not in wild.subjects:
            what = f"{alias!r} is no subject{meant(alias, wild.subjects)}; subjects: {listed(wild.subjects)}"
            yield f"tracks.wildhallucinations.panel: {what}"


def _detectors(p: "Params") -> Iterator[str]:
    """Families whose members cannot judge a track, and rows that would bear one name."""
    tokens = [
        name for name, field in type(p.tracks).model_fields.items() if block_in(field.annotation).marks_tokens
    ]
    for name, family in p.detectors.items():
        if not family.folds:
            for track in family.tracks:
                if track not in tokens:
                    what = f"track {track!r} has no tokens to mark, and a family without `folds` marks tokens"
                    yield f"detectors.{name}.tracks: {what}; tracks with tokens: {listed(tokens)}"
        for member in family.members:
            if member in p.models:
                yield f"models.{member}: a detector of detectors.{name} has this name too and both are rows; rename the model"
    for track in type(p.tracks).model_fields:
        times = Counter(member for family in p.detectors.values() for member in family.members_on(track))
        for member in [member for member, n in times.items() if n > 1]:
            families = [name for name, family in p.detectors.items() if member in family.members_on(track)]
            yield f"detectors.{families[-1]}.members: {member!r} is a member of {families[0]!r} too, and both are rows of {track}'s boards"


def _detector_of_rates(p: "Params") -> Iterator[str]:
    """The detector whose counts make mFAVA's rates is one that is built: else its boards would have no rates
    and nobody would know why.
    """
    if all(board.track != "mfava" for board in p.boards.values()):
        return
    named, size = p.tracks.mfava.detector, p.size.mfava
    members = [name for family in p.detectors.values() for name in family.members_on("mfava")]
    where = f"sizes.{p.profile}.mfava"
    allowed = {"member": (members, "detectors for mfava"), "scope": (size.scopes, f"{where}.scopes")}
    allowed |= {"labels": (size.labels, f"{where}.labels")}
    for key, (built, declared) in allowed.items():
        if (value := getattr(named, key)) not in built:
            yield f"tracks.mfava.detector: {key} {value!r} is not built{meant(value, built)}; {declared}: {listed(built)}"
