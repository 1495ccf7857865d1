"""How the corpora of facts, verdicts on claims, names, domains, tagged passages and abstentions are read: for each
the reader, from a row to a value in the form of its labels.
"""

from collections.abc import Callable
from typing import Any

from truerate.llm.replies.claim_verdicts import read_verdicts
from truerate.llm.replies.lists.facts import read_facts
from truerate.llm.replies.lists.names import read_names
from truerate.llm.replies.texts.abstaining import is_abstention
from truerate.tracks.mfava.silver import read_insertion
from truerate.tracks.wildhallucinations.names import parse_domain

from .corpus import load

MAX_WORDS = 6  # of a replacement, as in params.yaml


def facts(row: dict[str, Any]) -> dict[str, Any] | None:
    """The facts by sentence from 1, and whether all of the reply was read."""
    read = read_facts(row["text"], row["context"]["sentences"]).value
    if read is None:
        return None
    facts_by_sentence = [[position + 1, fact] for position, fact in read.facts]
    return {"facts": facts_by_sentence, "is_whole": not read.missed and not read.n_malformed}


def verdict(row: dict[str, Any]) -> str | None:
    """The verdict on one claim of a reply (`context.place`, from 0)."""
    claim_verdict = read_verdicts(row["text"], row["context"]["claims"]).value[row["context"]["place"]]
    return None if isinstance(claim_verdict, str) else "not supported" if claim_verdict else "supported"


def names(row: dict[str, Any]) -> list[str] | None:
    """The names that are listed."""
    read = read_names(row["text"], row["context"]["message"], "Proper Nouns").value
    return None if read is None else list(read.names)


def domain(row: dict[str, Any]) -> str | None:
    """The domain that is named."""
    return parse_domain(row["text"]).value


def passage(row: dict[str, Any]) -> str | None:
    """The passage with its tags."""
    given = row["context"]
    read = read_insertion(row["text"], given["before"], given["type"], max_words=MAX_WORDS)
    return read.text if read.status == "ok" else None


def abstention(row: dict[str, Any]) -> bool:
    """Whether the reply abstains by the rule `measured`."""
    return is_abstention(row["text"])


READERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "facts": facts, "verifier": verdict, "names": names, "domains": domain, "passages": passage,
    "abstentions": abstention,
}  # fmt: skip


def rows(name: str) -> list[dict[str, Any]]:
    """The rows of a corpus; of `verifier` one per claim, its value that claim's."""
    replies = load(name)
    if name != "verifier":
        return replies
    return [
        {**row, "value": value, "context": {**row["context"], "place": position}}
        for row in replies
        for position, value in enumerate(row["value"])
    ]
