"""What a plan assumes of a reply that has not come, one that leads to the most further questions, and what people's
labels of replies will tell.

An article gets all its queries; a silver passage keeps the rules of every round (`silver.kept`). The number of
calls is therefore an upper bound, and exact once everything is stored. Weights that translate ask nobody.
"""

from collections.abc import Iterable, Iterator
from math import ceil
from typing import Any

from truerate.config import Backbone, Params
from truerate.config.layout import Layout
from truerate.core.keys import content_id
from truerate.llm import Request
from truerate.tracks.gpu_cost import READ, GpuHours, GridCell, hours
from truerate.tracks.mfava.wild import NATURAL, n_labels, n_shared

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


# ---- What the detectors of a board cost in GPU hours: arithmetic from setti --------------------------------


TAUGHT = 0.7  # of the passages are learned from, the others validate (mFAVA Table 5)
TOKENS_LEARNED = 1_350  # of a passage of FAVA's training file with its references (counted there)
TOKENS_JUDGED = 800  # of a reply with the lead that it is held against (assumed: 600 and 200)
LEARNED = 6.15  # operations per parameter and token, attention over TOKENS_LEARNED among them


def gpu_hours(p: Params, board: str, cells: Iterable[GridCell]) -> list[GpuHours]:
    """The hours of every network that says its size (`resources.size_b`). `cells`: those of the board's grid."""
    known = list(cells)
    found = []
    for member in dict.fromkeys(cell.member for cell in known):
        backbone = p.backbones.get(member)
        if backbone is None or backbone.resources.size_b is None:
            continue
        own = [cell for cell in known if cell.member == member]
        train = sum(training_hours(p, board, backbone, is_mono=cell.is_mono) for cell in own)
        judge = sum(
            judging_hours(p, board, backbone, is_mono=cell.is_mono, is_everywhere=cell.is_everywhere)
            for cell in own
        )
        found.append(GpuHours(member, len(own), train, judge))
    return found


def training_hours(p: Params, board: str, backbone: Backbone, *, is_mono: bool) -> float:
    """Hours of one training: all passages for so many epochs, those that validate read once."""
    n = _passages(p, board, is_mono=is_mono)
    learned = TAUGHT * n * backbone.epochs
    if backbone.max_steps is not None:
        learned = min(learned, backbone.max_steps * backbone.batch * backbone.accumulation)
    return hours(backbone, (LEARNED * learned + READ * (1 - TAUGHT) * n) * TOKENS_LEARNED)


def judging_hours(
    p: Params, board: str, backbone: Backbone, *, is_mono: bool, is_everywhere: bool = True
) -> float:
    """Hours of one detector over the silver passages and replies in the wild that it judges: all replies, or those
    that people label.
    """
    size, track = p.size_of(board), p.track(board)
    n_langs = 1 if is_mono else len(track.languages)
    wild = size.articles * track.wild.queries_per_article * track.wild.replicates * len(track.subjects)
    texts = n_langs * ((wild if is_everywhere else min(wild, size.natural)) + size.silver)
    return hours(backbone, texts * READ * TOKENS_JUDGED)


def _passages(p: Params, board: str, *, is_mono: bool) -> int:
    """Training passages of one detector: as many in each language, English ones among them."""
    langs = {*p.track(board).languages, "en"}
    return p.size_of(board).train * (1 if is_mono else len(langs))
