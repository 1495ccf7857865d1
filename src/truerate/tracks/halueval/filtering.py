"""High-quality hallucination filtering (HELMA 2.1): of two candidates the more plausible one is kept.

The judge sees demonstrations with the ground truth and is asked in both orders. Where the two replies
disagree, or one could not be read, a seeded pick decides and the row says so.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from truerate.core import text as texts
from truerate.core.keys import draw
from truerate.llm import structured
from truerate.llm.generation import REASKED, Prompted, Read, facts
from truerate.llm.replies.choices import choice
from truerate.llm.replies.reading import cut
from truerate.llm.request import Reply
from truerate.tracks.asking import Prompter, read_rows
from truerate.tracks.halueval import patterns
from truerate.tracks.halueval.context import NOUNS, Context

PURPOSE = "filter"
CHOICES = {task: structured.choice((f"{noun} 1", f"{noun} 2")) for task, noun in NOUNS.items()}


@dataclass(frozen=True)
class Candidate:
    """A hallucinated text that may be chosen: its id, its text and the scheme that made it."""

    candidate_id: str
    text: str
    scheme: str


@dataclass(frozen=True)
class Contest:
    """Two different candidates of one item, in the order of the schemes' names."""

    context: Context
    first: Candidate
    second: Candidate


@dataclass(frozen=True)
class Pick:
    """The candidate chosen, and how: `agreed` in both orders, `seeded` otherwise, `only` without a rival."""

    candidate_id: str
    pick: str


def contests(candidates: dict[str, list[Candidate]], contexts: dict[str, Context]) -> list[Contest]:
    """Return the items with two candidates that differ in more than case, articles and punctuation."""
    in_contexts = [item_id for item_id in sorted(candidates) if item_id in contexts]
    pairs = [(item_id, distinct(candidates[item_id])) for item_id in in_contexts]
    return [Contest(contexts[item_id], *both) for item_id, both in pairs if len(both) == 2]


def distinct(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return at most two candidates of different normalised text, one-pass first as in the paper."""
    first: dict[str, Candidate] = {}
    for candidate in sorted(candidates, key=lambda c: (c.scheme, c.candidate_id), reverse=True):
        first.setdefault(texts.normalise(candidate.text), candidate)
    return list(first.values())[:2]


def requests(of: Sequence[Contest], judge: str, prompter: Prompter, *, origin: str) -> list[Prompted]:
    """Return both orders of every contest; `origin`: whose candidates (`generated` here, or `published`)."""
    asked = []
    for contest in of:
        task, context = contest.context.task, contest.context
        shown = patterns.comparing(task, prompter.seed)
        for first, second in ((contest.first, contest.second), (contest.second, contest.first)):
            both = {"first": first.text, "second": second.text}
            ids = {"first": first.candidate_id, "second": second.candidate_id}
            facts_of, sampling = (
                {"task": task, "origin": origin, **ids},
                prompter.settings.decoding("filtering"),
            )
            how = {"template": f"filter_{task}", "form": CHOICES[task], **context.values, **both, **shown}
            asked.append(prompter.prompted(PURPOSE, judge, context.item_id, sampling, facts_of, **how))
    return asked


def collect(asked: Sequence[Prompted], replies: Sequence[Reply]) -> list[dict]:
    """Return Generation rows of choices: the `choice` (an id) and its `position` (1 or 2)."""
    return read_rows(asked, replies, read_choice)


def read_choice(asked: Prompted, text: str) -> Read:
    """Read a reply as the choice of one of two candidates."""
    noun = NOUNS[asked.attributes["task"] or ""]
    reading = choice(text, (f"{noun} 1", f"{noun} 2"), f"Best {noun}", asks="best")
    if reading.value is None:
        return Read(text, "unparsed", reading.reason, cut(reading, "heading"))
    position = reading.value[-1]
    chosen = asked.attributes["first" if position == "1" else "second"]
    return Read(text, attributes={"position": position, "choice": chosen, **cut(reading, "heading")})


def picks(
    choices: Iterable[dict], candidates: dict[str, list[Candidate]], *, origin: str, seed: int
) -> dict[str, Pick]:
    """Return the chosen candidate per item, from the rows of filtering and that origin's candidates."""
    chosen_of: dict[str, list[str | None]] = {}
    for row in choices:
        attributes = facts(row)
        if attributes["origin"] == origin and REASKED not in attributes:
            chosen_of.setdefault(row["item_id"], []).append(attributes.get("choice"))
    pick_of = {}
    for item_id, both in ((item_id, distinct(some)) for item_id, some in candidates.items() if some):
        chosen = chosen_of.get(item_id, [])
        if len(both) == 1:
            pick_of[item_id] = Pick(both[0].candidate_id, "only")
        elif len(chosen) == 2 and chosen[0] is not None and chosen[0] == chosen[1]:
            pick_of[item_id] = Pick(chosen[0], "agreed")
        else:
            drawn = both[int(draw(seed, "pick", item_id) * 2)]
            pick_of[item_id] = Pick(drawn.candidate_id, "seeded")
    return pick_of
