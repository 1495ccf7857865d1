"""What models are asked about texts of the test dialogues, and the judgements that come of it.

Detection and localization (HalluDial sections 3.1 and 3.2): subjects judge responses without a reference, a
verdict alone (zero-shot), and of some of them where and why (three demonstrations). Comparison (appendix C):
which of two responses of a turn is hallucinated, in both orders; one is the reference, the other induced
(both kinds) or spontaneous. The meta-judge (Table 18): is a located judgement accurate? Judgements of both
verdicts are drawn of each subject: one that only judges positives says nothing of what a subject passes over.
The paper judges positives alone (`meta_of`).
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from truerate.annotation.labels import UNTYPED
from truerate.core.keys import content_id, draw
from truerate.core.schemas import judgement_row, pairs
from truerate.llm import structured
from truerate.llm.generation import REASKED, Prompted, Read, facts
from truerate.llm.replies.accuracy import accurate
from truerate.llm.replies.choices import choice
from truerate.llm.replies.located import located_verdict
from truerate.llm.replies.reading import cut
from truerate.llm.replies.verdicts import yes_no
from truerate.tracks.halludial.context import Context
from truerate.tracks.halludial.prompting import (
    COMPARE,
    CUES,
    DETECT,
    KINDS,
    LOCATE,
    META,
    REFERENCE,
    YES_NO,
    Questions,
    is_bare_no,
    read_one_of,
    unread,
)

SPONTANEOUS = "spontaneous"  # the scenario of responses that a model gave of its own accord
VARIANTS = {DETECT: "zero-shot", LOCATE: "three-shot"}
NAMES = ("Response 1", "Response 2")
FORMS = {DETECT: structured.verdict(), COMPARE: structured.choice(NAMES)}
REFERENCE_FIRST, INDUCED_FIRST = "reference-first", "induced-first"
PAIR_KINDS = (*KINDS, SPONTANEOUS)
_VERDICT = re.compile(r"(?:Yes|No)\.\s*")
Contexts = Mapping[str, Context]


# ---- verdicts with their place and reason, as rows hold them: `Yes. …` or `No. …` --------------------------


def read_located(reply: str, response: str, cue: str, knowledge: str, *, is_bare_no: bool = False) -> Read:
    """Read a reply as a verdict on a response, with `segments` (`start-end`, code points, half-open), how
    many strings it quotes (`n_quoted`) and how many of these stand nowhere (`n_not_located`). `is_bare_no`:
    a reason behind No, for which nobody asked, is left out.
    """
    parsed = located_verdict(reply, response, cue, knowledge=knowledge)
    if parsed.value is None:
        return unread(reply, parsed, "heading")
    attributes = {
        "verdict": YES_NO[parsed.value],
        "segments": written(parsed.segments),
        "n_quoted": str(parsed.n_quoted) if parsed.value else None,
        "n_not_located": str(parsed.n_not_located) if parsed.n_not_located else None,
        **cut(parsed, "heading"),
    }
    word = "Yes." if parsed.value else "No."
    has_reason = parsed.rationale and (parsed.value or not is_bare_no)
    return Read(f"{word} {parsed.rationale}" if has_reason else word, attributes=attributes)


def written(segments: Iterable[tuple[int, int]]) -> str | None:
    """Return segments as an attribute; None where there are none."""
    return " ".join(f"{start}-{end}" for start, end in segments) or None


def spans(row_facts: Mapping[str, str]) -> list[dict]:
    """Return the spans of a row that its attribute `segments` names, as tables hold them."""
    places = [part.partition("-") for part in row_facts.get("segments", "").split()]
    return [{"start": int(start), "end": int(end), "type": UNTYPED, "p": None} for start, _, end in places]


def rationale(text: str) -> str | None:
    """Return the reason of a row's text, without the verdict; None where there is none."""
    return _VERDICT.sub("", text, count=1).strip() or None


# ---- detection and localization ----------------------------------------------------------------------------


class Target(NamedTuple):
    """One response to judge; `stratum`: its scenario, kind and label."""

    target_id: str
    item_id: str
    text: str
    stratum: tuple[str, ...] = ()


def targets(samples: Iterable[dict]) -> list[Target]:
    """Return the samples of test dialogues (Sample rows), by id."""
    result = []
    for row in samples:
        if row["split"] == "test":
            row_facts = facts(row)
            stratum = (row_facts["scenario"], row_facts.get("kind", ""), str(row["is_hallucinated"]))
            result.append(Target(row["sample_id"], row["item_id"], row["text"], stratum))
    return sorted(result)


def located_of(asked_of: Iterable[Target], n: int, seed: int) -> list[Target]:
    """Return `n` targets by id, of which subjects say where and why: of each stratum its share, the first in
    a seeded order, so that a larger `n` keeps the earlier ones.
    """
    strata: dict[tuple[str, ...], list[Target]] = {}
    keyed = [(draw(seed, "located", target.target_id), target.target_id, target) for target in asked_of]
    for *_, target in sorted(keyed):
        strata.setdefault(target.stratum, []).append(target)
    ranked = [
        ((number + 0.5) / len(stratum), target.target_id, target)
        for stratum in strata.values()
        for number, target in enumerate(stratum)
    ]
    return sorted(target for *_, target in sorted(ranked)[:n])


def detect_requests(
    purpose: str, targets: Iterable[Target], contexts: Contexts, subject: str, questions: Questions
) -> list[Prompted]:
    """Return one question per target, of purpose DETECT or LOCATE."""
    settings = questions.settings
    sampling = (settings.locating if purpose == LOCATE else None) or settings.detecting
    asked = []
    for target in targets:
        attributes: dict[str, str | None] = {"variant": VARIANTS[purpose], "target": target.target_id}
        about: dict[str, Any] = {"form": FORMS.get(purpose), "text": target.text}
        context = contexts[target.item_id]
        asked.append(questions.question(purpose, subject, context, sampling, attributes, **about))
    return asked


def read_verdict(question: Prompted, reply: str, texts: Mapping[str, str], contexts: Contexts) -> Read:
    """Read a reply as a verdict on its target, located where that was asked for; `texts`: targets' texts by
    id.
    """
    if question.purpose == LOCATE:
        response = texts[question.attributes["target"] or ""]
        given = (CUES[LOCATE], contexts[question.item_id].knowledge)
        return read_located(reply, response, *given, is_bare_no=is_bare_no(question))
    return read_one_of(reply, yes_no(reply, CUES[DETECT], asks="hallucination"), "verdict", YES_NO)


def judgements(rows: Iterable[dict], version: str) -> list[dict]:
    """Return Judgement rows of Generation rows, but for those beside which another reply stands; the verdict
    is None where none was read. A choice judges either side: the chosen text is hallucinated, the other is
    not.
    """
    judged = []
    for row in rows:
        row_facts = facts(row)
        if REASKED in row_facts:
            continue
        names, more = ("variant", "n_quoted", "n_not_located"), {}
        if row["purpose"] == COMPARE:
            names, chosen = ("variant", "order", "kind"), row_facts.get("choice")
            both = (row_facts["first"], row_facts["second"])
            sides = {name: None if chosen is None else chosen == name for name in both}
        else:
            verdict = row_facts.get("verdict")
            sides = {row_facts["target"]: None if verdict is None else verdict == "yes"}
            is_located = row["purpose"] == LOCATE and verdict is not None
            more = {"spans": spans(row_facts), "rationale": rationale(row["text"]) if is_located else None}
        for target, is_hallucinated in sides.items():
            named = {"judgement_id": judgement_id(row, version, target), "target_id": target}
            named |= {"judge": row["model"], "judge_version": version}
            outcome = {"verdict": is_hallucinated, "status": row["status"], "reason": row["reason"]}
            attributes = pairs(**{name: row_facts.get(name) for name in names})
            judged.append(judgement_row(**named, **outcome, **more, attributes=attributes))
    return judged


def judgement_id(row: dict, version: str, target: str) -> str:
    """Return the id of the judgement that a Generation row makes of a target."""
    return content_id(row["model"], version, target, row["generation_id"])


# ---- comparison --------------------------------------------------------------------------------------------


class Pair(NamedTuple):
    """A reference response and a hallucinated one of the same turn, with their sample ids; of one of
    PAIR_KINDS.
    """

    item_id: str
    kind: str
    reference_id: str
    reference: str
    hallucinated_id: str
    hallucinated: str


def sample_pairs(samples: Iterable[dict], n: int, seed: int) -> list[Pair]:
    """Return the first `n` pairs of each kind in a seeded order, of Sample rows of test dialogues. Where a
    source names no kinds, the reference of a turn is the faithful text that stands beside induced ones, and
    of natural responses the first faithful one; the pair's kind is then the scenario.
    """
    test = [(row, facts(row)) for row in samples if row["split"] == "test"]
    reference_of: dict[str, dict] = {}
    for row, row_facts in sorted(test, key=lambda sample: sample[0]["sample_id"]):
        is_faithful = not row["is_hallucinated"] and row_facts["scenario"] != SPONTANEOUS
        if row_facts.get("kind") == REFERENCE or (is_faithful and "kind" not in row_facts):
            reference_of.setdefault(row["item_id"], row)
    by_kind: dict[str, list[Pair]] = {kind: [] for kind in PAIR_KINDS}
    for row, row_facts in test:
        reference = reference_of.get(row["item_id"])
        if row["is_hallucinated"] and reference is not None and row["text"] != reference["text"]:
            kind = row_facts.get("kind") or row_facts["scenario"]
            sides = (reference["sample_id"], reference["text"], row["sample_id"], row["text"])
            by_kind.setdefault(kind, []).append(Pair(row["item_id"], kind, *sides))

    def order(pair: Pair) -> tuple[float, str]:
        return draw(seed, "compared", pair.hallucinated_id), pair.hallucinated_id

    return [pair for of_kind in by_kind.values() for pair in sorted(of_kind, key=order)[:n]]


def compare_requests(
    compared: Iterable[Pair], contexts: Contexts, subject: str, questions: Questions
) -> list[Prompted]:
    """Return both orders of every pair."""
    asked = []
    for pair in compared:
        sides = ((pair.reference_id, pair.reference), (pair.hallucinated_id, pair.hallucinated))
        for order, (first, second) in ((REFERENCE_FIRST, sides), (INDUCED_FIRST, sides[::-1])):
            attributes: dict[str, str | None] = {"order": order, "first": first[0], "second": second[0]}
            attributes |= {"variant": COMPARE, "kind": pair.kind}
            about: dict[str, Any] = {"first": first[1], "second": second[1], "form": FORMS[COMPARE]}
            context, sampling = contexts[pair.item_id], questions.settings.detecting
            asked.append(questions.question(COMPARE, subject, context, sampling, attributes, **about))
    return asked


def read_choice(question: Prompted, reply: str) -> Read:
    """Read a reply as the side that is hallucinated; `choice` is the id of that text."""
    parsed = choice(reply, NAMES, CUES[COMPARE], asks="hallucinated")
    sides = (question.attributes["first"], question.attributes["second"])
    return read_one_of(reply, parsed, "choice", dict(zip(NAMES, sides, strict=True)))


# ---- the meta-judge ----------------------------------------------------------------------------------------


class Judged(NamedTuple):
    """A located judgement: its id, who judges, of which text (`response`) of which item, and what it says."""

    judgement_id: str
    judge: str
    item_id: str
    response: str
    evaluation: str
    is_positive: bool


def judged(rows: Iterable[dict], texts: Mapping[str, str], versions: Mapping[str, str]) -> list[Judged]:
    """Return the located judgements that were read; `versions`: what answered, by model."""
    located = [(row, facts(row)) for row in rows if row["purpose"] == LOCATE and row["status"] == "ok"]
    result = []
    for row, row_facts in located:
        if (target := row_facts["target"]) in texts:
            name = judgement_id(row, versions[row["model"]], target)
            of_text, is_positive = (texts[target], row["text"]), row_facts["verdict"] == "yes"
            result.append(Judged(name, row["model"], row["item_id"], *of_text, is_positive))
    return result


def drawn(judgements: Iterable[Judged], n: int, seed: int, *, of: str = "all") -> list[Judged]:
    """Return `n` judgements of each subject in a seeded order, half of each verdict where there are; `of`
    positives: only those that say Yes, as in HalluDial's Table 3, fewer where there are fewer.
    """

    def order(judgement: Judged) -> tuple[float, str]:
        return draw(seed, "meta", judgement.judgement_id), judgement.judgement_id

    turns: Counter[tuple[str, bool]] = Counter()
    by_judge: dict[str, list[tuple[int, bool, Judged]]] = {}
    some = [judgement for judgement in judgements if judgement.is_positive or of == "all"]
    for judgement in sorted(some, key=order):
        verdict = judgement.judge, judgement.is_positive
        ranked = (turns[verdict], not judgement.is_positive, judgement)
        by_judge.setdefault(judgement.judge, []).append(ranked)
        turns[verdict] += 1
    return sorted(judgement for of_judge in by_judge.values() for *_, judgement in sorted(of_judge)[:n])


def meta_requests(
    judgements: Sequence[Judged], contexts: Contexts, meta_judge: str, questions: Questions
) -> list[Prompted]:
    """Return one question per judgement."""
    asked = []
    for judgement in judgements:
        attributes: dict[str, str | None] = {"target": judgement.judgement_id, "judge": judgement.judge}
        about: dict[str, Any] = {"text": judgement.response, "evaluation": judgement.evaluation}
        about["is_about_turn"] = False
        context, sampling = contexts[judgement.item_id], questions.settings.detecting
        asked.append(questions.question(META, meta_judge, context, sampling, attributes, **about))
    return asked


def read_accuracy(question: Prompted, reply: str) -> Read:
    """Read a reply as Accurate or Inaccurate (`accurate`: yes, no)."""
    return read_one_of(reply, accurate(reply, CUES[META]), "accurate", YES_NO)
