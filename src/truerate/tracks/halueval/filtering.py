"""High-quality hallucination filtering (HELMA 2.1): of two candidates the more plausible one is kept.

The judge sees demonstrations with the ground truth and is asked in both orders. Where the two replies
disagree, or one could not be read, a seeded pick decides and the row says so.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from truerate.core import text as texts
from truerate.core.keys import draw
from truerate.llm import Reply, Request, prompts, structured
from truerate.llm.generation import REASKED, Prompted, Read, decoding, facts, generation
from truerate.llm.replies.choices import choice
from truerate.llm.replies.reading import cut
from truerate.tracks.halueval import patterns
from truerate.tracks.halueval.context import Context
from truerate.tracks.halueval.settings import Settings

PURPOSE = "filter"
NOUNS = {"qa": "Answer", "dialogue": "Response", "summarization": "Summary"}
CHOICES = {task: structured.choice((f"{noun} 1", f"{noun} 2")) for task, noun in NOUNS.items()}


@dataclass(frozen=True)
class Candidate:
    """A hallucinated text that may be chosen: its id, its text and the scheme that made it."""

    candidate_id: str
    text: str
    scheme: str


@dataclass(frozen=True)
class Contest:
    """Two different candidates of one item, in the order of the schemes' names so that no row order matters."""

    context: Context
    one: Candidate
    two: Candidate


@dataclass(frozen=True)
class Pick:
    """The candidate that was chosen, and how: `agreed` in both orders, `seeded` where they did not agree,
    `only` without a rival.
    """

    candidate_id: str
    pick: str


def contests(candidates: dict[str, list[Candidate]], found: dict[str, Context]) -> list[Contest]:
    """The items with two candidates that differ in more than case, articles and punctuation."""
    made = []
    for item_id in sorted(candidates):
        both = distinct(candidates[item_id])
        if len(both) == 2 and item_id in found:
            made.append(Contest(found[item_id], *both))
    return made


def distinct(candidates: Iterable[Candidate]) -> list[Candidate]:
    """The candidates by scheme, those of equal normalised text once; at most the first two."""
    kept: dict[str, Candidate] = {}
    for candidate in sorted(
        candidates, key=lambda c: (c.scheme, c.candidate_id), reverse=True
    ):  # one-pass first, as in the paper
        kept.setdefault(texts.normalise(candidate.text), candidate)
    return list(kept.values())[:2]


def requests(
    made: Sequence[Contest],
    judge: str,
    settings: Settings,
    *,
    origin: str,
    seed: int,
    prompts_dir: str | None,
) -> list[Prompted]:
    """Both orders of every contest. `origin` says whose candidates they are: `generated` here, or `published`
    by the source; `seed` draws the order of the demonstrations.
    """
    asked = []
    for contest in made:
        for first, second in ((contest.one, contest.two), (contest.two, contest.one)):
            messages = _messages(contest.context, first.text, second.text, seed=seed, prompts_dir=prompts_dir)
            known = {
                "task": contest.context.task,
                "origin": origin,
                "first": first.candidate_id,
                "second": second.candidate_id,
            }
            asked.append(
                Prompted(
                    Request(
                        judge,
                        messages,
                        decoding(settings.decoding("filtering")),
                        form=CHOICES[contest.context.task],
                    ),
                    contest.context.item_id,
                    PURPOSE,
                    known,
                )
            )
    return asked


def _messages(
    context: Context, first: str, second: str, *, seed: int, prompts_dir: str | None
) -> tuple[dict, ...]:
    values = {"knowledge": context.knowledge, "history": context.history, "question": context.question}
    return tuple(
        prompts.render(
            "halueval",
            f"filter_{context.task}",
            prompts_dir,
            **values,
            first=first,
            second=second,
            patterns=patterns.named(context.task, None),
            demonstrations=patterns.compared(context.task, seed),
        )
    )


def collect(asked: Sequence[Prompted], replies: Sequence[Reply]) -> list[dict]:
    """Generation rows of choices; `choice` is the id of the chosen candidate, `position` where it stood (1 or
    2).
    """
    return [
        generation(prompted, reply, read_choice(prompted, reply.text))
        for prompted, reply in zip(asked, replies, strict=True)
    ]


def read_choice(asked: Prompted, text: str) -> Read:
    """A reply as the choice of one of two candidates."""
    noun = NOUNS[asked.attributes["task"]]
    found = choice(text, (f"{noun} 1", f"{noun} 2"), f"Best {noun}", asks="best")
    if found.value is None:
        return Read(text, "unparsed", found.reason, cut(found, "heading"))
    position = found.value[-1]
    return Read(
        text,
        attributes={
            "position": position,
            "choice": asked.attributes["first" if position == "1" else "second"],
            **cut(found, "heading"),
        },
    )


def picks(
    choices: Iterable[dict], candidates: dict[str, list[Candidate]], *, origin: str, seed: int
) -> dict[str, Pick]:
    """The chosen candidate per item, from the Generation rows of filtering and all usable candidates of that
    origin.
    """
    said: dict[str, list[str | None]] = {}
    for row in choices:
        known = facts(row)
        if known["origin"] == origin and REASKED not in known:
            said.setdefault(row["item_id"], []).append(known.get("choice"))
    return {
        item_id: _pick(item_id, distinct(found), said.get(item_id, []), seed)
        for item_id, found in candidates.items()
        if found
    }


def _pick(item_id: str, both: list[Candidate], said: list[str | None], seed: int) -> Pick:
    if len(both) == 1:
        return Pick(both[0].candidate_id, "only")
    if len(said) == 2 and said[0] is not None and said[0] == said[1]:
        return Pick(said[0], "agreed")
    return Pick(both[int(draw(seed, "pick", item_id) * 2)].candidate_id, "seeded")
