"""How likely inserted hallucinations are to fool a reader (mFAVA section 3.1, Table 1): how a rating is read,
and the Score rows of ratings.

People rate the spans that they mark themselves, so that nothing tells them where a hallucination was inserted.
A mark counts for the inserted span that lies below it. One that a person overlooks has no rating: the share
of these stands beside, for a span that nobody sees fools its reader most.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from truerate.annotation.agreement import ANNOTATORS
from truerate.annotation.labels import BadLabel, Label
from truerate.core.spans.tags import TYPES
from truerate.metrics.score_writer import ALL, ScoreWriter
from truerate.metrics.tokens import marked
from truerate.tracks.mfava.settling import Text

RATINGS = ("very unlikely", "unlikely", "neutral", "likely", "very likely")
PASSAGE = "passage"  # the `type` of a rating of a whole passage
Rated = tuple[str, str, str, int | None]  # language, task, type of the inserted span, rating


def read_plausibility(value: object) -> int | None:
    """Return a rating from 1 to 5 (or its word in RATINGS); None for an empty one. Raises BadLabel for others."""
    if value is None or value == "":
        return None
    rating = value.strip().lower() if isinstance(value, str) else value
    if isinstance(rating, str):
        rating = RATINGS.index(rating) + 1 if rating in RATINGS else int(rating) if rating.isdecimal() else 0
    if isinstance(rating, bool) or not isinstance(rating, int | float) or rating not in range(1, 6):
        detail = f"plausibility is {str(value)[:40]!r}; allowed: 1–5, or {', '.join(RATINGS)}"
        raise BadLabel("bad_plausibility", detail)
    return int(rating)


def inserted_ratings(label: Label, text: Text) -> list[Rated]:
    """Return what one label says of each inserted span of a passage: the rating of the first rated mark that
    shares a token with it, None where no mark does.

    A span is a run of tokens with one silver type. A mark without a rating leaves its span out. Empty where
    the label rates no span, so that a task which asks for no rating has no overlooked span.
    """
    if text.silver is None or not any(label.ratings):
        return []
    bounds = np.flatnonzero(np.diff(text.silver, prepend=0, append=0))
    spans = [
        (start, end)
        for start, end in zip(bounds, [*bounds[1:], len(text.silver)], strict=True)
        if start < end and text.silver[start]
    ]
    marks = [
        (marked(text.offsets, [(span.start, span.end)]), rating)
        for span, rating in zip(label.spans, label.ratings, strict=True)
    ]
    rows: list[Rated] = []
    for start, end in spans:
        below = [rating for tokens, rating in marks if tokens[start:end].any()]
        rating = next((rating for rating in below if rating is not None), None)
        if rating is not None or not below:
            rows.append((text.lang, text.task_id, TYPES[text.silver[start] - 1], rating))
    return rows


def plausibility_scores(
    labels: Iterable[Label], texts: Mapping[str, Text], writer: ScoreWriter
) -> list[dict]:
    """Return `plausibility_rate` of each rating and `overlooked_rate`, per language and type of the inserted
    span, and over all; the rate also of whole passages (type `passage`) where labels rate those.

    The rate is a share of the ratings, `overlooked_rate` the share of inserted spans that the person who rated
    the others of the passage did not mark. Intervals resample passages. No rating, no rows.
    """
    of_spans, of_passages = [], []
    for label in labels:
        of_spans += inserted_ratings(label, texts[label.task_id])
        if label.rating is not None:
            of_passages.append((texts[label.task_id].lang, label.task_id, PASSAGE, label.rating))
    scores = []
    for lang in [*sorted({lang for lang, *_ in of_spans + of_passages}), ALL]:
        for kind in (ALL, *TYPES):
            part = [row for row in of_spans if lang in (ALL, row[0]) and kind in (ALL, row[2])]
            scores += _rates([row for row in part if row[3] is not None], lang, kind, writer)
            if part:
                where, overlooked = {"lang": lang, "type": kind}, [row[3] is None for row in part]
                clusters = [row[1] for row in part]
                scores.append(writer.share("overlooked_rate", ANNOTATORS, where, overlooked, clusters))
        passages = [row for row in of_passages if lang in (ALL, row[0])]
        scores += _rates(passages, lang, PASSAGE, writer)
    return scores


def _rates(rows: Sequence[Rated], lang: str, kind: str, writer: ScoreWriter) -> list[dict]:
    """The share of each rating among rows; none of no rows."""
    clusters = [task for _, task, *_ in rows]
    return [
        writer.share(
            "plausibility_rate",
            ANNOTATORS,
            {"lang": lang, "type": kind, "rating": rating},
            [row[3] == rating for row in rows],
            clusters,
        )
        for rating in range(1, 6)
        if rows
    ]
