"""HalluDial as the stages know it, and what a plan assumes of a reply that has not come: one that leads to
the most further questions, so that the number of calls is an upper bound, and exact once everything is
stored.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from truerate.config import Backbone, Params
from truerate.core.keys import content_id
from truerate.llm.request import Request
from truerate.tracks.halludial import context, dataset, labels, published, scores, steps
from truerate.tracks.halludial.judging import NAMES
from truerate.tracks.halludial.prompting import (
    ANNOTATE,
    COMPARE,
    CUES,
    DETECT,
    INDUCE,
    LOCATE,
    META,
    OF_PAPER,
    PAPER,
)
from truerate.tracks.halludial.published import public_tables
from truerate.tracks.halludial.settings import Settings, Sizes
from truerate.tracks.halludial.settings import faults as setting_faults
from truerate.tracks.protocol import READ, GpuHours, GridCell, Protocol, hours

# Sizes whose first texts stay the same whatever the size (`context.chosen`): a probe cuts them.
FIRST_DRAWN = ("dialogues", "tempered", "located", "compared", "natural", "meta")
_WORDS = {CUES[DETECT]: "Yes.", CUES[COMPARE]: NAMES[0], CUES[META]: "Accurate"}


def assumed(step: str, key: str, request: Request, settings: Any) -> str:
    """Return a text of the form that the prompt's last line asks for; responses differ from one another."""
    cue = request.messages[-1]["content"].rstrip().rsplit("\n", 1)[-1].strip("#:")
    text = f"assumed {content_id(key)}"
    if cue in (CUES[ANNOTATE], CUES[LOCATE]):
        return f'Yes. The segment "assumed" is assumed, because {text}'
    if cue == CUES[INDUCE]:
        return f'{text}\n#Segment#: "{text}"\n#Rationale#: assumed'
    return _WORDS.get(cue, text)


# ---- GPU hours, from settings alone ------------------------------------------------------------------------


TURNS = 18_357 / 4_094  # of a dialogue, as published
TOKENS = 400  # of a prompt with its completion (of 88,113 rows about 70 million tokens in two epochs)
OF_A_TURN = 4  # texts beside the responses: two induced ones, the reference and its paraphrase
TRAINED = {True: 3 * READ, False: 4 * READ}  # operations per parameter and token; with LoRA or without


def gpu_hours(p: Params, board: str, cells: Iterable[GridCell]) -> list[GpuHours]:
    """Return the hours of every judge whose backbone says its size (`resources.size_b`), once per seed. A
    judge that learned on another board judges alone; `cells`, those of detectors that mark tokens, are none
    here.
    """
    costs, n_seeds = [], len(p.size_of(board).seeds)
    for name in p.families(board):
        family, judges = p.detectors[name], p.detectors[p.teacher(name, board)[0]].judges
        for member, how in (
            (member, judges[member]) for member in p.members(name, board) if member in judges
        ):
            backbone = p.backbones.get(how.backbone or "")
            if backbone is not None and backbone.resources.size_b:
                share = 1 - 1 / how.folds if family.learns_on(board) else 0.0
                training = training_hours(p, board, backbone, share=share) if share else 0.0
                judging = judging_hours(p, board, backbone)
                costs.append(GpuHours(member, n_seeds, n_seeds * training, n_seeds * judging))
    return costs


def training_hours(p: Params, board: str, backbone: Backbone, *, share: float) -> float:
    """Return the hours of one training: of the texts of the training dialogues this share is trained on for
    so many epochs, the others are read once.
    """
    n = p.track(board).split.train * _turns(p, board) * _texts_of_a_turn(p, board)
    trained = share * n * backbone.epochs
    if backbone.max_steps is not None:
        trained = min(trained, backbone.max_steps * backbone.batch * backbone.accumulation)
    each = TRAINED[backbone.lora is not None] * trained + READ * (1 - share) * n
    return hours(backbone, each * TOKENS)


def judging_hours(p: Params, board: str, backbone: Backbone) -> float:
    """Return the hours of one judge over the texts of the test dialogues and all responses to them."""
    track, size = p.track(board), p.size_of(board)
    n_responders = len(track.responders)
    tempered = size.tempered * TURNS * len(track.temperatures) * n_responders
    n = (1 - track.split.train) * _turns(p, board) * (_texts_of_a_turn(p, board) + n_responders) + tempered
    return hours(backbone, READ * n * TOKENS)


def _turns(p: Params, board: str) -> float:
    """Turns of the board's dialogues; 0 where a set is taken whole, whose size no setting says."""
    return (p.size_of(board).dialogues or 0) * TURNS


def _texts_of_a_turn(p: Params, board: str) -> int:
    return len(p.track(board).responders) + OF_A_TURN


# ---- the protocol ------------------------------------------------------------------------------------------


def template(settings: Settings, purpose: str, attributes: Mapping[str, Any]) -> str:
    """Return the template of a reply's prompt: of the paper's definition where it was asked by that one."""
    is_paper = attributes["definition"] == PAPER
    return OF_PAPER[purpose].format(kind=attributes["kind"]) if is_paper else purpose


class HalluDial(Protocol):
    """Hallucination in dialogues: detection, localization and rationale; spontaneous and induced."""

    name = "halludial"
    settings, sizes = Settings, Sizes
    step_functions = {
        "respond": steps.respond,
        "annotate": steps.annotate,
        "induce": steps.induce,
        "detect": steps.detect,
        "meta": steps.meta,
    }
    contexts = staticmethod(context.contexts)
    exported = staticmethod(steps.exported)
    score = staticmethod(scores.score)
    label = staticmethod(labels.label)
    topics = staticmethod(steps.topics)
    training, targets = staticmethod(dataset.training), staticmethod(dataset.targets)
    faults = staticmethod(setting_faults)
    public_tables = staticmethod(public_tables)
    claims = published.CLAIMS
    alike = scores.ALIKE
    assumed = staticmethod(assumed)
    template = staticmethod(template)
    first_drawn = FIRST_DRAWN
    text_notes = staticmethod(steps.text_notes)
    gpu_hours = staticmethod(gpu_hours)


PROTOCOL = HalluDial()
