"""The two splits: by dialogue, which is that of the rows (`Sample.split`), and by sample, as published.

Split by sample, most test texts have a sibling of the same turn in train (98 % of the published ones by their
shares): what a judge learned of the context leaks.
"""

from truerate.core.keys import draw, split_of
from truerate.tracks.halludial.settings import Settings


def side_of(group_id: str, settings: Settings) -> str:
    """`train` or `test` of a dialogue, and of all its texts."""
    return split_of(group_id, train=settings.split.train)


def side_by_sample(sample_id: str, settings: Settings) -> str:
    """`train` or `test` of one text, whatever else its context holds (HalluDial section 2.3)."""
    return "train" if draw("sample-split", sample_id) < settings.split.train else "test"
