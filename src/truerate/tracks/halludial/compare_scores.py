"""What is scored of comparisons (HalluDial appendix C): which of two responses is the hallucinated one, asked in
both orders. A choice that could not be read is wrong in `accuracy` and left out of `accuracy_parsed`; the paper's
averages leave it out and pool the orders.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl

from truerate.core.schemas import Outcome, frame, pair
from truerate.metrics.contrasts import Contrast, contrast_scores, contrasts
from truerate.metrics.judged import by_subject, is_unanswered, judged
from truerate.metrics.recognition_scores import Rows, settled
from truerate.metrics.score_writer import Ratio, ScoreWriter
from truerate.tracks.halludial.comparing import INDUCED_FIRST, VARIANT
from truerate.tracks.halludial.judged_texts import COLUMNS


def score_compared(samples: pl.DataFrame, judgements: pl.DataFrame, writer: ScoreWriter) -> Rows:
    """Score rows of every judge and kind of pair: of both orders together, of each, and of pairs right in both.

    A pair is known by its hallucinated side: one reference stands in several.
    """
    said = judgements.filter(pair("attributes", "variant") == VARIANT)
    rows = judged(samples, said, variant=VARIANT, said=("kind",), columns=COLUMNS)
    made = Rows()
    for subject, where, part in by_subject(rows, ("variant", "kind")):
        pairs = contrasts(part, hallucinated_first=INDUCED_FIRST, pair_id="sample_id")
        scores = [*contrast_scores(subject, where, pairs, writer), *_by_order(subject, where, pairs, writer)]
        asked = part.filter("is_hallucinated")
        if is_unread(pairs) and not is_unanswered(asked):
            made += writer.no_verdicts(subject, where, scores, asked.height, kept="unparsed_rate")
        else:
            made += settled(subject, where, asked, scores, frame(Outcome), writer)[0]
    return made


def is_unread(pairs: Sequence[Contrast]) -> bool:
    """Whether pairs were asked and no choice could be read: then a judge has no accuracy, of 0 neither."""
    return bool(pairs) and all(named is None for pair in pairs for named in pair.named.values())


def _by_order(subject: str, where: dict, pairs: Sequence[Contrast], writer: ScoreWriter) -> Rows:
    """Accuracy per order, unread choices wrong and dropped, and dropped over both orders."""
    told = [(order, said, pair.group_id) for pair in pairs for order, said in pair.named.items()]
    orders = np.array([order for order, *_ in told])
    hits = np.array([said is True for _, said, _ in told], dtype=bool)
    read = np.array([said is not None for _, said, _ in told], dtype=bool)
    asked: list[Ratio] = [("accuracy_parsed", where, hits, read)]
    for order in sorted(set(orders)):
        inside = orders == order
        slice_ = {**where, "order": order}
        asked.append(("accuracy", slice_, hits & inside, inside))
        asked.append(("accuracy_parsed", slice_, hits & inside, read & inside))
    return writer.shares(subject, asked, [group for *_, group in told])
