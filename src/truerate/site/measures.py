"""How a number is read and shown: the measure of a metric; labels of slice values, in words and in order."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields

from markupsafe import Markup

from truerate.core import metric
from truerate.site.languages import NAMES, language

ABSENT = Markup(metric.ABSENT)
_LABELS = {
    "all": "All", "held-out": "Held-out wordings",
    "silver": "Silver", "gold": "Gold", "natural": "Natural", "raw": "Raw", "hr_est": "HR_est",
    "rogan-gladen": "Rogan–Gladen", "planted": "Planted", "multi": "Multi", "mono": "Mono", "binary": "Binary", "category": "Category",
    "kept": "Kept", "qa": "QA", "dialogue": "Dialogue", "summarization": "Summarization", "general": "General", "plain": "Plain",
    "knowledge": "With knowledge", "chain-of-thought": "Chain of thought", "contrast": "Sample contrast", "one-pass": "One-pass",
    "conversational": "Conversational", "before": "Before", "after": "After", "refined": "After", "comprehension": "Comprehension",
    "factualness": "Factualness", "specificity": "Specificity", "inference": "Inference", "factual": "Factual",
    "non-factual": "Non-factual", "intrinsic": "Intrinsic", "entity": "Entity",
    "relation": "Relation", "contradictory": "Contradictory", "unverifiable": "Unverifiable", "invented": "Invented",
    "subjective": "Subjective", "irrelevant": "Irrelevant",
    "extrinsic-soft": "Extrinsic, soft", "extrinsic-hard": "Extrinsic, hard", "extrinsic-grouped": "Extrinsic, grouped",
    "lexical-lr": "Lexical regression", "answer-ngrams": "The wording (n-grams)", "majority": "The more frequent label",
    "words": "The number of words", "characters": "The number of characters", "final-stop": "A final full stop",
    "trailing-space": "Trailing white space", "overlap": "Overlap with the knowledge", "text": "Whole texts", "word": "Words",
    "annotators": "The labellers", "helma": "HELMA", "mfava": "mFAVA", "train": "Training passages", "article": "Articles",
    "wild": "Replies in the wild", "dont_know": "Does not know", "max-voting": "Max-voting", "closest-to-silver": "Closest to silver",
    "t-test": "t-test", "bootstrap": "paired bootstrap", "passage": "Whole passages", "published": "As published",
    "translate_reference": "Translate the reference", "hallucination": "Hallucination",
    "corrected": "Corrected", "common": "Common subset", "strict": "Strict", "unsupported": "Not supported", "supported": "Supported",
    "wildhallucinations": "WildHallucinations", "toxic": "Toxic message", "no-entity": "No entity", "private-person": "Private person",
    "takedown": "Asked to be left out", "ambiguous": "Means several things", "unparsed-domain": "Domain not read",
    "over-limit": "Over the limit", "no-page": "No page found", "not-english": "Not in English", "retrieval": "Retrieval",
    "generate": "Replies", "write_facts": "Fact writing", "verify_facts": "Verification",
    "verify_facts_single": "Verification, one by one", "entailment": "Entailment", "contradictory-web": "Pages contradict each other",
    "outdated": "Outdated",
}  # fmt: skip
_ORDER = list(_LABELS)
_SAID = {  # values that mean something else under one key
    ("reason", "all"): "All reasons", ("type", "all"): "All types", ("task", "silver"): "Passages", ("rating", "1"): "Very unlikely",
    ("rating", "2"): "Unlikely", ("rating", "3"): "Neutral", ("rating", "4"): "Likely", ("rating", "5"): "Very likely",
    ("source", "no labels"): "No labels", ("source", "gold"): "Gold, by people",
    ("source", "silver"): "Silver, by the writer", ("oddity", "repeats"): "Repeats itself",
    ("measure", "raw"): "WildFactScore", ("measure", "corrected"): "Corrected", ("measure", "strict"): "Strict",
    ("measure", "responding"): "Responding", ("estimator", "raw"): "Raw", ("rule", "paper"): "The paper’s phrases",
    ("rule", "measured"): "Ours", ("split", "held"): "Held-out probes", ("split", "dev"): "Probes it was written on",
    ("wikipedia", "yes"): "On Wikipedia", ("wikipedia", "no"): "Not on Wikipedia", ("setting", "all"): "All settings",
    ("reply", "abstained"): "Abstains", ("reply", "all-supported"): "Every fact supported",
    ("reply", "some-unsupported"): "Some fact not supported", ("reply", "no-fact"): "Without a fact",
    ("reply", "not-read"): "Not wholly read", ("reply", "not-written"): "Facts not written",
    ("verdict", "duplicate"): "Repeats an earlier one", ("verdict", "title"): "Restates the name",
    ("verdict", "unparsed"): "No verdict read", ("verdict", "labelled"): "Labelled by people",
    ("verdict", "reviewed"): "Reviewed by people", ("verdict", "not-asked"): "Not asked",
    ("kind", "unverifiable"): "Cannot be verified", ("kind", "correct"): "The verdict holds", ("kind", "generation"): "Made up",
    ("kind", "fact"): "Facts", ("kind", "review"): "Verdicts, reviewed",
    ("stage", "messages"): "Messages", ("stage", "names"): "Names in them", ("stage", "entities"): "Entities",
    ("stage", "public"): "Not private", ("stage", "unambiguous"): "Mean one thing", ("stage", "with-domain"): "With a domain",
    ("stage", "with-pages"): "With web pages", ("stage", "eligible"): "Worth keeping",
    ("outcome", "ok"): "Kept", ("outcome", "status"): "Another status than 200", ("outcome", "login-host"): "Shown to members alone",
    ("outcome", "sign-in"): "Asks to sign in", ("outcome", "timeout"): "Too slow", ("outcome", "redirects"): "Redirected too often",
    ("outcome", "refused-address"): "Not a public address", ("outcome", "robots"): "Robots not welcome",
    ("outcome", "not-html"): "No HTML", ("outcome", "undecodable"): "Not readable as text", ("outcome", "empty"): "No text",
    ("outcome", "duplicate"): "Same text as another page", ("outcome", "error"): "No connection, or broken",
}  # fmt: skip
_COUNTED = {"n_samples": "Hallucinated texts", "n_failed": "Texts passed as right"}  # as papers print them
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_VARIANTS = {"cot": "chain-of-thought"}


@dataclass(frozen=True)
class Measure(metric.Metric):
    """A metric as pages show it: its record, printed as HTML; `track` is empty where every board may carry it."""

    track: str = ""

    @classmethod
    def of(cls, record: metric.Metric, track: str = "") -> "Measure":
        """The measure of a record."""
        return cls(**{one.name: getattr(record, one.name) for one in fields(record)}, track=track)

    @property
    def anchor(self) -> str:
        """Where the methods page tells of it."""
        return "-".join(filter(None, ("measure", self.track, self.name)))

    def text(self, value: float | None) -> Markup:
        """A value as printed; what Markdown would act on is no danger here."""
        return Markup(super().text(value))


def label(value: str) -> str:
    """A slice value, step or metric in words: `chain-of-thought` → Chain of thought."""
    if value in _LABELS:
        return _LABELS[value]
    words = value.replace("_", " ").replace("-", " ")
    return words[:1].upper() + words[1:]


def said(key: str | None, value: str) -> str:
    """A slice value in words, by its key: languages by their English names; a model, the Hub id of one, stays
    as it is.

    Domains keep their hyphens; powers of ten (the rarity of a name, `10^3`) are printed as such.
    """
    if key == "lang":
        return language(value)
    if key in ("model", "generator") or "/" in value:
        return value
    if key == "domain":
        return value[:1].upper() + value[1:]
    if key == "rarity" and (found := re.fullmatch(r"10\^(\d+)", value)):
        return f"Perplexity 10{found[1].translate(_RAISED)}"
    return _SAID.get((key, value)) or label(value)


def short(subject: str) -> str:
    """A subject that is no model, in words where there are any: `final-stop` → A final full stop; names stay
    as they are.
    """
    return _LABELS.get(subject, subject)


def named(part: str, measures: Mapping[str, Measure]) -> str:
    """One part of a printed quantity in words: a metric, a metric with its variant (`accuracy+cot`), a slice
    value; else as it is.
    """
    if part in _COUNTED:
        return _COUNTED[part]
    name, _, variant = part.partition("+")
    if name in measures:
        return ", ".join(
            [measures[name].label] + ([label(_VARIANTS.get(variant, variant)).lower()] if variant else [])
        )
    counted = re.fullmatch(r"(n_samples|n_failed)_type(\d)", part)
    if counted:
        return f"{_COUNTED[counted[1]]}, pattern {counted[2]}"
    return _LABELS.get(part, part)


def place(value: str) -> tuple[int, str]:
    """Where a slice value stands: known ones in the protocol's order, others after them by name, numbers in
    it by their size.
    """
    name = NAMES.get(value, (value,))[0]
    return (
        _ORDER.index(value) if value in _ORDER else len(_ORDER),
        re.sub(r"\d+", lambda found: found[0].zfill(9), name),
    )
