"""The form of a reply, repeated after one that could not be read."""

from truerate.llm.generation import Prompted
from truerate.tracks.asking import Reminder
from truerate.tracks.halludial import annotating, comparing, detecting, inducing, meta_judging

TRACK = "halludial"
_NAMED = {
    annotating.PURPOSE: Reminder(TRACK, "remind_located", {"cue": annotating.CUE}),
    detecting.LOCATE: Reminder(TRACK, "remind_located", {"cue": detecting.CUES[detecting.LOCATE]}),
    detecting.DETECT: Reminder(TRACK, "remind_verdict"),
    inducing.INDUCE: Reminder(TRACK, "remind_induced"),
    comparing.PURPOSE: Reminder(TRACK, "remind_choice"),
    meta_judging.PURPOSE: Reminder(TRACK, "remind_accuracy"),
}


def reminder(asked: Prompted) -> Reminder | None:
    """What is said after an unread reply; None where the reply is free text."""
    return _NAMED.get(asked.purpose)
