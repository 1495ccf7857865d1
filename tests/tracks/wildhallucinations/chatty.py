"""A few chats by hand, and replies about the names in them."""

from truerate.core.keys import content_id
from truerate.core.schemas import Item, frame, pairs
from truerate.core.text import name_key
from truerate.llm.generation import Prompted, Read, generation, generations
from truerate.llm.request import Reply, Request
from truerate.tracks.wildhallucinations.names import entity_id, read_names

SOURCE = "s"


def chat(conversation, text, turn=1):
    ids = {"item_id": content_id(conversation, turn, text), "group_id": content_id(conversation)}
    shared = {"source": SOURCE, "task": "chat", "lang": "en", "document_ids": [], "history": ""}
    attributes = pairs(conversation=conversation, turn=turn)
    return ids | shared | {"question": text, "right_answer": None, "attributes": attributes}


def chats(*rows):
    return frame(Item, list(rows))


def reply(text, reason=None):
    return Reply(
        content_id(text, reason), "dead" if reason else "ok", text, "stop", reason, None, None, 0.0, False
    )


def extracted(*answers):
    """Rows of `extract` from pairs of a chat's row and the reply about it."""
    rows = []
    for row, text in answers:
        asked = Prompted(Request("m", ()), row["item_id"], "extract")
        rows.append(generation(asked, reply(text), read_names(text, row["question"])))
    return generations(rows)


def judged(**answers):
    """Rows of `curate`: what was said of each name, in the order of the three calls; a word `?` is an
    unparsed reply, `!` a dead one.
    """
    rows = []
    for name, words in answers.items():
        for call, word in zip(("verify", "disambiguate", "domain"), words, strict=False):
            asked = Prompted(
                Request("m", ()),
                entity_id(SOURCE, name_key(name)),
                call,
                {"name": name, "key": name_key(name)},
            )
            read = Read(word, "unparsed", "absent") if word == "?" else Read(word)
            rows.append(generation(asked, reply(word, "timeout" if word == "!" else None), read))
    return generations(rows)


GOOD = ("entity", "one", "geographic")
