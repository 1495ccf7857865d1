"""How this track asks: a question of any kind about a turn, the worked examples that prompts show, what is
repeated after a reply that could not be read, and what is read.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from truerate.config.blocks import Sampling
from truerate.core.data_files import read_data
from truerate.llm.generation import Prompted, Read
from truerate.llm.replies.reading import Parsed, cut
from truerate.tracks.asking import Prompter, Reminder
from truerate.tracks.halludial.context import Context, conversation

TRACK = "halludial"
RESPOND, ANNOTATE, INDUCE, MATCH = "respond", "annotate", "induce", "match"
DETECT, LOCATE, COMPARE, META = "detect", "locate", "compare", "meta"
# by purpose, which is also the template's name: the heading with which a prompt ends
CUES = {
    RESPOND: "Next Response",
    ANNOTATE: "Annotation",
    INDUCE: "Induced Response",
    MATCH: "Faithful Paraphrase",
    DETECT: "Is It Hallucinated",
    LOCATE: "Judgement And Reason",
    COMPARE: "Hallucinated One",
    META: "Evaluation Is",
}
FACTUALITY, FAITHFULNESS, MATCHED, REFERENCE = "factuality", "faithfulness", "matched", "reference"
KINDS = (FACTUALITY, FAITHFULNESS)
# which worked examples a prompt shows
SHOWN_IN = {ANNOTATE: "annotated", LOCATE: "annotated", INDUCE: "induced"}
PAPER = "paper"  # the `definition` of hallucination as HalluDial prints it, and who is asked by it
# the templates of that definition, by purpose; the paper has one per induced kind
OF_PAPER = {
    ANNOTATE: "annotate_paper",
    LOCATE: "locate_paper",
    DETECT: "detect_paper",
    INDUCE: "induce_{kind}",
}
_REMINDERS = {
    ANNOTATE: Reminder(TRACK, "remind_located", {"cue": CUES[ANNOTATE]}),
    LOCATE: Reminder(TRACK, "remind_located", {"cue": CUES[LOCATE]}),
    DETECT: Reminder(TRACK, "remind_verdict"),
    INDUCE: Reminder(TRACK, "remind_induced"),
    COMPARE: Reminder(TRACK, "remind_choice"),
    META: Reminder(TRACK, "remind_accuracy"),
}
_BARE_NO = "remind_located_paper"
DECLINED = ("refusal", "no-answer")  # replies without a response because the model gives none
YES_NO = {True: "yes", False: "no"}


@cache
def demonstrations() -> dict[str, list[dict[str, str]]]:
    """Return the worked examples that prompts show, by what they are (`annotated`, `induced`), and those that
    the paper's definition shows besides (`induced_more`).
    """
    return read_data(Path(__file__).with_name("demonstrations.yaml"), dict)


@cache
def paper_demonstrations(purpose: str, kind: str | None = None) -> list[dict[str, str]]:
    """Return the three worked examples of the paper's definition: annotated ones, whose No has no reason, or
    induced ones of a kind.
    """
    if purpose == INDUCE:
        whole = demonstrations()["induced"] + demonstrations()["induced_more"]
        return [shown for shown in whole if shown["kind"] == kind]
    return [
        shown | ({"annotation": "No."} if shown["annotation"].startswith("No.") else {})
        for shown in demonstrations()[SHOWN_IN[purpose]]
    ]


def reminder(question: Prompted) -> Reminder | None:
    """Return the form that is repeated after an unread reply; None where the reply is free text."""
    usual = _REMINDERS.get(question.purpose)
    return replace(usual, name=_BARE_NO) if usual and is_bare_no(question) else usual


def is_bare_no(question: Prompted) -> bool:
    """Return whether a No gets no reason: a located verdict by the paper's definition (HalluDial 2.1)."""
    return question.purpose in (ANNOTATE, LOCATE) and question.attributes.get("definition") == PAPER


class Questions(Prompter):
    """What the questions of a board are made with."""

    def question(
        self,
        purpose: str,
        model: str,
        context: Context,
        sampling: Sampling,
        attributes: dict[str, str | None],
        *,
        form: Any = None,
        may_decline: bool = False,
        is_about_turn: bool = True,
        **values: Any,
    ) -> Prompted:
        """Return a question about a turn by the template of its purpose, which shows the turn's knowledge and
        conversation, the worked examples, and `values`. Its rows hold the attributes, and (`is_about_turn`)
        which turn it is and whether the conversation is cut; where the paper's `definition` is set, that it
        is asked by it.
        """
        history, is_cut = conversation(context, self.settings.max_history_words)
        kind, template = values.get("kind"), None
        is_paper = self.settings.definition == PAPER and purpose in OF_PAPER
        if purpose in SHOWN_IN:
            usual = demonstrations()[SHOWN_IN[purpose]]
            values["demonstrations"] = paper_demonstrations(purpose, kind) if is_paper else usual
        if is_paper:
            template, attributes = OF_PAPER[purpose].format(kind=kind), attributes | {"definition": PAPER}
        turn = {**context.of_turn, "history_cut": "yes" if is_cut else None} if is_about_turn else {}
        rows = {"task": "dialogue", **attributes, **turn}
        how: dict[str, Any] = {
            "template": template,
            "form": form,
            "may_decline": may_decline,
            "knowledge": context.knowledge,
            "history": history,
        }
        return self.prompted(purpose, model, context.item_id, sampling, rows, **how, **values)


def unread(reply: str, parsed: Parsed, *asked_for: str, may_decline: bool = False) -> Read:
    """Return a reply from which nothing was read: `unparsed`, or `abstained` where it declines and may.
    `asked_for`: what of it may be cut without a note.
    """
    status = "abstained" if may_decline and parsed.reason in DECLINED else "unparsed"
    return Read(reply, status, parsed.reason, cut(parsed, *asked_for))


def read_one_of(reply: str, parsed: Parsed, name: str, words: Mapping[Any, str | None]) -> Read:
    """Return a reply with the word that stands for its value as the attribute `name`; `unparsed` without a
    value.
    """
    if parsed.value is None:
        return unread(reply, parsed, "heading")
    return Read(reply, attributes={name: words[parsed.value], **cut(parsed, "heading")})
