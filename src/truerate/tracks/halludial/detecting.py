"""Detection and localization (HalluDial sections 3.1 and 3.2): subjects judge responses of the test dialogues without
a reference: a verdict alone (zero-shot), and of some of them where and why (with three demonstrations).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from truerate.annotation.labels import UNTYPED
from truerate.core.keys import content_id, draw
from truerate.core.schemas import judgement_row, pairs
from truerate.llm import structured
from truerate.llm.generation import REASKED, Prompted, Read, facts
from truerate.llm.replies.located import located_verdict
from truerate.llm.replies.reading import cut
from truerate.llm.replies.verdicts import yes_no
from truerate.tracks.halludial.context import Context
from truerate.tracks.halludial.prompting import CUES, DETECT, LOCATE, Questions, unread

VARIANTS = {DETECT: "zero-shot", LOCATE: "three-shot"}
VERDICT = structured.verdict()


@dataclass(frozen=True, slots=True)
class Target:
    """One response to judge; `stratum`: its scenario, kind and label."""

    target_id: str
    item_id: str
    text: str
    stratum: tuple[str, ...] = ()


def targets(samples: Iterable[dict]) -> list[Target]:
    """The samples of test dialogues (Sample rows), by id."""
    found = [
        Target(row["sample_id"], row["item_id"], row["text"], _stratum(row))
        for row in samples
        if row["split"] == "test"
    ]
    return sorted(found, key=lambda target: target.target_id)


def _stratum(row: dict) -> tuple[str, ...]:
    known = facts(row)
    return known["scenario"], known.get("kind", ""), str(row["is_hallucinated"])


def located_of(asked_of: Sequence[Target], n: int, seed: int) -> list[Target]:
    """`n` targets by id, of which subjects say where and why: of each stratum its share, the first ones in a
    seeded order, so that a larger `n` keeps the earlier ones.
    """
    strata: dict[tuple[str, ...], list[Target]] = {}
    for target in sorted(asked_of, key=lambda one: (draw(seed, "located", one.target_id), one.target_id)):
        strata.setdefault(target.stratum, []).append(target)
    placed = [
        ((number + 0.5) / len(stratum), target.target_id, target)
        for stratum in strata.values()
        for number, target in enumerate(stratum)
    ]
    return sorted((target for *_, target in sorted(placed)[:n]), key=lambda target: target.target_id)


def requests(
    purpose: str,
    targets: Sequence[Target],
    contexts: Mapping[str, Context],
    subject: str,
    questions: Questions,
) -> list[Prompted]:
    """Return one question per target, of purpose DETECT or LOCATE."""
    settings = questions.settings
    sampling = (settings.locating if purpose == LOCATE else None) or settings.detecting
    form = None if purpose == LOCATE else VERDICT
    asked = []
    for target in targets:
        context = contexts[target.item_id]
        attributes: dict[str, str | None] = {"variant": VARIANTS[purpose], "target": target.target_id}
        asked.append(
            questions.question(purpose, subject, context, sampling, attributes, form=form, text=target.text)
        )
    return asked


def read(question: Prompted, reply: str, texts: Mapping[str, str], contexts: Mapping[str, Context]) -> Read:
    """Return a reply as a verdict on its target, located where that was asked for; `texts`: targets' texts by id."""
    if question.purpose == LOCATE:
        response = texts[question.attributes["target"] or ""]
        return read_located(reply, response, CUES[LOCATE], contexts[question.item_id].knowledge)
    parsed = yes_no(reply, CUES[DETECT], asks="hallucination")
    if parsed.value is None:
        return unread(reply, parsed, "heading")
    return Read(reply, attributes={"verdict": "yes" if parsed.value else "no", **cut(parsed, "heading")})


def judgements(rows: Iterable[dict], version: str) -> list[dict]:
    """Judgement rows of what Generation rows say, but for those beside which another reply stands. `version`
    names what answered.
    """
    return [judgement(row, version) for row in rows if REASKED not in facts(row)]


def judgement(row: dict, version: str) -> dict:
    """The judgement that a Generation row makes; its verdict is None where none was read."""
    known, is_located = facts(row), row["purpose"] == LOCATE
    said = known.get("verdict")
    return judgement_row(
        judgement_id=judgement_id(row, version),
        judge=row["model"],
        judge_version=version,
        target_id=known["target"],
        verdict=None if said is None else said == "yes",
        status=row["status"],
        reason=row["reason"],
        spans=spans(known),
        rationale=rationale(row["text"]) if is_located and said is not None else None,
        attributes=pairs(
            variant=known["variant"], n_quoted=known.get("n_quoted"), n_not_located=known.get("n_not_located")
        ),
    )


def judgement_id(row: dict, version: str) -> str:
    """The name of the judgement that a Generation row makes."""
    return content_id(row["model"], version, facts(row)["target"], row["generation_id"])


# ---- Verdicts with their place and reason as rows hold them: `Yes. …` or `N --------------------------------


_VERDICT = re.compile(r"(?:Yes|No)\.\s*")


def read_located(reply: str, response: str, cue: str, knowledge: str) -> Read:
    """Return a reply as a verdict on a response, with `segments` (`start-end`, code points, half-open), how many
    strings it quotes (`n_quoted`) and how many of these stand nowhere (`n_not_located`); else `unparsed`.
    """
    parsed = located_verdict(reply, response, cue, knowledge=knowledge)
    if parsed.value is None:
        return unread(reply, parsed, "heading")
    attributes = {
        "verdict": "yes" if parsed.value else "no",
        "segments": written(parsed.segments),
        "n_quoted": str(parsed.n_quoted) if parsed.value else None,
        "n_not_located": str(parsed.n_not_located) if parsed.n_not_located else None,
        **cut(parsed, "heading"),
    }
    word = "Yes." if parsed.value else "No."
    return Read(f"{word} {parsed.rationale}" if parsed.rationale else word, attributes=attributes)


def written(segments: tuple[tuple[int, int], ...]) -> str | None:
    """Segments as an attribute; None where there are none."""
    return " ".join(f"{start}-{end}" for start, end in segments) or None


def spans(known: Mapping[str, str]) -> list[dict]:
    """The spans of a row that its attribute `segments` names, as tables hold them."""
    places = [part.partition("-") for part in known.get("segments", "").split()]
    return [{"start": int(start), "end": int(end), "type": UNTYPED, "p": None} for start, _, end in places]


def rationale(text: str) -> str | None:
    """The reason of a row's text, without the verdict; None where there is none."""
    return _VERDICT.sub("", text, count=1).strip() or None
