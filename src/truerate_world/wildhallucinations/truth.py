"""The planted truth of a board of replies about entities: what each of its own replies states, held against
the world.

Replies are read as a faultless fact writer would; whether one abstains is replayed. So the values are
realised ones, of the very texts that the board measures: what lies between them and its estimates is the work
of fact writer, retrieval, web pages and verifier.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from truerate.core.schemas import pairs
from truerate.core.text import sentences
from truerate_world.encyclopedia import World
from truerate_world.wildhallucinations.models.behaviour_profile import PROFILES, base
from truerate_world.wildhallucinations.models.planted import planted_as
from truerate_world.wildhallucinations.models.reading import TITLE, Stated, fact_is_true, stated_by
from truerate_world.wildhallucinations.models.replying import NOBODY, Said, abstentions, said_of

__all__ = ["Reply", "fact_is_true", "planted_scores", "read_replies", "verifier_scores"]
DIGITS = 6
PLANTED, OTHER = "planted", "other"
SLICES = {
    "domain": "domain",
    "rarity": "rarity_group",
    "wikipedia": "is_wikipedia",
}  # slice -> attribute of the entity's item


@dataclass(frozen=True)
class Reply:
    """One reply: whose, about which item, whether it abstains, what it states in order and which of that is
    true.
    """

    model: str
    item_id: str
    is_abstention: bool
    stated: tuple[Stated, ...] = ()
    is_true: tuple[bool, ...] = ()
    where: Mapping[str, str] = field(default_factory=dict)

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
    inputs: str = "",
    saying: Callable[..., Said] = said_of,
) -> list[dict]:
    """Score rows of method `planted` per subject: metrics and slices are named as the track names its estimates.

    wildfactscore (mean share of true facts over the replies that respond), wildfactscore_strict (abstention
    is 0), wildfactscore_dedup, no_fact_rate, duplicate_fact_rate, title_fact_rate: for all entities, the
    common ones (to which all of the `panel`, by default all subjects, respond) and by domain, rarity and
    wikipedia; domains of at most `domains_above` entities are one. responding_rate {rule=planted} and
    facts_per_response. `models` are aliases and the simulated models behind them, `saying` gives what these said.
    Nothing over no reply.
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
                rows += _scores(
                    model,
                    [reply for reply in mine if reply.where.get(name) == value],
                    {"set": "all", name: value},
                )
    texts_by_name = {"board": board, "low": None, "high": None, "method": "planted", "inputs": inputs}
    return [{**row, **texts_by_name} for row in rows]


def read_replies(
    world: World,
    models: Mapping[str, str],
    generations: pl.DataFrame,
    items: pl.DataFrame,
    saying: Callable[..., Said] = said_of,
) -> list[Reply]:
    """Every reply of purpose `generate` of a simulated model, read; a dead one is none, and models of other
    endpoints have no truth.
    """
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


def _read(world: World, simulated: str, row: dict, item: dict, saying: Callable[..., Said]) -> Reply:
    named = planted_as(world, item["question"])
    entity = named.entity if named and named.entity is not None else NOBODY
    said = saying(world, simulated, entity, row["sample_index"], name=item["question"])
    stated = tuple(
        stated for stateds in stated_by(world, sentences(row["text"]), entity) for stated in stateds
    )
    is_abstention = (
        said.is_abstention if said.text == row["text"] else row["text"] in abstentions(item["question"])
    )
    truth = tuple(one.is_true(world) for one in stated)
    return Reply(row["model"], row["item_id"], is_abstention, stated, truth, _where(item))


def _where(item: dict) -> dict[str, str]:
    """The slices that an entity is in; `wikipedia` is yes or no."""
    fields = {pair["key"]: pair["value"] for pair in item["attributes"]}
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
    return {
        item
        for _, item in asked
        if all((model, item) in asked and (model, item) not in silent for model in panel)
    }


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
            of = (
                {} if value_of is Reply.deduplicated else {"estimator": PLANTED}
            )  # as the track names its estimates
            rows.append(_row(metric, model, of | where, sum(values) / len(values), len(values)))
    return [*rows, *_of_facts(model, replies, where)]


def _of_facts(model: str, replies: Sequence[Reply], where: dict[str, str]) -> list[dict]:
    """Shares of replies without a fact, and of facts that are said again or only name the entity, over the
    replies that respond.
    """
    responding = [reply for reply in replies if reply.responds]
    n_facts = sum(len(reply.stated) for reply in responding)
    if not n_facts:
        return []
    n_again = sum(len(reply.stated) - len(set(reply.stated)) for reply in responding)
    n_title = sum(stated.kind == TITLE for reply in responding for stated in reply.stated)
    return [
        _row(
            "no_fact_rate",
            model,
            where,
            sum(not reply.stated for reply in responding) / len(responding),
            len(responding),
        ),
        _row("duplicate_fact_rate", model, where, n_again / n_facts, n_facts),
        _row("title_fact_rate", model, where, n_title / n_facts, n_facts),
    ]


def _of_replies(model: str, replies: Sequence[Reply]) -> list[dict]:
    """How many replies respond, and how many facts these have."""
    responding = [reply for reply in replies if reply.responds]
    rows = [_row("responding_rate", model, {"rule": PLANTED}, len(responding) / len(replies), len(replies))]
    if responding:
        n_facts = sum(len(reply.stated) for reply in responding)
        rows.append(_row("facts_per_response", model, {}, n_facts / len(responding), len(responding)))
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
    """Score rows of method `planted`: verifier_tpr, verifier_fpr, verifier_accuracy per judge, of the
    verdicts in batches that were read.

    The truth of a fact is the world's, as that of people's labels is: pages that are wrong or were not
    retrieved count as the verifier's. Facts that cannot be read are left out; a rate over none has no row.
    """
    names = dict(items.select("item_id", "question").iter_rows())
    truth = {}
    for row in facts.iter_rows(named=True):
        named = planted_as(world, names.get(row["item_id"], ""))
        truth[row["fact_id"]] = fact_is_true(
            world, named.entity if named and named.entity is not None else NOBODY, row["text"]
        )
    entries, texts_by_name = (
        [],
        {"board": board, "low": None, "high": None, "method": "planted", "inputs": inputs},
    )
    judged = judgements.filter(pl.col("verdict").is_not_null())
    for judge in sorted(set(judged["judge"])):
        rows = [
            row
            for row in judged.filter(pl.col("judge") == judge).iter_rows(named=True)
            if not _is_staged(row)
        ]
        found = [
            (row["verdict"], not truth[row["target_id"]])
            for row in rows
            if truth.get(row["target_id"]) is not None
        ]
        chosen = {
            "verifier_tpr": [verdict for verdict, is_false in found if is_false],
            "verifier_fpr": [verdict for verdict, is_false in found if not is_false],
            "verifier_accuracy": [verdict == is_false for verdict, is_false in found],
        }
        entries += [
            {**_row(name, judge, {}, sum(v) / len(v), len(v)), **texts_by_name}
            for name, v in chosen.items()
            if v
        ]
    return entries


def _is_staged(row: dict) -> bool:
    return any(pair["key"] == "stage" for pair in row["attributes"])


def _row(metric: str, subject: str, where: Mapping[str, str], value: float, n: int) -> dict:
    return {
        "metric": metric,
        "subject": subject,
        "slice": pairs(**where),
        "value": round(float(value), DIGITS),
        "n": n,
    }
