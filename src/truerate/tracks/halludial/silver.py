"""Silver samples: spontaneous responses with what the annotator says of them, and induced hallucination.

An annotator (HalluDial section 2.1) that sees the reference gives verdict, place and reason; no person
checked them. Of every turn a writer makes a factually wrong response and an unfaithful one (section 2.2),
each with its segment and reason; and, our addition, a faithful paraphrase. References are people's, induced
responses a model's: who can tell the two styles apart needs no facts. Against the paraphrases (`matched`)
style tells nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from truerate.core.keys import content_id
from truerate.core.schemas import pairs, sample_row
from truerate.core.text import normalise, words
from truerate.llm.generation import REASKED, Prompted, Read, facts, rejected
from truerate.llm.replies.reading import cut
from truerate.llm.replies.texts.candidates import restates
from truerate.llm.replies.texts.induced import induced_reply
from truerate.llm.replies.texts.responses import one_response
from truerate.tracks.halludial import responding
from truerate.tracks.halludial.context import Context, one_line, side_by_sample, side_of
from truerate.tracks.halludial.judging import SPONTANEOUS, Contexts, rationale, read_located, spans, written
from truerate.tracks.halludial.prompting import (
    ANNOTATE,
    CUES,
    FACTUALITY,
    FAITHFULNESS,
    INDUCE,
    KINDS,
    MATCH,
    MATCHED,
    REFERENCE,
    RESPOND,
    Questions,
    is_bare_no,
    unread,
)
from truerate.tracks.halludial.settings import Settings

INDUCED = "induced"  # the scenario of texts that a writer made of a turn
UNREAD = "unread-annotation"  # of a response: what the annotator says of it could not be read, or never came
# the rules that an induced response may break, as attributes of its row, and the reason of a reject
BROKEN = {"too_long": "too-long", "restated": "right-restated", "not_located": "not-located"}
WHOLE_TURN = "turn-rejected"  # of what stood beside an induced response that breaks a rule
AGAINST_REFERENCES, AGAINST_MATCHED = "induced-references", "induced-matched"  # schemes of the shortcut audit
SCHEMES = {
    REFERENCE: AGAINST_REFERENCES,
    MATCHED: AGAINST_MATCHED,
    **dict.fromkeys(KINDS, f"{AGAINST_REFERENCES}+{AGAINST_MATCHED}"),
}
PAIRED = {REFERENCE: FACTUALITY, FACTUALITY: FACTUALITY, MATCHED: FAITHFULNESS, FAITHFULNESS: FAITHFULNESS}


# ---- questions ---------------------------------------------------------------------------------------------


def annotate_requests(
    responses: Iterable[dict], contexts: Contexts, annotator: str, questions: Questions
) -> list[Prompted]:
    """Return one question per response (a Generation row)."""
    asked = []
    for row in responses:
        context, attributes = contexts[row["item_id"]], {"target": row["generation_id"]}
        about = {"reference": context.right_answer or "", "text": row["text"]}
        sampling = questions.settings.annotating
        asked.append(questions.question(ANNOTATE, annotator, context, sampling, attributes, **about))
    return asked


def read_annotation(question: Prompted, reply: str, texts: Mapping[str, str], contexts: Contexts) -> Read:
    """Read a reply as an annotation of the response that it was asked of; `texts`: responses by id."""
    response = texts[question.attributes["target"] or ""]
    given = (CUES[ANNOTATE], contexts[question.item_id].knowledge)
    return read_located(reply, response, *given, is_bare_no=is_bare_no(question))


def induce_requests(contexts: Iterable[Context], writer: str, questions: Questions) -> list[Prompted]:
    """Return three questions per turn that has a reference response: both kinds, and the paraphrase."""
    asked, settings = [], questions.settings
    for context in contexts:
        for kind in (*KINDS, MATCHED) if context.right_answer else ():
            purpose = MATCH if kind == MATCHED else INDUCE
            about: dict[str, Any] = {"right": context.right_answer, "slack": settings.slack_words}
            about |= {"kind": kind} if purpose == INDUCE else {}
            about |= {"may_decline": True}
            attributes: dict[str, str | None] = {"kind": kind}
            asked.append(questions.question(purpose, writer, context, settings.inducing, attributes, **about))
    return asked


def read_written(question: Prompted, reply: str, contexts: Contexts, *, slack: int) -> Read:
    """Read a reply as what its prompt asked for: an induced response, or a paraphrase."""
    read = read_induced if question.purpose == INDUCE else read_matched
    return read(reply, contexts[question.item_id].right_answer or "", slack)


def read_induced(reply: str, right: str, slack: int) -> Read:
    """Read a reply as an induced response, with its `segments`, its `rationale`, and the rules that it breaks
    (BROKEN). A refusal abstains.
    """
    parsed = induced_reply(reply, CUES[INDUCE])
    if parsed.value is None:
        return unread(reply, parsed, "heading", may_decline=True)
    text = str(parsed.value)
    is_restated = normalise(text) == normalise(right) or restates(text, right)
    attributes = {
        **length(text, right, slack),
        "restated": "yes" if is_restated else None,
        "segments": written(parsed.segments),
        "not_located": None if parsed.segments else "yes",
        "rationale": parsed.rationale,
    }
    return Read(text, attributes={**attributes, **cut(parsed, "heading")})


def read_matched(reply: str, right: str, slack: int) -> Read:
    """Read a reply as a faithful paraphrase; `unchanged`: it is the right response word by word."""
    parsed = one_response(reply, CUES[MATCH])
    if parsed.value is None:
        return unread(reply, parsed, "heading", may_decline=True)
    text = one_line(parsed.value)
    unchanged = "yes" if normalise(text) == normalise(right) else None
    attributes = {**length(text, right, slack), "unchanged": unchanged, **cut(parsed, "heading")}
    return Read(text, attributes=attributes)


def length(text: str, right: str, slack: int) -> dict[str, str | None]:
    """Return by how many words a text is longer than the right one, and whether by too many."""
    n_over = len(words(text)) - len(words(right))
    return {"words_over": str(n_over), "too_long": "yes" if n_over > slack else None}


def broken(row_facts: Mapping[str, str]) -> list[str]:
    """Return the rules that a row's attributes say it breaks, as reasons."""
    return [reason for name, reason in BROKEN.items() if row_facts.get(name) == "yes"]


# ---- samples -----------------------------------------------------------------------------------------------


def base_responses(rows: Iterable[dict], settings: Settings) -> list[dict]:
    """Return the responses that are annotated: read, in gold history, at the base temperature."""

    def is_base(row: dict) -> bool:
        row_facts = facts(row)
        is_gold = row_facts.get("history") == responding.GOLD
        return is_gold and row_facts.get("temperature") == settings.base

    read = [row for row in rows if row["purpose"] == RESPOND and row["status"] == "ok"]
    return [row for row in read if is_base(row)]


def samples(rows: Sequence[dict], contexts: Contexts, settings: Settings) -> tuple[list[dict], list[dict]]:
    """Return Sample rows of the replies, by id, and Reject rows of texts that were read and are none."""
    spontaneous, unread_ones = _spontaneous(rows, contexts, settings)
    induced, unfit = _induced(rows, contexts, settings)
    return sorted([*spontaneous, *induced], key=lambda row: row["sample_id"]), [*unread_ones, *unfit]


def _spontaneous(
    rows: Iterable[dict], contexts: Contexts, settings: Settings
) -> tuple[list[dict], list[dict]]:
    """Samples of annotated responses (their id is the response's), and rejects of unread annotations."""
    annotated = [(row, facts(row)) for row in rows if row["purpose"] == ANNOTATE]
    annotation_of = {of["target"]: (row, of) for row, of in annotated if REASKED not in of}
    kept, dropped = [], []
    named = settings.annotated_responders
    responses = base_responses(rows, settings) if annotation_of else []
    for row in (row for row in responses if row["model"] in named):
        annotation, row_facts = annotation_of.get(row["generation_id"], (None, {}))
        if annotation is None:
            dropped.append(rejected(row, UNREAD, "no annotation"))
        elif annotation["status"] != "ok":
            dropped.append(rejected(row, UNREAD, f"{annotation['status']}: {annotation['reason']}"))
        else:
            values = {"sample_id": row["generation_id"], "text": row["text"], "generator": row["model"]}
            values |= {"is_hallucinated": row_facts["verdict"] == "yes"}
            values["spans"] = spans(row_facts) if values["is_hallucinated"] else []
            attributes = {"scenario": SPONTANEOUS, "scheme": SPONTANEOUS}
            reason = rationale(annotation["text"])
            context = contexts[row["item_id"]]
            kept.append(_sample(context, settings, attributes, rationale=reason, **values))
    return kept, dropped


def _induced(rows: Iterable[dict], contexts: Contexts, settings: Settings) -> tuple[list[dict], list[dict]]:
    """Samples of all turns of which an induced response was read, and rejects: of induced responses that
    break a rule, and where such are rejected (`on_broken`) of all else of their turn.
    """
    of_turn: dict[str, list[dict]] = {}
    for row in rows:
        if row["purpose"] in (INDUCE, MATCH) and row["status"] == "ok":
            of_turn.setdefault(row["item_id"], []).append(row)
    kept: list[dict] = []
    dropped: list[dict] = []
    for item_id, texts in sorted(of_turn.items()):
        reasons = {row["generation_id"]: broken(facts(row)) for row in texts if row["purpose"] == INDUCE}
        is_whole = len(reasons) == len(KINDS) and not any(reasons.values())
        if settings.on_broken != "keep" and not is_whole:
            why = [(row, reasons.get(row["generation_id"]) or [WHOLE_TURN]) for row in texts]
            dropped += [rejected(row, of_row[0]) for row, of_row in why]
        elif reasons:
            context = contexts[item_id]
            right = context.right_answer or ""
            values = {"sample_id": content_id("reference", item_id, right), "text": right}
            kept.append(_of_kind(context, settings, REFERENCE, is_hallucinated=False, **values))
            kept += [_written_sample(row, context, settings) for row in texts]
    return kept, dropped


def _written_sample(row: dict, context: Context, settings: Settings) -> dict:
    """A text of the writer; its id is that of the reply."""
    row_facts, is_induced = facts(row), row["purpose"] == INDUCE
    values = {"sample_id": row["generation_id"], "text": row["text"], "generator": row["model"]}
    if is_induced:
        values |= {"pattern": row_facts["kind"], "rationale": row_facts.get("rationale")}
        values |= {"spans": spans(row_facts)}
    return _of_kind(context, settings, row_facts["kind"], is_hallucinated=is_induced, **values)


def _of_kind(context: Context, settings: Settings, kind: str, **values: Any) -> dict:
    """A sample of a turn; `values`: what tells it from the others of the turn."""
    pair_id = content_id("pair", context.item_id, PAIRED[kind])
    attributes = {"scenario": INDUCED, "kind": kind, "scheme": SCHEMES[kind]}
    return _sample(context, settings, attributes, pair_id=pair_id, **values)


def _sample(context: Context, settings: Settings, attributes: dict[str, str], **values: Any) -> dict:
    split = {"split_by_sample": side_by_sample(values["sample_id"], settings)}
    return sample_row(
        item_id=context.item_id,
        group_id=context.group_id,
        task="dialogue",
        lang=context.lang,
        label_source="silver",
        split=side_of(context.group_id, settings),
        attributes=pairs(**attributes, **split, **context.of_turn),
        **values,
    )
