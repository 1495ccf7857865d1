"""What each stage of dvc.yaml reads of params.yaml: the first stage writes it, a file per stage, and DVC
watches these files.

So a stage runs again when a setting that it reads has changed, and only then. Were they listed under
`params:`, dvc.lock would repeat the settings of every stage, two thirds of its lines, and DVC parses and
writes that file once per stage.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

from truerate.config import Params, Source

# Blocks and keys of params.yaml by dots; {board}, {source}, {track} and {profile} are those of the stage,
# {families}, {models} and {endpoints} each of those that its board has, {fitted} the families that learn on
# it, {judging} its families and those that teach them, {judging_models} and {judging_endpoints} what published
# judges among these ask.
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
    "leaderboard": "boards models statistics seed",
    "site": "site boards sources endpoints models tracks detectors statistics audit",
}
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
    """The values that a stage reads, by place; of a track as on the stage's board; of `sources` also the commands' sizes."""
    values = {setting: _value(p, setting, stage.board) for setting in places(p, stage)}
    if stage.name == "sources":
        used, sources = p.used_sources(), cast(dict[str, object], values["sources"])
        values["sources"] = {name: sources[name] for name in used}
        sizes = {name: _sizes_told(p, p.source(name)) for name in used}
        values["sizes"] = {name: of for name, of in sizes.items() if of}
        if whole := whole_articles(p):
            values["articles"] = whole
    return values


def whole_articles(p: Params) -> list[str]:
    """The sources whose articles are kept whole: detectors of a board are given more than the lead."""
    return sorted({board.source for board in p.boards.values() if board.reference != "lead"})


def _sizes_told(p: Params, source: Source) -> dict[str, int]:
    """The sizes that the command of a source is given."""
    return {name: n for name, n in p.sizes_told(source).items() if name in source.places()}


def _value(p: Params, setting: str, board: str | None) -> object:
    """The plain value at a place; boards without the overrides that are merged into their tracks."""
    head, _, rest = setting.partition(".")
    value: Any = p.values[head]
    if head in ("boards", "sources", "backbones"):
        bare = {"boards": _board, "sources": _source, "backbones": _backbone}[head]
        return bare(value[rest]) if rest else {name: bare(of) for name, of in value.items()}
    if head == "tracks":
        return (
            p.track(board).model_dump(mode="json")
            if board
            else {b: p.track(b).model_dump(mode="json") for b in p.boards}
        )
    if head == "sizes" and board is not None:
        return p.size_of(board).model_dump(mode="json")
    if rest and rest in value:  # names of entries may hold dots
        return value[rest]
    for part in filter(None, rest.split(".")):
        value = value[part]
    return value


def _board(board: Mapping[str, object]) -> dict[str, object]:
    """A board without what stands elsewhere; one that has detectors, as boards do, says nothing of it."""
    return _without(board, "settings", "sizes", *(("has_detectors",) if board["has_detectors"] else ()))


def _source(source: Mapping[str, object]) -> dict[str, object]:
    """A source; one without errata, as sources are, says nothing of them."""
    return _without(source, *(("errata",) if source["errata"] is None else ()))


def _backbone(backbone: Mapping[str, object]) -> dict[str, object]:
    """A backbone without what a job of a cluster needs, which decides nothing."""
    return _without(backbone, "resources")


def _without(values: Mapping[str, object], *names: str) -> dict[str, object]:
    return {key: value for key, value in values.items() if key not in names}
