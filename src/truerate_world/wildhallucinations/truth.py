"""The planted truth of replies about entities: their statements held against the world. Replies are read as a
faultless fact writer would; abstentions are replayed. So the values are realised ones: what lies between them
and the estimates is the work of fact writer, retrieval, web pages and verifier.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import polars as pl

from truerate.core.text import sentences
from truerate_world.encyclopedia import World
from truerate_world.steps import attributes, mean_row, planted_row, score_rows
from truerate_world.wildhallucinations.models.behaviour_profile import PROFILES, base
from truerate_world.wildhallucinations.models.planted import planted_as
from truerate_world.wildhallucinations.models.reading import TITLE, Stated, fact_is_true, stated_by
from truerate_world.wildhallucinations.models.replying import NOBODY, Spoken, abstentions, spoken_of

__all__ = ["Reply", "fact_is_true", "planted_scores", "read_replies", "verifier_scores"]
PLANTED, OTHER = "planted", "other"
# slice -> attribute of the entity's item
SLICES = {"domain": "domain", "rarity": "rarity_group", "wikipedia": "is_wikipedia"}


@dataclass(frozen=True)
class Reply:
    """One reply: model, item, abstention, statements in order and which of them are true."""

    model: str
    item_id: str
    is_abstention: bool
    stated: tuple[Stated, ...] = ()
    is_true: tuple[bool, ...] = ()
    where: Mapping[str, str] = field(default_factory=dict)
    perplexity: float | None = None

    @property
    def responds(self) -> bool:
        """Whether it does not abstain."""
        return not self.is_abstention

    def share(self) -> float | None:
        """Share of what is stated that is true; None where it abstains or states nothing."""
        return sum(self.is_true) / len(self.is_true) if self.responds and self.is_true else None

    def strict(self) -> float:
        """1 where something is stated and all of it is true, else 0."""
        return float(self.responds and bool(self.is_true) and all(self.is_true))

    def deduplicated(self) -> float | None:
        """The share over different things."""
        record = dict(zip(self.stated, self.is_true, strict=True))
        return sum(record.values()) / len(record) if self.responds and record else None


def planted_scores(
    board: str,
    *,
    world: World,
    models: Mapping[str, str],
    generations: pl.DataFrame,
    items: pl.DataFrame,
    panel: Sequence[str] | None = None,
    domains_above: int = 0,
    bases: Mapping[str, str] = MappingProxyType({}),
    inputs: str = "",
    saying: Callable[..., Spoken] = spoken_of,
) -> list[dict]:
    """Return planted rows per subject, named as the track names its estimates.
    For all entities, the common ones (to which the whole `panel` responds) and slices; domains of at most
    `domains_above` entities are pooled. `models`: simulated models by alias; `bases`: those without search by those with it; `saying`:
    gives what they said.
    """
    replies = _pooled(read_replies(world, models, generations, items, saying), domains_above)
    rows: list[dict] = []
    responding = _common(replies, panel or sorted({reply.model for reply in replies}))
    for model in sorted({reply.model for reply in replies}):
        mine = [reply for reply in replies if reply.model == model]
        rows += _scores(model, mine, {"set": "all"})
        rows += _scores(model, [reply for reply in mine if reply.item_id in responding], {"set": "common"})
        rows += _of_replies(model, mine)
        for name in SLICES:
            for value in sorted({reply.where[name] for reply in mine if name in reply.where}):
                sliced = [reply for reply in mine if reply.where.get(name) == value]
                rows += _scores(model, sliced, {"set": "all", name: value})
    for model, without in bases.items():
        rows += _gains(model, without, replies)
    return score_rows(rows, board, inputs)


def read_replies(
    world: World,
    models: Mapping[str, str],
    generations: pl.DataFrame,
    items: pl.DataFrame,
    saying: Callable[..., Spoken] = spoken_of,
) -> list[Reply]:
    """Return every reply of purpose `generate` of a simulated model, read; dead ones are none."""
    item_of = {row["item_id"]: row for row in items.iter_rows(named=True)}
    ours = [alias for alias, model in models.items() if base(model) in PROFILES]
    is_reply = (
        (pl.col("purpose") == "generate")
        & pl.col("status").is_in(["ok", "abstained"])
        & pl.col("model").is_in(ours)
    )
    rows = generations.filter(is_reply & pl.col("item_id").is_in(list(item_of))).sort("generation_id")
    return [
        _read(world, models[row["model"]], row, item_of[row["item_id"]], saying)
        for row in rows.iter_rows(named=True)
    ]


def _read(world: World, simulated: str, row: dict, item: dict, saying: Callable[..., Spoken]) -> Reply:
    entity, name, text = _entity(world, item["question"]), item["question"], row["text"]
    spoken = saying(world, simulated, entity, row["sample_index"], name=name)
    is_abstention = spoken.is_abstention if spoken.text == text else text in abstentions(name)
    by_sentence = stated_by(world, sentences(text), entity)
    stated = tuple(statement for statements in by_sentence for statement in statements)
    truth = tuple(statement.is_true(world) for statement in stated)
    perplexity = float(value) if (value := attributes(item).get("rarity")) else None
    return Reply(row["model"], row["item_id"], is_abstention, stated, truth, _where(item), perplexity)


def _entity(world: World, name: str) -> int:
    named = planted_as(world, name)
    return named.entity if named and named.entity is not None else NOBODY


def _where(item: dict) -> dict[str, str]:
    """The slices that an entity is in; `wikipedia` is yes or no."""
    fields = attributes(item)
    record = {name: fields[attribute] for name, attribute in SLICES.items() if attribute in fields}
    if "wikipedia" in record:
        record["wikipedia"] = "yes" if record["wikipedia"].casefold() in ("true", "yes") else "no"
    return record


def _pooled(replies: Sequence[Reply], above: int) -> list[Reply]:
    """The replies with their domain named `other` where it has no more than so many entities."""
    entities = {reply.item_id: reply.where["domain"] for reply in replies if "domain" in reply.where}
    n = Counter(entities.values())
    return [
        replace(reply, where={**reply.where, "domain": OTHER})
        if 0 < n[reply.where.get("domain")] <= above
        else reply
        for reply in replies
    ]


def _common(replies: Iterable[Reply], panel: Sequence[str]) -> set[str]:
    """The items to which every model of the panel responds, in every sample."""
    silent = {(reply.model, reply.item_id) for reply in replies if reply.is_abstention}
    asked = {(reply.model, reply.item_id) for reply in replies}
    responded = asked - silent
    return {item for _, item in asked if all((model, item) in responded for model in panel)}


def _scores(model: str, replies: Sequence[Reply], where: dict[str, str]) -> list[dict]:
    metrics = {
        "wildfactscore": Reply.share,
        "wildfactscore_strict": Reply.strict,
        "wildfactscore_dedup": Reply.deduplicated,
    }
    rows = []
    for metric, value_of in metrics.items():
        values = [value for reply in replies if (value := value_of(reply)) is not None]
        if values:
            # as the track names its estimates
            estimator = {} if value_of is Reply.deduplicated else {"estimator": PLANTED}
            rows.append(mean_row(metric, model, estimator | where, values))
    return [*rows, *_of_facts(model, replies, where)]


def _gains(model: str, without: str, replies: Sequence[Reply]) -> list[dict]:
    """What a search adds over the items of both models (one reply each), over each rarity and coverage, and over
    the rarest third of the names less the most frequent one.
    """
    both = [{of.item_id: of for of in replies if of.model == name} for name in (model, without)]
    pairs = [(of, both[1][item]) for item, of in sorted(both[0].items()) if item in both[1]]
    slices = sorted(
        {(key, of.where[key]) for of, _ in pairs for key in ("rarity", "wikipedia") if key in of.where}
    )
    metrics: dict[str, Callable[[Reply], float | None]] = {
        "wildfactscore_gain": Reply.share,
        "wildfactscore_strict_gain": Reply.strict,
        "responding_gain": lambda reply: float(reply.responds),
    }
    rows = []
    for where in [{}, *({key: value} for key, value in slices)]:
        inside = [pair for pair in pairs if where.items() <= pair[0].where.items()]
        for metric, value_of in metrics.items():
            values = [(value_of(of), value_of(other)) for of, other in inside]
            gains = [a - b for a, b in values if a is not None and b is not None]
            rows += [mean_row(metric, model, {"base": without, **where}, gains)] if gains else []
    ordered = sorted(of.perplexity for of, _ in pairs if of.perplexity is not None)
    n = (len(ordered) - 1) // 3
    if ordered and ordered[n] < ordered[-1 - n]:
        for metric, value_of in metrics.items():
            outer: dict[bool, list[float]] = {True: [], False: []}
            for of, other in pairs:
                at, a, b = of.perplexity, value_of(of), value_of(other)
                if None not in (at, a, b) and not ordered[n] < at < ordered[-1 - n]:
                    outer[at >= ordered[-1 - n]].append(a - b)
            if all(outer.values()):
                rare, frequent = (sum(outer[key]) / len(outer[key]) for key in (True, False))
                size = len(outer[True]) + len(outer[False])
                where = {"base": without}
                rows.append(planted_row(f"{metric}_by_rarity", model, where, rare - frequent, size))
    return rows


def _of_facts(model: str, replies: Sequence[Reply], where: dict[str, str]) -> list[dict]:
    """Rates of replies without facts, of repeated facts and of titles, where models respond."""
    responding = [reply for reply in replies if reply.responds]
    n_facts = sum(len(reply.stated) for reply in responding)
    if not n_facts:
        return []
    n_repeated = sum(len(reply.stated) - len(set(reply.stated)) for reply in responding)
    n_title = sum(stated.kind == TITLE for reply in responding for stated in reply.stated)
    return [
        mean_row("no_fact_rate", model, where, [not reply.stated for reply in responding]),
        planted_row("duplicate_fact_rate", model, where, n_repeated / n_facts, n_facts),
        planted_row("title_fact_rate", model, where, n_title / n_facts, n_facts),
    ]


def _of_replies(model: str, replies: Sequence[Reply]) -> list[dict]:
    """How many replies respond, and how many facts these have."""
    responding = [reply for reply in replies if reply.responds]
    rows = [
        planted_row("responding_rate", model, {"rule": PLANTED}, len(responding) / len(replies), len(replies))
    ]
    if responding:
        n_facts = sum(len(reply.stated) for reply in responding)
        rows.append(planted_row("facts_per_response", model, {}, n_facts / len(responding), len(responding)))
    return rows


def verifier_scores(
    board: str,
    *,
    world: World,
    items: pl.DataFrame,
    facts: pl.DataFrame,
    judgements: pl.DataFrame,
    inputs: str = "",
) -> list[dict]:
    """Return planted rows: verifier_tpr, _fpr and _accuracy per judge, of the verdicts in batches. The truth
    of a fact is the world's: wrong or missing pages count as the verifier's errors. Unreadable facts are left
    out; a rate over none has no row.
    """
    names = dict(items.select("item_id", "question").iter_rows())
    truth = {}
    for row in facts.iter_rows(named=True):
        entity = _entity(world, names.get(row["item_id"], ""))
        truth[row["fact_id"]] = fact_is_true(world, entity, row["text"])
    by_judge: dict[str, list[tuple[bool, bool]]] = {}
    for row in judgements.filter(pl.col("verdict").is_not_null()).iter_rows(named=True):
        is_true = truth.get(row["target_id"])
        if is_true is not None and "stage" not in attributes(row):
            by_judge.setdefault(row["judge"], []).append((row["verdict"], not is_true))
    rows = []
    for judge, verdicts in sorted(by_judge.items()):
        values = {
            "verifier_tpr": [verdict for verdict, is_false in verdicts if is_false],
            "verifier_fpr": [verdict for verdict, is_false in verdicts if not is_false],
            "verifier_accuracy": [verdict == is_false for verdict, is_false in verdicts],
        }
        rows += [mean_row(name, judge, {}, flags) for name, flags in values.items() if flags]
    return score_rows(rows, board, inputs)
