"""What of params.yaml and dvc.lock is one board's own: it goes out beside the board's data, so that others
can build the same again.

Nothing of another board is in it: no name, no endpoint, no setting of its track, no comment. What another
board, a comment or a budget changes, changes no byte of it.
"""

from collections.abc import Collection, Mapping

import yaml

from truerate.config import Params
from truerate.config.stage_settings import Stage, stages
from truerate.core.errors import TruerateError

SHARED = (
    "profile",
    "seed",
    "languages",
    "n_shards",
    "on_bad_row",
    "paths",
    "audit",
    "statistics",
)  # read by stages of every board
IMPORT = Stage("sources")  # makes what a board's data set is built from; those of the other sources with it
SITE = Stage("site")


def own_settings(p: Params, board: str) -> str:
    """A params.yaml that declares one board alone with what its stages read, as YAML; what decides no row of
    it is neutral: no budget, no allowed addresses, the board's name as title.
    """
    values, track = p.values, p.track(board)
    named, source = p.board(board).track, p.board(board).source
    models = {*track.models(), *p.judging_models(board)}
    make = p.source(source).make or ""
    # the tracks whose sizes the command of the source is told: `{<track>_<size>}`, or by a name of their own
    sized = {
        name
        for name, size in p.size.items()
        if f"{{{name}_" in make or any(f"{{{other}}}" in make for other in size.named())
    }
    sizes = _only(values["sizes"][p.profile], sized)
    endpoints = {p.models[alias].endpoint for alias in models} | set(track.endpoints())
    families = {
        name: _family(values["detectors"][name], p.members(name, board), named)
        for name in p.families(board)
        if p.detectors[name].learns_from in (None, board)  # a board that teaches them is not declared there
    }
    members = [member for family in families.values() for member in family["members"]]
    members += [
        judge["backbone"] or "" for family in families.values() for judge in family["judges"].values()
    ]
    kept = {name: values[name] for name in SHARED} | {
        "sizes": {p.profile: sizes | {named: p.size_of(board).model_dump(mode="json")}},
        "sources": {source: _own_source(p, board)},
        "boards": {board: values["boards"][board] | {"settings": {}, "sizes": {}}},
        "public_data": {},
        "endpoints": _only(values["endpoints"], endpoints),
        "models": _only(values["models"], models),
        "llm": values["llm"] | {"budget_usd": None, "budget_tokens": None},
        "tracks": {named: track.model_dump(mode="json")},
        "detectors": families,
        "backbones": _only(values["backbones"], members),
        "site": values["site"] | {"title": board},
        "hub": values["hub"] | {"allow_emails": [], "allow_paths": [], "datasheets": {}},
    }
    head = f"# What the stages of board {board} read; the settings of other boards are not in it.\n"
    return head + _yaml({name: kept[name] for name in values if name in kept})


def own_lock(p: Params, board: str | None, text: str) -> str:
    """Stages of one board in a dvc.lock, as YAML, without hashes of shared files; of the site (None) its own
    stage. Raises TruerateError.
    """
    try:
        content = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        entries, version = content["stages"], content["schema"]
        addresses = [
            stage.address
            for stage in stages(p)
            if (stage == IMPORT or stage.board == board if board else stage == SITE)
        ]
        kept = {address: _entry(p, entries[address]) for address in addresses if address in entries}
    except (yaml.YAMLError, KeyError, TypeError, AttributeError) as error:
        line = " ".join(str(error).split())[:120]
        what = f"board {board!r}" if board else "the site"
        raise TruerateError(f"publishing {what}: dvc.lock cannot be read ({line}); run `dvc repro`") from None
    return _yaml({"schema": version, "stages": kept})


def _entry(p: Params, entry: Mapping) -> dict:
    """A stage of the lock without the hashes of what it shares with other boards."""
    shared = (p.paths.sources, f"{p.paths.build}/settings/")
    cut = {
        key: [
            file
            for file in entry[key]
            if file["path"] != shared[0] and not file["path"].startswith(shared[1])
        ]
        for key in ("deps", "outs")
        if key in entry
    }
    return {key: value for key, value in {**entry, **cut}.items() if value}


def _family(values: Mapping, members: Collection[str], track: str) -> dict:
    """A family of detectors with those of its members that judge one track."""
    grid = [
        {**part, "members": of_part}
        for part in values["grid"]
        if (of_part := [name for name in part["members"] if name in members])
    ]
    only = {name: [track] for name in values["only"] if name in members}
    by_member = {key: _only(values[key], members) for key in ("entailment", "judges", "published")}
    return {**values, "tracks": [track], "members": list(members), "only": only, "grid": grid, **by_member}


def _own_source(p: Params, board: str) -> dict:
    """The board's source; sizes that its command takes from other boards stand in it as numbers."""
    name = p.board(board).source
    entry = p.values["sources"][name]
    source, alone = p.source(name), p.model_copy(update={"boards": {board: p.board(board)}})
    own_sizes = alone.sizes_for(source)
    for key, n in p.sizes_for(source).items():
        if entry["make"] and n != own_sizes[key]:
            entry = entry | {"make": entry["make"].replace(f"{{{key}}}", str(n))}
    return entry


def _only(values: Mapping, names: Collection[str]) -> dict:
    """The entries of these names, in their order."""
    return {name: value for name, value in values.items() if name in names}


def _yaml(values: Mapping) -> str:
    return yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=1000)
