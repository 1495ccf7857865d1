"""What a plan assumes of a reply that has not come: one that leads to the most further questions.

Every response can be read and is annotated as hallucinated, every verdict is located. The number of calls is
therefore an upper bound, and exact once everything is stored.
"""

from collections.abc import Iterable
from typing import Any

from truerate.config import Backbone, Params
from truerate.core.keys import content_id
from truerate.llm import Request
from truerate.tracks.gpu_cost import READ, GpuHours, GridCell, hours
from truerate.tracks.halludial import comparing
from truerate.tracks.halludial.prompting import ANNOTATE, COMPARE, CUES, DETECT, INDUCE, LOCATE, META

__all__ = ["FIRST_DRAWN", "assumed", "gpu_hours"]

# Sizes whose first texts stay the same whatever the size (`context.chosen`): a probe cuts them.
FIRST_DRAWN = ("dialogues", "tempered", "located", "compared", "natural", "meta")
_SAID = {
    CUES[DETECT]: "Yes.",
    CUES[COMPARE]: comparing.NAMES[0],
    CUES[META]: "Accurate",
}


def assumed(step: str, key: str, request: Request, settings: Any) -> str:
    """A text of the form that the prompt's last line asks for; responses differ from one another."""
    cue = request.messages[-1]["content"].rstrip().rsplit("\n", 1)[-1].strip("#:")
    text = f"assumed {content_id(key)}"
    if cue in (CUES[ANNOTATE], CUES[LOCATE]):
        return f'Yes. The segment "assumed" is assumed, because {text}'
    if cue == CUES[INDUCE]:
        return f'{text}\n#Segment#: "{text}"\n#Rationale#: assumed'
    return _SAID.get(cue, text)


# ---- What the judges of a board that are networks cost in GPU hours: arithm --------------------------------


TURNS = 18_357 / 4_094  # of a dialogue, as published
TOKENS = (
    400  # of a prompt with its completion (reckoned: 88,113 rows are about 70 million tokens in two epochs)
)
OF_A_TURN = 4  # texts beside the responses: two induced ones, the reference and its paraphrase
LEARNED = {True: 3 * READ, False: 4 * READ}  # operations per parameter and token; with LoRA or without


def gpu_hours(p: Params, board: str, cells: Iterable[GridCell]) -> list[GpuHours]:
    """The hours of every judge whose backbone says its size (`resources.size_b`), once per seed. `cells`, those of
    detectors that mark tokens, are none here. A judge that learned on another board judges alone.
    """
    found, n_seeds = [], len(p.size_of(board).seeds)
    for name in p.families(board):
        family = p.detectors[name]
        for member, how in family.judges.items():
            backbone = p.backbones.get(how.backbone or "")
            if backbone is None or not backbone.resources.size_b:
                continue
            taught = 1 - 1 / how.folds if family.learns_on(board) else 0.0
            learned = training_hours(p, board, backbone, taught=taught) if taught else 0.0
            judged = judging_hours(p, board, backbone)
            found.append(GpuHours(member, n_seeds, n_seeds * learned, n_seeds * judged))
    return found


def training_hours(p: Params, board: str, backbone: Backbone, *, taught: float) -> float:
    """Hours of one training: of the texts of the training dialogues the share that is taught for so many epochs,
    the others read once.
    """
    n = p.track(board).split.train * _turns(p, board) * _texts_of_a_turn(p, board)
    learned = taught * n * backbone.epochs
    if backbone.max_steps is not None:
        learned = min(learned, backbone.max_steps * backbone.batch * backbone.accumulation)
    each = LEARNED[backbone.lora is not None] * learned + READ * (1 - taught) * n
    return hours(backbone, each * TOKENS)


def judging_hours(p: Params, board: str, backbone: Backbone) -> float:
    """Hours of one judge over the texts of the test dialogues, their responses in self history and those at other
    temperatures.
    """
    track, size = p.track(board), p.size_of(board)
    n_test = (1 - track.split.train) * _turns(p, board)
    n_responders = len(track.responders)
    tempered = size.tempered * TURNS * len(track.temperatures) * n_responders
    n = n_test * (_texts_of_a_turn(p, board) + n_responders) + tempered
    return hours(backbone, READ * n * TOKENS)


def _turns(p: Params, board: str) -> float:
    """Turns of the board's dialogues; 0 where a set is taken whole, whose size no setting says."""
    return (p.size_of(board).dialogues or 0) * TURNS


def _texts_of_a_turn(p: Params, board: str) -> int:
    return len(p.track(board).responders) + OF_A_TURN
