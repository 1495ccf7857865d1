"""Replies held against what a careful person reads in them: recorded prompts are answered once more by the
simulated models, whose truth says it, and read by the readers that the tracks use.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from sqlite3 import connect
from zlib import decompress

import orjson

from truerate.core.text import normalise
from truerate.llm.replies import claim_verdicts, verdicts
from truerate.llm.replies.choices import choice
from truerate.llm.replies.lists import facts
from truerate.llm.replies.lists.names import read_names
from truerate.llm.replies.texts import candidates
from truerate.llm.thought import split_thought as without_thought
from truerate.tracks.mfava import silver
from truerate.tracks.wildhallucinations.steps import READERS as WORDS
from truerate_world import prompt
from truerate_world.completions import completion_of
from truerate_world.encyclopedia import World
from truerate_world.manners import Answer
from truerate_world.simulated_model import reply
from truerate_world.wildhallucinations.models.reading import numbered as lines_of

MAX_WORDS = 6  # that a replacement may have, as in params.yaml
YES_NO = {True: "Yes", False: "No", None: None}


@dataclass(frozen=True)
class Recorded:
    """A prompt that was asked: its messages and what decided the reply."""

    messages: tuple[dict, ...]
    temperature: float
    seed: int | None
    max_tokens: int | None


@dataclass(frozen=True)
class Reading:
    """What is read in a reply beside what a careful person reads. `purpose` and `manner` as the world names
    them; `kind`: right, lost (nothing is read), turned (another value is), or invented (where nobody could).
    """

    model: str
    purpose: str
    manner: str
    text: str
    read: object
    truth: object

    @property
    def kind(self) -> str:
        if self.read == self.truth:
            return "right"
        if self.truth is None:
            return "invented"
        return "lost" if self.read is None else "turned"


def recorded(store: Path) -> Iterator[Recorded]:
    """Every prompt of a response store, whoever was asked, each once, in the order of their keys."""
    with connect(store) as connection:
        rows = connection.execute("SELECT request FROM response ORDER BY key").fetchall()
    requests = (orjson.loads(decompress(squeezed)) for (squeezed,) in rows)
    return each_once(_recorded(request["messages"], request["params"]) for request in requests)


def _recorded(messages: list[dict], params: dict) -> Recorded:
    return Recorded(tuple(messages), params["temperature"], params.get("seed"), params.get("max_tokens"))


def each_once(prompts: Iterable[Recorded]) -> Iterator[Recorded]:
    """Prompts of which no two have the same messages, temperature and seed, in their order."""
    seen = set()
    for one in prompts:
        known = (orjson.dumps(one.messages), one.temperature, one.seed)
        if known not in seen:
            seen.add(known)
            yield one


def readings(world: World, prompts: Iterable[Recorded], models: Iterable[str]) -> Iterator[Reading]:
    """What is read in the replies of models to prompts whose replies can be held against a truth."""
    for one in prompts:
        asked = prompt.read(list(one.messages))
        if asked.form != prompt.HEADED:
            continue
        for model in models:
            answer = reply(world, model, list(one.messages), temperature=one.temperature, seed=one.seed)
            if answer.task in READERS and "read" in answer.truth:
                yield _reading(model, asked, answer, one)


def _reading(model: str, asked: prompt.Asked, answer: Answer, one: Recorded) -> Reading:
    request = {"model": model, "messages": one.messages, "max_tokens": one.max_tokens}
    sent = completion_of(request, answer.text, "", answer.finish)["choices"][0]["message"]["content"]
    text, _ = without_thought(sent)
    read, truth = READERS[answer.task](asked, answer, text)
    return Reading(model, answer.task, answer.truth["manner"], sent, read, truth)


# ---- readers: (what is read, what a careful person reads) --------------------------------------------------


def _verdict(asked: prompt.Asked, answer: Answer, text: str) -> tuple:
    found = verdicts.yes_no(text, "Your Judgement", asks="hallucination")
    return YES_NO[found.value], answer.truth["read"]


def _answerable(asked: prompt.Asked, answer: Answer, text: str) -> tuple:
    return YES_NO[verdicts.yes_no(text, asked.cue).value], answer.truth["read"]


def _choice(asked: prompt.Asked, answer: Answer, text: str) -> tuple:
    names = tuple(name for place in "12" for name in asked.fields if name.endswith(f" {place}"))
    asks = "hallucinated" if answer.task == "contrast" else "best"
    return choice(text, names, asked.cue, asks=asks).value, answer.truth["read"]


def _candidate(asked: prompt.Asked, answer: Answer, text: str) -> tuple:
    """A candidate, None where it is none: a refusal, or the right answer in a sentence."""
    noun = asked.cue.split()[-1]
    found = candidates.written(text, noun, needs_heading="Pattern" not in asked.fields)
    right = asked.fields.get(f"Right {noun}") or asked.fields.get("True Response", "")
    question = asked.fields.get("Question", "")
    said = found.value
    is_again = said is not None and candidates.restates(said, right, question)
    is_framed = is_again and normalise(said) != normalise(right)
    return None if is_framed else said, answer.truth["read"]


def _refined(asked: prompt.Asked, answer: Answer, text: str) -> tuple:
    """A corrected text; None where it is the one that was given."""
    noun = asked.cue.split()[-1]
    truth = answer.truth["read"] if answer.truth["is_corrected"] else None
    found = candidates.refined(text, noun, asked.fields[noun])
    is_same = truth is not None and candidates.refined(truth, noun, asked.fields[noun]).reason == "unchanged"
    return found.value, None if is_same else truth


def _facts(asked: prompt.Asked, answer: Answer, text: str) -> tuple:
    """Facts with their sentences, and how many could not be read; None where no line could."""
    parts = [part for _, part in lines_of(asked.fields["Sentences"])]
    found = facts.read_facts(text, parts).value
    truth = answer.truth["read"]
    told = None if truth is None else sorted([n - 1, fact] for n, fact in truth if fact is not None)
    if not truth:  # nothing, or malformed lines alone
        return None if found is None else found.facts, None
    n_malformed = answer.truth["n_malformed"]
    if found is None:
        return None, (told, n_malformed)
    # where a sentence has no line, any further line counts as one that may have been its fact
    n_read = min(n_malformed, found.n_malformed) if found.missed else found.n_malformed
    return (sorted(map(list, found.facts)), n_read), (told, n_malformed)


def _verdicts(asked: prompt.Asked, answer: Answer, text: str) -> tuple:
    claims = [claim for _, claim in lines_of(asked.fields["Claims"])]
    found = claim_verdicts.read_verdicts(text, claims).value
    read = [[place, not one] for place, one in enumerate(found, start=1) if isinstance(one, bool)]
    return read or None, answer.truth["read"] or None


def _names(asked: prompt.Asked, answer: Answer, text: str) -> tuple:
    found = read_names(text, asked.fields["User Message"], asked.cue).value
    return None if found is None else list(found.names), answer.truth["read"]


def _word(asked: prompt.Asked, answer: Answer, text: str) -> tuple:
    return WORDS[answer.task](text).value, answer.truth["read"]


def _insertion(asked: prompt.Asked, answer: Answer, text: str) -> tuple:
    """A tagged passage; None where one of the faults is planted that the rules refuse."""
    found = silver.read_insertion(text, asked.fields["Passage"], answer.truth["type"], max_words=MAX_WORDS)
    truth = None if answer.truth["fault"] or not answer.truth.get("n") else answer.truth["read"]
    return found.text if found.status == "ok" else None, truth


def _passage(asked: prompt.Asked, answer: Answer, text: str) -> tuple:
    found = silver.read_passage(text, "en")
    return found.text if found.status == "ok" else None, answer.truth["read"]


READERS: dict[str, Callable[[prompt.Asked, Answer, str], tuple]] = {
    "recognition": _verdict,
    "contrast": _choice,
    "filter": _choice,
    "sample": _candidate,
    "refine": _refined,
    "check": _answerable,
    "write_facts": _facts,
    "verify_facts": _verdicts,
    "extract": _names,
    "verify": _word,
    "disambiguate": _word,
    "domain": _word,
    "insert": _insertion,
    "write": _passage,
}
