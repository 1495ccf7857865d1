"""The form of a reply, repeated after one that could not be read: a verdict, or one of two texts."""

from truerate.llm.generation import Prompted
from truerate.tracks.asking import Reminder
from truerate.tracks.halueval.filtering import NOUNS
from truerate.tracks.halueval.filtering import PURPOSE as FILTER
from truerate.tracks.halueval.recognition import CONTRAST_CUE
from truerate.tracks.halueval.recognition import PURPOSE as RECOGNISE

TRACK = "halueval"


def reminder(asked: Prompted) -> Reminder | None:
    """What is said after an unread reply of recognition or filtering; None for every other purpose."""
    if asked.purpose not in (FILTER, RECOGNISE):
        return None
    noun = NOUNS.get(asked.attributes["task"] or "", "Response")
    if asked.purpose == FILTER:
        return Reminder(TRACK, "remind_choice", {"noun": noun, "cue": f"Best {noun}"})
    if asked.attributes["variant"] == "contrast":
        return Reminder(TRACK, "remind_choice", {"noun": noun, "cue": CONTRAST_CUE})
    return Reminder(TRACK, "remind_verdict", {"noun": noun.lower()})
