"""What people's labels of replies are worth: which of them are one person's, and how much one person overlooks
beside the vote of several.

A voted reply keeps the share of people who marked each token, so that the tokens which one of them marks on average
are the sum of these shares. A reply that is settled otherwise tells nothing of it.
"""

import numpy as np
import polars as pl

from truerate.core.schemas import pair
from truerate.metrics.estimators.label_errors import EXACT, LabelError, label_error
from truerate.tracks.mfava.marking import Labelled, Texts


def labellers(natural: Labelled) -> np.ndarray:
    """How many people who are heard labelled each sample, (samples,); 0 where a source does not say."""
    said = natural.samples.select(pair("attributes", "n_labels").cast(pl.Int64).fill_null(0))
    return said["n_labels"].to_numpy()


def mean_marks(natural: Labelled, texts: Texts) -> np.ndarray:
    """The tokens that one person marks of each sample, the mean over those who labelled it, (samples,): the sum over
    tokens of the share of people who marked them.
    """
    spans = (
        natural.samples.select("spans", place=pl.Series(natural.places, dtype=pl.Int64))
        .filter(pl.col("spans").list.len() > 0)
        .explode("spans")
        .unnest("spans")
    )
    shares = spans["p"].fill_null(1.0).to_numpy()
    places, starts, ends = (spans[name].to_numpy() for name in ("place", "start", "end"))
    marks = np.zeros(len(texts.line.sizes))
    for share in np.unique(shares):
        inside = shares == share
        marks += share * texts.line.per_text(texts.line.marked(places[inside], starts[inside], ends[inside]))
    return marks[natural.places]


def labelling_error(natural: Labelled, texts: Texts) -> LabelError:
    """The error of one person's label of a reply, from replies that several labelled; none where there are too few.

    Of each such reply the mean person is told and not each, so that the noise of one person is not: it counts only
    where a rate is about `these` very replies.
    """
    return error_of_shared(shared_marks(natural, texts))


def shared_marks(natural: Labelled, texts: Texts) -> pl.DataFrame:
    """Of each sample that several people labelled the tokens that their `vote` marks and those that `each` of them
    does in the mean: `sample_id`, `group_id`, `vote`, `each`.
    """
    votes = texts.line.per_text(natural.is_gold)[natural.places]
    known = natural.samples.select("sample_id", "group_id").with_columns(
        vote=pl.Series(votes, dtype=pl.Float64), each=pl.Series(mean_marks(natural, texts), dtype=pl.Float64)
    )
    return known.filter(pl.Series(labellers(natural) > 1, dtype=pl.Boolean))


def error_of_shared(shared: pl.DataFrame) -> LabelError:
    """`labelling_error` from `shared_marks`, in whatever order these are."""
    known = shared.sort("sample_id")
    votes, each = known["vote"].to_numpy(), known["each"].to_numpy()[:, None]
    return label_error(votes, each, known["group_id"].to_numpy()) or EXACT
