"""The stages of the boards of public files: one per board, in one process, of the same steps as the stages of dvc.yaml.

A process that starts costs more than most of these steps do. What is made at once is watched at once: a board is made
again as a whole where any of what it is made from has changed.
"""

from pathlib import Path

import yaml

from truerate.config.layout import Layout
from truerate.config.places import clear
from truerate.config.stage_settings import Stage
from truerate.core.errors import TruerateError
from truerate.core.schemas import Score, frame, save
from truerate.core.terminal import say
from truerate.flow import dataset, detect, evaluate, graph, sources
from truerate.flow.guard import write_text
from truerate.real.stages import STAGE

COMMAND = "board-of-files"
STEPS = ("sources", "dataset", "annotate", "label", "train", "judge", "audit", "truth", "score")
WATCHED = ("dataset", "label", "train", "judge", "audit", "score")  # whose settings a board's stage watches
OWN = (
    "${paths.sources}",
    "${paths.datasets}",
    "${paths.annotations}",
    "${paths.labels}",
    "${paths.detectors}",
)
OUTS = (
    *OWN,
    "${paths.judgements}",
    "${paths.scores}",
)  # folders of a board by its name; its source bears it, too
FILES = ("${paths.audits}", "${paths.truth}")  # a file per board


def write_stages(work: Path) -> None:
    """Write the work folder's dvc.yaml anew: the stages of a board as one."""
    place = work / "dvc.yaml"
    place.write_text(
        yaml.safe_dump(joined(yaml.safe_load(place.read_text("utf-8"))), sort_keys=False), "utf-8"
    )


def joined(pipeline: dict) -> dict:
    """A pipeline (dvc.yaml as it is read) whose stages of STEPS are one stage `board`, a case per board. It watches what they
    watch and do not write themselves, and the board's digest of the public files.
    """
    stages = pipeline["stages"]
    inner = [(stages[name], stages[name].get("do", stages[name])) for name in STEPS]
    watched = [dep for _, do in inner for dep in do["deps"]]
    code = [dep for dep in watched if dep.startswith("src/") or dep.startswith("rules/")]
    settings = [f"${{paths.build}}/settings/{name}/${{key}}.json" for name in WATCHED]
    outs = [f"{folder}/${{key}}" for folder in OUTS] + [f"{folder}/${{key}}.parquet" for folder in FILES]
    stage = {
        "desc": "public files become a board: read, laid out by its track, judged and scored",
        "cmd": f"python -m truerate {COMMAND} ${{key}}",
        "deps": list(dict.fromkeys([*settings, "${paths.inputs}/${key}.digest", *code])),
        "outs": [{out: {"persist": True}} for out in outs],
    }
    rest = {name: value for name, value in stages.items() if name not in STEPS}
    first = {name: rest.pop(name) for name in ("check",)}
    return pipeline | {"stages": {**first, STAGE: {"foreach": "${boards}", "do": stage}, **rest}}


def make_board(at: Layout, board: str) -> None:
    """Make a board of public files from its files to its scores, in this process. Nobody labels it anew and nothing is planted
    in it, so those tables are empty.
    """
    sources.import_source(at, at.p.board(board).source)
    _lay_out(at, board)
    write_text(at.annotations(board), "")
    evaluate.label(at, board)
    detect.train(at, board)
    detect.judge(at, board)
    evaluate.audit(at, board)
    save(Score, frame(Score), at.truth(board))
    evaluate.score(at, board)


def _lay_out(at: Layout, board: str) -> None:
    """The board's data set; where models of the user's are asked about it, by the rules of its track, as in any build."""
    if not graph.for_export(at, board):
        clear(at, Stage("dataset", board))
        dataset.export(at, board, at.dataset(board, "card.json"), [])
        return
    from truerate.flow.making import make

    say(f"{board}: models are asked")
    if make("rules/track.smk", at.dataset(board, "card.json")):
        raise TruerateError(f"board {board!r}: asking its models ended early; the lines above say why")
