"""The form of a reply, repeated after one that could not be read: names, one word, facts, verdicts."""

from truerate.llm.generation import Prompted
from truerate.tracks.asking import Reminder
from truerate.tracks.wildhallucinations.domains import DOMAINS
from truerate.tracks.wildhallucinations.entities import DOMAIN

TRACK = "wildhallucinations"


def reminder(asked: Prompted) -> Reminder:
    """What is said after an unread reply; each purpose has a template of its own."""
    values = {"domains": DOMAINS} if asked.purpose == DOMAIN else {}
    return Reminder(TRACK, f"remind_{asked.purpose}", values)
