"""What each stage of dvc.yaml reads of params.yaml: the first stage writes it, a file per stage, and DVC
watches these files.

So a stage runs again when a setting that it reads has changed, and only then. Were they listed under
`params:`, dvc.lock would repeat the settings of every stage, two thirds of its lines, and DVC parses and
writes that file once per stage.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

from truerate.config import Params
from truerate.core.keys import content_id, files

# Blocks and keys of params.yaml by dots; {board}, {source}, {track} and {profile} are those of the stage,
# {families}, {models} and {endpoints} each of those that its board has, {fitted} the families that learn on
# it, {judging} its families and those that teach them, {judging_models} and {judging_endpoints} what
# published judges among these ask.
READ = {
    "sources": "sources languages seed on_bad_row",
    "dataset": "boards.{board} sources.{source} tracks.{track} models.{models} endpoints.{endpoints} languages n_shards profile"
    " sizes.{profile}.{track} seed llm.prompts_dir llm.reask llm.cut",
    "annotate": "boards.{board} sources.{source} tracks.{track} seed languages",
    "label": "boards.{board} tracks.{track} on_bad_row seed statistics",
    "train": "boards.{board} detectors.{fitted} backbones sizes.{profile}.{track} profile seed",
    "judge": "boards.{board} detectors.{judging} models.{judging_models} endpoints.{judging_endpoints} backbones"
    " sizes.{profile}.{track} profile",
    "audit": "boards.{board} audit seed statistics",
    "truth": "boards.{board} sources.{source} tracks.{track} models.{models} seed languages llm.reask",
    "score": "boards.{board} detectors.{families} tracks.{track} models.{models} statistics seed",
    "leaderboard": "boards sources models statistics seed",
    "site": "site boards sources endpoints models tracks detectors statistics audit hub.datasheets hub.partial llm.prompts_dir",
}
LARGE = (
    16 * 2**20
)  # bytes from which a file is known by its size and time: weights are not read again for each stage
OF_ALL = ("sources", "leaderboard", "site")  # stages that stand once


class Stage(NamedTuple):
    """A stage of dvc.yaml with what it is of."""

    name: str
    board: str | None = None

    @property
    def address(self) -> str:
        """Its name in DVC's commands and in dvc.lock."""
        return "@".join(filter(None, self))


def stages(p: Params) -> Iterator[Stage]:
    """Every stage that reads settings."""
    for name in READ:
        for board in [None] if name in OF_ALL else p.boards:
            yield Stage(name, board)


def judging(p: Params, board: str) -> tuple[str, ...]:
    """The families that judge a board, and those that teach them on another one."""
    families = p.families(board)
    return tuple(dict.fromkeys((*families, *(p.teacher(name, board)[0] for name in families))))


def places(p: Params, stage: Stage) -> list[str]:
    """The places in params.yaml that a stage reads, by dots; one for each of what its board has of a kind."""
    named = {"profile": p.profile, "board": stage.board}
    many: dict[str, tuple[str, ...]] = {}
    if board := stage.board:
        named |= {"track": p.board(board).track, "source": p.board(board).source}
        many = {
            "families": p.families(board), "fitted": p.fitted(board), "judging": judging(p, board),
            "models": p.models_of(board), "endpoints": p.endpoints_of(board),
            "judging_models": p.judging_models(board), "judging_endpoints": p.judging_endpoints(board),
        }  # fmt: skip
    return [
        pattern.format(**named, **{kind: name})
        for pattern in READ[stage.name].split()
        for kind in [next((kind for kind in many if f"{{{kind}}}" in pattern), "")]
        for name in many.get(kind, ("",))
    ]


def read_by(p: Params, stage: Stage) -> dict[str, object]:
    """The values that a stage reads, by place; of a track as on the stage's board; of `sources` also the
    commands' sizes.
    """
    values = {setting: _value(p, setting, stage.board) for setting in places(p, stage)}
    if stage.name == "sources":
        used, sources = p.used_sources(), cast(dict[str, object], values["sources"])
        values["sources"] = {name: sources[name] for name in used}
        of_command = {}
        for name, source in ((name, p.source(name)) for name in used):
            named = source.places()
            of_command[name] = {size: n for size, n in p.sizes_for(source).items() if size in named}
        values["sizes"] = {name: sizes for name, sizes in of_command.items() if sizes}
        if whole := whole_articles(p):
            values["articles"] = whole
    return values


def whole_articles(p: Params) -> list[str]:
    """The sources whose articles are kept whole: detectors of a board are given more than the lead."""
    return sorted({board.source for board in p.boards.values() if board.reference != "lead"})


def _value(p: Params, setting: str, board: str | None) -> object:
    """The plain value at a place; boards without the overrides that are merged into their tracks."""
    head, _, rest = setting.partition(".")
    value: Any = p.values[head]
    if head in ("boards", "sources", "backbones", "models", "endpoints"):
        return (
            _bare(head, value[rest]) if rest else {name: _bare(head, entry) for name, entry in value.items()}
        )
    if head == "tracks":
        if board:
            return p.track(board).model_dump(mode="json")
        return {name: p.track(name).model_dump(mode="json") for name in p.boards}
    if head == "sizes" and board is not None:
        return p.size_of(board).model_dump(mode="json")
    if rest and rest in value:  # names of entries may hold dots
        return value[rest]
    for part in filter(None, rest.split(".")):
        value = value[part]
    return value


def _bare(block: str, entry: Mapping[str, object]) -> dict[str, object]:
    """An entry of a block without what stands elsewhere (overrides of a board, merged into its track), what
    decides nothing (resources of a backbone's job, batches), and settings at a default that came later (so that their
    stages stand).
    """
    deciding_nothing = {"backbones": {"resources"}, "endpoints": {"batch"}}
    left_out = {"boards": {"settings", "sizes"}, **deciding_nothing}.get(block, set())
    if block == "endpoints" and entry["api"] == "openai":
        left_out.add("api")
    if block == "boards" and entry["has_detectors"]:
        left_out.add("has_detectors")
    later = {"sources": ("errata", "knowledge", "answers"), "models": ("base",)}
    left_out |= {key for key in later.get(block, ()) if entry[key] is None}
    return {key: value for key, value in entry.items() if key not in left_out}


# ---- files of the user's own that decide what a stage makes, beside its source: prompts, lists, weights ----
# DVC watches a digest of them in the file of the stage's settings, wherever they lie.
def weights_of(p: Params, board: str) -> list[str]:
    """Local folders of weights that the settings of a board's track name."""
    track = p.track(board)
    return _folders(track.setting(key) for key in track.weights_in)


def own_files(p: Params, stage: Stage) -> list[str]:
    """Return what of the user's own a stage reads, as far as it is there: a path for each."""
    if stage.board is None:
        of_site = [p.llm.prompts_dir] if stage.name == "site" else []
        return [path for path in of_site if path and Path(path).exists()]
    read, paths = places(p, stage), []
    if any(setting.startswith("tracks.") for setting in read):
        paths += weights_of(p, stage.board)
    if stage.name == "dataset":
        others = [p.source(name) for name in p.track(stage.board).sources()]
        folders = [source.path for source in others if not source.make]
        candidates = (p.llm.prompts_dir, *p.track(stage.board).files(), *folders)
        paths += [path for path in candidates if path and Path(path).exists()]
    if "backbones" in read:
        paths += _folders(backbone.weights for backbone in p.backbones.values())
    families = (
        [p.detectors[name] for name in judging(p, stage.board)] if stage.name in ("train", "judge") else []
    )
    paths += _folders(entailer.weights for family in families for entailer in family.entailment.values())
    published = [detector for family in families for detector in family.published.values()]
    paths += _folders(path for detector in published for path in (detector.weights, detector.base))
    return list(dict.fromkeys(paths))


def _folders(values: Iterable[str | None]) -> list[str]:
    """Those of the values that are local folders, not Hub ids or words such as `tiny`."""
    return [value for value in values if value and Path(value).expanduser().is_dir()]


def stamp_of(path: str) -> str:
    """Return what tells whether a file or folder changed: names and bytes; of large files names, sizes and
    times.
    """
    folder, states = Path(path).expanduser(), []
    for file in files(folder):
        facts = file.stat()
        state: list[object] = [facts.st_size, facts.st_mtime_ns]
        if facts.st_size < LARGE:
            state = [hashlib.sha256(file.read_bytes()).hexdigest()]
        states.append([file.relative_to(folder).as_posix(), state])
    return content_id(states)
