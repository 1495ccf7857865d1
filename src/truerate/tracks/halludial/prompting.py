"""How this track asks: a question of any kind about a turn, the worked examples that prompts show, what is
repeated after a reply that could not be read, and what is read.
"""

from collections.abc import Mapping
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
_REMINDERS = {
    ANNOTATE: Reminder(TRACK, "remind_located", {"cue": CUES[ANNOTATE]}),
    LOCATE: Reminder(TRACK, "remind_located", {"cue": CUES[LOCATE]}),
    DETECT: Reminder(TRACK, "remind_verdict"),
    INDUCE: Reminder(TRACK, "remind_induced"),
    COMPARE: Reminder(TRACK, "remind_choice"),
    META: Reminder(TRACK, "remind_accuracy"),
}
DECLINED = ("refusal", "no-answer")  # replies without a response because the model gives none
YES_NO = {True: "yes", False: "no"}


@cache
def demonstrations() -> dict[str, list[dict[str, str]]]:
    """Return the worked examples that prompts show, by what they are (`annotated`, `induced`)."""
    return read_data(Path(__file__).with_name("demonstrations.yaml"), dict)


def reminder(question: Prompted) -> Reminder | None:
    """Return the form that is repeated after an unread reply; None where the reply is free text."""
    return _REMINDERS.get(question.purpose)


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
        which turn it is and whether the conversation is cut.
        """
        history, is_cut = conversation(context, self.settings.max_history_words)
        if purpose in SHOWN_IN:
            values["demonstrations"] = demonstrations()[SHOWN_IN[purpose]]
        turn = {**context.of_turn, "history_cut": "yes" if is_cut else None} if is_about_turn else {}
        rows = {"task": "dialogue", **attributes, **turn}
        how: dict[str, Any] = {
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
