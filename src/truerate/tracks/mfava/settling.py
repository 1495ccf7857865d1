"""Which annotators count, and one set of spans from several people's labels of a text (mFAVA section 3.1, appendix A.2).

Annotators of a language pass where they agree enough with silver. A text that one of them labelled takes that label; a
text that several labelled is settled by max-voting over its tokens, or (the paper's way) as the annotator says who is
closest to silver over all shared texts, which favours silver. Which one makes the samples is a setting; agreement with
silver is scored for both.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from truerate.annotation.labels import Label, Span
from truerate.annotation.screening import passing
from truerate.annotation.voting import by_task
from truerate.core.tags import TYPES
from truerate.metrics.agreement import marked_agreement
from truerate.metrics.spans import HARD
from truerate.metrics.tokens import Span as Offset
from truerate.metrics.tokens import marked

VOTING, CLOSEST = "max-voting", "closest-to-silver"
SETTLEMENTS = (VOTING, CLOSEST)
Tokens = Mapping[tuple[str, str], np.ndarray]  # token types by (task, annotator)


@dataclass(frozen=True)
class Text:
    """A text that people label: a silver passage (with silver's token types) or a reply in the wild."""

    task_id: str
    item_id: str
    group_id: str
    task: str
    lang: str
    text: str
    generator: str | None
    offsets: tuple[Offset, ...]
    silver: np.ndarray | None = field(compare=False)


@dataclass(frozen=True)
class Screened:
    """The labels of annotators who passed, by task, and the token types of each label, by (task, annotator).

    `agreement`: with silver, of each (language, annotator); `passed`: who reached the threshold; `closest`:
    who of a language agrees most with silver over the shared passages.
    """

    labels: dict[str, list[Label]]
    tokens: Tokens
    agreement: dict[tuple[str, str], float | None]
    passed: set[tuple[str, str]]
    closest: dict[str, str]


# ---- tokens of one text ------------------------------------------------------------------------------------


def token_types(offsets: Sequence[Offset], spans: Iterable[Span]) -> np.ndarray:
    """Return the type of each token (tokens,) as a place in TYPES plus 1, 0 where it is not marked; of several spans
    the later one holds.
    """
    types = np.zeros(len(offsets), dtype=int)
    for span in spans:
        types[marked(offsets, [(span.start, span.end)])] = TYPES.index(span.type) + 1
    return types


def row_types(offsets: Sequence[Offset], spans: Sequence[dict]) -> np.ndarray:
    """Return the token types of the hard spans of a Sample row; a source that has no types counts as having one."""
    hard = [span for span in spans if span["p"] is None or span["p"] > HARD]
    typed = [(span, span["type"] if span["type"] in TYPES else TYPES[0]) for span in hard]
    return token_types(offsets, [Span(span["start"], span["end"], kind) for span, kind in typed])


def voted(offsets: Sequence[Offset], labels: Sequence[Label]) -> tuple[np.ndarray, np.ndarray]:
    """Return, by max-voting over the tokens of one text, each token's share of annotators who marked it, and the type
    most of those named.

    Both (tokens,); ties of types go by the order of TYPES. The type of a token that nobody marked is 0.
    """
    types = np.stack([token_types(offsets, label.spans) for label in labels])
    votes = np.stack([(types == place).sum(axis=0) for place in range(1, len(TYPES) + 1)])
    share = (types > 0).mean(axis=0)
    return share, np.where(share > 0, votes.argmax(axis=0) + 1, 0)


def runs(
    offsets: Sequence[Offset], types: np.ndarray, share: np.ndarray, keep: Callable[[float], bool]
) -> list[dict]:
    """Return spans (`start`, `end`, `type`, `p`) of neighbouring tokens with one type and one share; `keep` says
    which shares are shown.
    """
    spans: list[dict] = []
    last = None
    for (start, end), place, p in zip(offsets, types.tolist(), share.tolist(), strict=True):
        now = (place, p) if place and keep(p) else None
        if now is not None and now == last:
            spans[-1]["end"] = end
        elif now is not None:
            spans.append({"start": start, "end": end, "type": TYPES[place - 1], "p": round(p, 6)})
        last = now
    return spans


# ---- all texts ---------------------------------------------------------------------------------------------


def screened(labels: Sequence[Label], texts: Mapping[str, Text], *, threshold: float) -> Screened:
    """Return the labels that count: of annotators of a language whose agreement with silver on its passages reaches
    the threshold, or is not known.
    """
    tokens = {
        (label.task_id, label.annotator): token_types(texts[label.task_id].offsets, label.spans)
        for label in labels
    }
    passages_of: dict[tuple[str, str], list[str]] = {}
    for label in labels:
        text = texts[label.task_id]
        passages = passages_of.setdefault((text.lang, label.annotator), [])
        passages += [label.task_id] if text.silver is not None else []
    agreement = {
        (lang, annotator): _agreement(passages, annotator, tokens, texts)
        for (lang, annotator), passages in sorted(passages_of.items())
    }
    passed = passing(agreement, threshold)
    kept = by_task(label for label in labels if (texts[label.task_id].lang, label.annotator) in passed)
    # who agrees most with silver over the passages that several labelled; the first by name of equals
    shared: dict[str, dict[str, list[str]]] = {}
    for name, of_task in kept.items():
        if len(of_task) > 1 and texts[name].silver is not None:
            for label in of_task:
                shared.setdefault(texts[name].lang, {}).setdefault(label.annotator, []).append(name)
    closest = {
        lang: max(sorted(names), key=lambda who: _agreement(names[who], who, tokens, texts) or 0.0)
        for lang, names in sorted(shared.items())
    }
    return Screened(kept, tokens, agreement, passed, closest)


def _agreement(
    names: Sequence[str], annotator: str, tokens: Tokens, texts: Mapping[str, Text]
) -> float | None:
    silver = (texts[name].silver for name in names)
    return marked_agreement([tokens[name, annotator] for name in names], [t for t in silver if t is not None])


def settled(labels: Sequence[Label], text: Text, closest: Mapping[str, str], *, settle: str) -> list[dict]:
    """Return the spans of one text: its one annotator's, or as several are settled. A voted span has the share of
    annotators as p.

    Voted replies in the wild keep the spans of minorities, too (soft labels; p ≤ 0.5 does not count as
    marked); silver passages do not.
    """
    only = labels[0] if len(labels) == 1 else None
    if only is None and settle == CLOSEST:
        only = next((label for label in labels if label.annotator == closest.get(text.lang)), None)
    if only is not None:
        return [{**span._asdict(), "p": None} for span in only.spans]
    share, types = voted(text.offsets, labels)
    least = 0 if text.task == "wild" else HARD
    return runs(text.offsets, types, share, lambda p: p > least)
