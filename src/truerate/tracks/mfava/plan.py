"""What a plan assumes of a reply that has not come, one that leads to the most further questions, and what people's
labels of replies will tell.

An article gets all its queries; a silver passage keeps the rules of every round (`silver.kept`). The number of
calls is therefore an upper bound, and exact once everything is stored. Weights that translate ask nobody.
"""

from collections.abc import Iterator
from math import ceil
from typing import Any

from truerate.config.layout import Layout
from truerate.core.keys import content_id
from truerate.llm import Request
from truerate.tracks.mfava.gpu_hours import gpu_hours
from truerate.tracks.mfava.tasks import NATURAL, n_labels, n_shared

__all__ = ["FIRST_DRAWN", "assumed", "gpu_hours", "label_notes", "labels"]

# Sizes whose first texts stay the same whatever the size (`dataset.chosen`): a probe cuts them.
FIRST_DRAWN = ("train", "held_out", "silver", "articles")


def assumed(step: str, key: str, request: Request, settings: Any) -> str:
    """Numbered queries where they are asked for, else any text."""
    if step != "query":
        return f"assumed {content_id(key)}"
    numbers = range(1, settings.wild.queries_per_article + 1)
    return "\n".join(f"{number}. assumed {content_id(key, number)}?" for number in numbers)


# ---- labels ------------------------------------------------------------------------------------------------

RATE = 0.1  # that is planned for; where fewer tokens are hallucinated intervals are narrower
APART = (0.1, 0.05, 0.03)  # differences of two models' means that one may wish to see
# Labels tell of all replies that a model would give, so that even with all of these labelled something is left.
ENDLESS = 10**9


def labels(at: Layout, board: str) -> Iterator[dict[str, Any]]:
    """What people's labels of replies will give: of the number that is set, of a half and of all replies, and of
    those that tell two models apart whose means over languages differ by so much (power .8, all pairs of models).

    Per line: what it is for, `labels` and `replies` labelled per language, of which `per_model`; the interval of a
    `rate` of RATE in a language, and half the width of a model's mean (`estimators.planning.Plan`); the least
    difference of two means that is told apart. `labels` is null where there are not so many replies. Labellers who
    are not heard are not counted: as many more are needed.
    """
    from truerate.metrics.estimators.planning import Plan

    settings, size = at.p.track(board), at.p.size_of(board)
    n_models = len(settings.subjects)
    if not n_models or not size.natural:
        return
    n = size.articles * settings.wild.queries_per_article * settings.wild.replicates
    known = {"rate": RATE, "confidence": at.p.statistics.confidence}
    plan = Plan(n=ENDLESS, n_langs=len(settings.languages), **known)

    def line(purpose: str, k: int, replies: int) -> dict[str, Any]:
        """What `k` labelled replies per model of a language, `replies` in all, will tell."""
        found = plan.interval(k)
        enough = k <= n
        return {
            "labels_for": purpose,
            "labels": n_labels(NATURAL, replies, settings.labelling) if enough else None,
            "replies": replies,
            "per_model": k,
            "rate": RATE,
            "low": found.low,
            "high": found.high,
            "mean_plus_minus": plan.half_width_of_mean(k),
            "told_apart": plan.told_apart(k, n_models=n_models),
        }

    drawn = min(size.natural, n * n_models)
    for purpose, replies in (
        ("as set", drawn),
        ("half of it", ceil(drawn / 2)),
        ("all replies", n * n_models),
    ):
        yield line(purpose, max(2, replies // n_models), replies)
    for difference in APART:
        k = plan.labels_to_separate(difference, n_models=n_models)
        yield line(f"{100 * difference:.0f} points apart", k, k * n_models)


def label_notes(at: Layout, board: str) -> Iterator[str]:
    """What the intervals of `labels` do not hold: where no reply is labelled by several people nothing tells what one of
    them passes over, so that rates are those which one person sees (benchmarks/RESULTS.md: of 36 replies a cell labelled
    so .83 of intervals of .95 hold, of 30 with one for all .96).
    """
    rules, size = at.p.track(board).labelling, at.p.size_of(board)
    if size.natural and (rules.n_annotators < 2 or not n_shared(NATURAL, size.natural, rules)):
        yield (
            "no reply goes to several people, so nothing will tell what one person passes over, and intervals hold no room for it: "
            f"set tracks.mfava.labelling.shared_natural_labels above {rules.shared_natural_labels:g}, and n_annotators to 2 or more"
        )
