"""Facts verified against passages of web pages: many facts in one call, one verdict each by its number; some
again one by one.

What a call holds follows from its contents alone. Replies are lined up by the hash of their ids and cut into
runs of about RUN replies, at places that the ids themselves decide, so that a new reply changes only the
calls of its own run; a run's facts fill calls of `facts_per_call`, and within a call they stand in the order
of their hashes. The passages of a call are the union of its facts' best ones, at most `window`: every fact's
first, then every fact's second, and so on.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from truerate.core.keys import content_id, draw
from truerate.core.schemas import Judgement, frame, judgement_row, pair, pairs
from truerate.llm import structured
from truerate.llm.generation import Prompted, Read
from truerate.llm.guard import neutralise
from truerate.llm.replies.claim_verdicts import read_contradicted, read_verdicts
from truerate.llm.request import Reply
from truerate.tracks.asking import Prompter
from truerate.tracks.wildhallucinations.facts import numbered

if TYPE_CHECKING:
    from truerate.tracks.wildhallucinations.passages import Passage

VERIFY = "verify_facts"
SINGLE = "single"  # stage of the calls with one fact each, that the batches are held against
# The words of a verdict, by the setting `verdicts`; of three the last two are both NOT supported.
CONTRADICTED, UNMENTIONED = "contradicted", "not mentioned"
FORMS = {
    "two": structured.numbered_verdicts(("supported", "not supported")),
    "three": structured.numbered_verdicts(("supported", CONTRADICTED, UNMENTIONED)),
}
THREE = f"{VERIFY}_three"  # the template that asks for three
_NUMBERED = re.compile(r"[(（]\s*\d{1,4}\s*[)）]")  # where a line begins as a passage does
# Why nobody is asked about a claim, each with the status of its judgement: it cannot be checked, no page of its
# search could be read, or no page speaks of it.
NOT_CHECKABLE, NO_PAGE = "not-checkable", "no-page"
REASONS = {NOT_CHECKABLE: "abstained", NO_PAGE: "unparsed", UNMENTIONED: "ok"}
TITLE = 120  # characters of a page's title
RUN = 12  # replies that share calls, on average


class Claim(NamedTuple):
    """A fact to be verified: its row's ids and text, the entity's name, its passages, the best first."""

    fact_id: str
    generation_id: str
    item_id: str
    subject: str
    text: str
    name: str
    passages: "tuple[Passage, ...]"


class Call(NamedTuple):
    """What one request asks: claims in their order, and the passages that it shows."""

    claims: tuple[Claim, ...]
    passages: "tuple[Passage, ...]"
    stage: str | None = None

    def named_passages(self) -> list[str]:
        """Return the passages that it shows, before each the (first) name that it was retrieved for and,
        where claims hold it, the title of its page, as one short line in quotation marks that it cannot
        close; their further lines are indented, and a number in brackets at the beginning of one has a dot
        before it.

        So no line of a page can pose as the beginning of another passage, and none runs into the next one.
        """
        claims = sorted(self.claims, key=lambda claim: claim.name, reverse=True)
        owner = {passage: claim.name for claim in claims for passage in claim.passages}
        texts = []
        for passage in self.passages:
            lines = [line.strip() for line in neutralise(passage.text).splitlines() if line.strip()]
            lines = [f"· {line}" if _NUMBERED.match(line) else line for line in lines]
            words = " ".join(neutralise(passage.title).replace("“", "'").replace("”", "'").split())
            title = f"“{words[:TITLE].strip()}” " if words else ""
            texts.append(f"{owner[passage]}: {title}" + "\n  ".join(lines))
        return texts

    def evidence(self, claim: Claim) -> "list[Passage]":
        """Return the passages of a claim that the call shows, best first."""
        shown = set(self.passages)
        return [passage for passage in claim.passages if passage in shown]


def calls(claims: Sequence[Claim], *, n: int, window: int) -> list[Call]:
    """Return all claims in calls of `n`, whatever order they come in, by runs of replies."""
    of_reply: dict[str, list[Claim]] = {}
    for claim in sorted(claims, key=lambda claim: content_id("claim", claim.fact_id)):
        of_reply.setdefault(claim.generation_id, []).append(claim)
    runs: list[list[Claim]] = [[]]
    for name in sorted(of_reply, key=lambda name: content_id("run", name)):
        runs[-1] += of_reply[name]
        if draw("run ends", name) < 1 / RUN:
            runs.append([])
    parts = [run[start : start + n] for run in runs for start in range(0, len(run), n)]
    order = lambda claim: content_id("order", claim.text, claim.fact_id)  # noqa: E731
    ordered = [tuple(sorted(part, key=order)) for part in parts]
    return [Call(part, shown(part, window)) for part in ordered]


def shown(claims: Sequence[Claim], window: int) -> "tuple[Passage, ...]":
    """Return at most `window` of the claims' best passages by turns, in the order of documents and starts."""
    turns = zip_longest(*(claim.passages for claim in claims))
    chosen = list(dict.fromkeys(best for turn in turns for best in turn if best is not None))[:window]
    return tuple(sorted(chosen, key=lambda passage: (passage.document_id, passage.start)))


def checked(claims: Iterable[Claim], *, n: int, window: int) -> list[Call]:
    """Return calls with one claim each: `n` claims that their ids draw, or all."""
    drawn = nsmallest(n, claims, key=lambda claim: (draw("checked", claim.fact_id), claim.fact_id))
    drawn = sorted(drawn, key=lambda claim: claim.fact_id)
    return [Call((claim,), shown((claim,), window), SINGLE) for claim in drawn]


def requests(asked: Iterable[Call], prompter: Prompter, judge: str | None = None) -> list[Prompted]:
    """Return one request per call, to `judge` or else the verifier; its attributes name facts and replies in
    the order of the claims.
    """
    prompts, settings = [], prompter.settings
    for call in asked:
        lines = "\n".join(f"({number}) {text}" for number, text in enumerate(call.named_passages(), 1))
        values = {"subject": "; ".join(dict.fromkeys(claim.name for claim in call.claims))}
        values |= {"passages": lines or "none", "claims": numbered(claim.text for claim in call.claims)}
        attributes = {
            "generation": " ".join(dict.fromkeys(claim.generation_id for claim in call.claims)),
            "subject": call.claims[0].subject,
            "facts": " ".join(claim.fact_id for claim in call.claims),
            "stage": call.stage,
        }
        how = judge or settings.verifier, call.claims[0].item_id, settings.verifying, attributes
        has_titles = any(passage.title for passage in call.passages)
        n_verdicts = settings.verification.verdicts
        form = {"form": FORMS[n_verdicts], "template": THREE if n_verdicts == "three" else VERIFY}
        prompts.append(prompter.prompted(VERIFY, *how, **form, has_titles=has_titles, **values))
    return prompts


def read(asked: Prompted, text: str, texts: Mapping[str, str]) -> Read:
    """Read a reply as the verdicts on the facts that its call names; `texts` are those of the facts by id.
    One without a single verdict is `unparsed`. `n_unparsed` counts the claims without one, `cuts` names what
    was read loosely (`reading.CUTS`).
    """
    reading = read_verdicts(text, [texts[fact_id] for fact_id in (asked.attributes["facts"] or "").split()])
    missing = [verdict for verdict in reading.value if isinstance(verdict, str)]
    counts = {"n_unparsed": str(len(missing)), "cuts": " ".join(reading.cuts) or None}
    if len(missing) == len(reading.value):
        return Read(text, "unparsed", reading.reason or missing[0], counts)
    return Read(text, attributes=counts)


def n_lost(reading: Read) -> int:
    """Return how many claims of a call are without a verdict."""
    return int(reading.attributes["n_unparsed"] or 0)


def judgements(
    asked: Sequence[Call], answered: Sequence[Reply], *, judge: str, version: str, verdicts: str = "two"
) -> pl.DataFrame:
    """Return one Judgement per claim and stage: verdict True is NOT supported. Without a verdict its status
    is `unparsed` or `dead`.

    Attribute `evidence` names the passages of the claim that the call showed, best first, joined by spaces;
    `kind`, where `verdicts` is "three", which of CONTRADICTED and UNMENTIONED a claim is that is not
    supported, where that is read.
    """
    rows = []
    for call, reply in zip(asked, answered, strict=True):
        texts = [claim.text for claim in call.claims]
        kinds = read_contradicted(reply.text, texts) if verdicts == "three" else [None] * len(texts)
        of_claims = read_verdicts(reply.text, texts).value
        for claim, verdict, is_against in zip(call.claims, of_claims, kinds, strict=True):
            outcome = {"verdict": verdict, "status": "ok", "reason": None}
            if reply.status == "dead":
                outcome = {"verdict": None, "status": "dead", "reason": reply.reason}
            elif reply.status != "ok" or not isinstance(verdict, bool):
                outcome = {"verdict": None, "status": "unparsed", "reason": verdict}
            of_fact = {"generation": claim.generation_id, "subject": claim.subject, "stage": call.stage}
            if outcome["verdict"] and is_against is not None:
                of_fact["kind"] = CONTRADICTED if is_against else UNMENTIONED
            of_fact["evidence"] = " ".join(passage.id for passage in call.evidence(claim)) or None
            named = {"judgement_id": content_id("judgement", judge, version, claim.fact_id, call.stage)}
            named |= {"judge": judge, "judge_version": version, "target_id": claim.fact_id}
            rows.append(judgement_row(**named, **outcome, attributes=pairs(**of_fact)))
    return frame(Judgement, rows).sort("judgement_id")


def unasked(
    claims: Iterable[tuple[Claim, str]], *, judge: str, version: str, verdicts: str = "two"
) -> pl.DataFrame:
    """Return one Judgement per claim about which nobody is asked, by why (REASONS): NOT supported where nothing
    was found that speaks of it (UNMENTIONED), else without a verdict.
    """
    rows = []
    for claim, why in claims:
        is_silent = why == UNMENTIONED
        of_fact = {"generation": claim.generation_id, "subject": claim.subject}
        of_fact |= {"kind": why} if is_silent and verdicts == "three" else {}
        named = {"judgement_id": content_id("judgement", judge, version, claim.fact_id, None)}
        named |= {"judge": judge, "judge_version": version, "target_id": claim.fact_id}
        outcome = {"verdict": is_silent or None, "status": REASONS[why], "reason": None if is_silent else why}
        rows.append(judgement_row(**named, **outcome, attributes=pairs(**of_fact)))
    return frame(Judgement, rows)


def with_evidence(facts: pl.DataFrame, judged: pl.DataFrame) -> pl.DataFrame:
    """Return Fact rows with the passages that they were checked against, by the batches' judgements."""
    batches = judged.lazy().filter(pair("attributes", "stage").is_null())
    names = pair("attributes", "evidence").str.extract_all(r"\S+")
    named = batches.select(fact_id="target_id", evidence=names)
    once = named.collect().unique("fact_id", keep="last", maintain_order=True)
    whole = facts.drop("evidence").join(once, on="fact_id", how="left", maintain_order="left")
    none = pl.lit([], dtype=pl.List(pl.String))
    return whole.with_columns(pl.col("evidence").fill_null(none)).select(facts.columns)
