"""mFAVA as the stages know it, and what a plan assumes of its replies, labels and networks.

An article gets all its queries; a silver passage keeps the rules of every round (`silver.assumed`): the
number of calls is an upper bound, and exact once everything is stored. Weights that translate ask nobody.
"""

from collections.abc import Iterable, Iterator
from math import ceil
from typing import Any

from truerate.config import Backbone, Params
from truerate.config.layout import Layout
from truerate.core.keys import content_id
from truerate.llm.request import Request
from truerate.tracks.mfava import context, dataset, labels, marking, scores, steps
from truerate.tracks.mfava.dataset import NATURAL, n_labels, n_shared
from truerate.tracks.mfava.published import public_tables
from truerate.tracks.mfava.settings import Settings, Sizes
from truerate.tracks.mfava.settings import faults as setting_faults
from truerate.tracks.mfava.translating import REFERENCE, TRANSLATE
from truerate.tracks.protocol import READ, GpuHours, GridCell, Protocol, hours

# Sizes whose first texts stay the same whatever the size (`context.chosen`): a probe cuts them.
FIRST_DRAWN = ("train", "held_out", "silver", "articles")


def assumed(step: str, key: str, request: Request, settings: Any) -> str:
    """Return numbered queries where they are asked for, else any text."""
    if step != "query":
        return f"assumed {content_id(key)}"
    numbers = range(1, settings.wild.queries_per_article + 1)
    return "\n".join(f"{number}. assumed {content_id(key, number)}?" for number in numbers)


# ---- labels ------------------------------------------------------------------------------------------------

RATE = 0.1  # that is planned for; where fewer tokens are hallucinated intervals are narrower
APART = (0.1, 0.05, 0.03)  # differences of two models' means that one may wish to see
# A label is of any reply that a model would give: with all of these labelled some uncertainty is left.
ENDLESS = 10**9


def label_plan(config: Layout, board: str) -> Iterator[dict[str, Any]]:
    """Yield what people's labels of replies will give: of the number that is set, of a half and of all
    replies, and of those that tell two models apart whose means over languages differ by so much (power .8,
    all pairs).

    Per line: what it is for, `labels` and `replies` labelled per language, of which `per_model`; the interval
    of a `rate` of RATE in a language, half the width of a model's mean (`estimators.planning.Plan`), and the
    least difference of two means that is told apart. `labels` is null where there are not so many replies.
    Annotators who fail the screening are not counted: as many more are needed.
    """
    from truerate.metrics.estimators.grid import Plan

    settings, size = config.p.track(board), config.p.size_of(board)
    n_models = len(settings.subjects)
    if not n_models or not size.natural:
        return
    n = size.articles * settings.wild.queries_per_article * settings.wild.replicates
    confidence = config.p.statistics.confidence
    plan = Plan(n=ENDLESS, n_langs=len(settings.languages), rate=RATE, confidence=confidence)
    drawn = min(size.natural, n * n_models)
    wanted = (("as set", drawn), ("half of it", ceil(drawn / 2)), ("all replies", n * n_models))
    lines = [(purpose, max(2, replies // n_models), replies) for purpose, replies in wanted]
    for difference in APART:
        k = plan.labels_to_separate(difference, n_models=n_models)
        lines.append((f"{100 * difference:.0f} points apart", k, k * n_models))
    for purpose, k, replies in lines:
        interval = plan.interval(k)
        n_needed = n_labels(NATURAL, replies, settings.labelling) if k <= n else None
        line = {"labels_for": purpose, "labels": n_needed, "replies": replies, "per_model": k, "rate": RATE}
        line |= {"low": interval.low, "high": interval.high, "mean_plus_minus": plan.half_width_of_mean(k)}
        yield line | {"told_apart": plan.told_apart(k, n_models=n_models)}


def label_notes(config: Layout, board: str) -> Iterator[str]:
    """Yield what the intervals of `labels` leave out: where no reply is labelled by several people nothing
    tells what one of them passes over (benchmarks/RESULTS.md: of 36 replies a cell labelled so .83 of
    intervals of .95 hold, of 30 with one for all .96).
    """
    rules, size = config.p.track(board).labelling, config.p.size_of(board)
    if size.natural and (rules.n_annotators < 2 or not n_shared(NATURAL, size.natural, rules)):
        yield (
            "no reply goes to several people, so nothing will tell what one person passes over, and "
            "intervals hold no room for it: set tracks.mfava.labelling.shared_natural_labels above "
            f"{rules.shared_natural_labels:g}, and n_annotators to 2 or more"
        )


# ---- GPU hours, from settings alone ------------------------------------------------------------------------


TRAIN_SHARE = 0.7  # of the passages are trained on, the others validate (mFAVA Table 5)
TOKENS_TRAINED = 1_350  # of a passage of FAVA's training file with its references (counted there)
TOKENS_JUDGED = 800  # of a reply with the lead that it is checked against (assumed: 600 and 200)
TRAINED = 6.15  # operations per parameter and token, attention over TOKENS_TRAINED among them


def gpu_hours(p: Params, board: str, cells: Iterable[GridCell]) -> list[GpuHours]:
    """Return the hours of every network of the board's grid that says its size (`resources.size_b`)."""
    by_member: dict[str, list[tuple[float, float]]] = {}
    for member, is_mono, is_everywhere in cells:
        backbone = p.backbones.get(member)
        if backbone is not None and backbone.resources.size_b is not None:
            training = training_hours(p, board, backbone, is_mono=is_mono)
            judging = judging_hours(p, board, backbone, is_mono=is_mono, is_everywhere=is_everywhere)
            by_member.setdefault(member, []).append((training, judging))
    return [
        GpuHours(member, len(each), *map(sum, zip(*each, strict=True))) for member, each in by_member.items()
    ]


def training_hours(p: Params, board: str, backbone: Backbone, *, is_mono: bool) -> float:
    """Return the hours of one training: all passages (as many in each language, English among them) for so
    many epochs, those that validate read once.
    """
    langs = {*p.track(board).languages, "en"}
    n = p.size_of(board).train * (1 if is_mono else len(langs))
    trained = TRAIN_SHARE * n * backbone.epochs
    if backbone.max_steps is not None:
        trained = min(trained, backbone.max_steps * backbone.batch * backbone.accumulation)
    return hours(backbone, (TRAINED * trained + READ * (1 - TRAIN_SHARE) * n) * TOKENS_TRAINED)


def judging_hours(
    p: Params, board: str, backbone: Backbone, *, is_mono: bool, is_everywhere: bool = True
) -> float:
    """Return the hours of one detector over silver passages and all replies in the wild, or labelled ones."""
    size, track = p.size_of(board), p.track(board)
    wild = size.articles * track.wild.queries_per_article * track.wild.replicates * len(track.subjects)
    n = (wild if is_everywhere else min(wild, size.natural)) + size.silver
    return hours(backbone, n * (1 if is_mono else len(track.languages)) * READ * TOKENS_JUDGED)


# ---- the protocol ------------------------------------------------------------------------------------------


class MFava(Protocol):
    """Token-level detection in many languages, and rates of hallucination in the wild."""

    name = "mfava"
    settings, sizes = Settings, Sizes
    step_functions = {
        "silver": steps.silver,
        "translate": steps.translate,
        "query": steps.query,
        "check": steps.check,
        "answer": steps.answer,
    }
    contexts = staticmethod(context.contexts)
    exported = staticmethod(steps.exported)
    score = staticmethod(scores.score)
    scored_columns = steps.SCORED_COLUMNS
    referenced = "answer"
    scored_judgements = staticmethod(scores.scored_judgements)
    scored_parts = staticmethod(marking.scored_parts)
    label = staticmethod(labels.label)
    training, targets = staticmethod(dataset.training), staticmethod(dataset.targets)
    faults = staticmethod(setting_faults)
    public_tables = staticmethod(public_tables)
    assumed = staticmethod(assumed)
    template = staticmethod(lambda _, purpose, __: TRANSLATE if purpose == REFERENCE else purpose)
    first_drawn = FIRST_DRAWN
    label_precision, label_notes = staticmethod(label_plan), staticmethod(label_notes)
    gpu_hours = staticmethod(gpu_hours)


PROTOCOL = MFava()
