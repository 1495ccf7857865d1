"""The card of a data set: README.md with its YAML head, and sections written from the data's facts."""

import json
from collections.abc import Iterable, Sequence

import polars as pl
from markupsafe import Markup

from truerate.core.schemas import SPLITS, Count, Document, Fact, Generation, Item, Judgement, Row, Score, pair
from truerate.hub.configs import TABLES, holds_texts
from truerate.hub.licences import Licence
from truerate.hub.markdown import bibtex, bibtex_of_paper, filled
from truerate.hub.metadata import front_matter
from truerate.hub.release import BoardFacts
from truerate.hub.results import result_rows
from truerate.hub.shards import Config, Shard

TEMPLATE = "dataset_card.md.j2"
STATISTICS = "dataset"  # the table of a board's metrics that tells what a set holds
AGREEMENT = ("percent_agreement", "cohen_kappa", "fleiss_kappa", "krippendorff_alpha")
SHORTCUTS = {
    "shortcut_balanced_accuracy": "balanced",
    "shortcut_pairwise": "pairs",
    "shortcut_auroc": "auroc",
}
# what a source's card says; what it leaves out is a dash
SOURCE = tuple("name citation licence url repository revision".split())
FEW = 100  # texts of a split below which its numbers are said to be unsteady
# What the house itself says of its tables.
_MODELS = {
    "items": Item,
    "documents": Document,
    "generations": Generation,
    "facts": Fact,
    "judgements": Judgement,
    "counts": Count,
}
DOCS = {name: str(model.__doc__) for name, model in (_MODELS | {"scores": Score, "leaderboard": Row}).items()}
# What the columns of labelled texts mean; those that a data set lacks are not listed.
COLUMNS = {
    "sample_id": "name of the text, a hash of what decides it",
    "item_id": "what the text is about: a row of config `items`",
    "group_id": "texts that share it must not be parted into training and test; the splits keep to it",
    "pair_id": "joins the right and the hallucinated text of a pair; null where a text stands alone",
    "lang": "language of the text",
    "question": "the question, the last turn of a dialogue, the query, or the name that was asked about",
    "history": "earlier turns of a dialogue",
    "knowledge": "what the text is checked against; null where there is none, or where it may not be passed on under this licence",
    "right_answer": "the answer, response or summary taken as right",
    "text": "the labelled text",
    "text_sha256": "SHA-256 of the labelled text (UTF-8), which is not here",
    "is_hallucinated": "the label: whether the text contains hallucination",
    "label_source": "where the label comes from: `gold`, `silver` or `published`",
    "generator": "the model that wrote the text; null for people and sources",
    "pattern": "the kind of hallucination, where one is known for the whole text",
    "spans": "hallucinated parts: `start` and `end` in code points (half-open), `type`, and `p` where a detector gave one",
    "rationale": "why it is labelled so",
    "attributes": "further facts as sorted pairs of `key` and `value`",
}


def card_of(
    facts: BoardFacts,
    configs: Sequence[Config],
    shards: Sequence[Shard],
    *,
    licence: Licence | None,
    repo: str,
) -> str:
    """Return README.md of a data set. `licence`: of the whole, None if each config keeps its own; `repo`: org/name."""
    labels, there = label_rows(configs), tables_of(configs)
    body = {
        "facts": facts,
        "source": dict.fromkeys(SOURCE) | dict(facts.source),
        "repo": repo,
        "results": result_rows(facts),
        "example": example_of(configs),
        "bibtex": bibtex(repo, facts.title, "dataset"),
        "paper": bibtex_of_paper(facts.track),
        "configs": [config_row(config) for config in configs],
        "default": next(config for config in configs if config.is_default),
        "absent": [name for name in TABLES if name not in there],
        "tables": [(name, meaning) for name, meaning in DOCS.items() if name in there],
        "columns": columns(configs),
        "labels": labels,
        "label_sources": sorted({row["label_source"] for row in labels}),
        "statistics": statistics_rows(facts),
        "agreement": agreement_rows(facts),
        "metrics": metric_rows(facts),
        "audit": audit_rows(facts.audit),
        "counts": count_rows(facts.counts),
        "limits": limits(facts, configs, labels),
        "licence": licence,
        "licences": licence_rows(configs),
        "bare": [config for config in configs if not config.has_texts],
        "source_files": list(facts.source.get("files") or ()),
    }
    head = front_matter(facts, configs, shards, licence=licence)
    return f"---\n{head}\n---\n\n{filled(TEMPLATE, body)}"


def config_row(config: Config) -> dict:
    """A config with its rows per split, and whether its rows hold texts: a dash where such rows never do."""
    texts = "yes" if holds_texts(config) else None
    rows = {split: data.height for split, data in config.splits.items()}
    return {"config": config, "rows": rows, "texts": texts if config.has_texts else "no, ids and labels"}


def tables_of(configs: Sequence[Config]) -> set[str]:
    """The tables of the house that are there; the others hold no row, and so are no config."""
    return {
        name
        for config in configs
        for name in TABLES
        if config.name == name or config.name.startswith(f"{name}-")
    }


def columns(configs: Sequence[Config]) -> list[tuple[str, Markup]]:
    """The columns of the labelled texts with their meaning; none where there are no labelled texts."""
    there = {
        name
        for config in configs
        if is_labelled(config)
        for data in config.splits.values()
        for name in data.columns
    }
    return [(name, Markup(meaning)) for name, meaning in COLUMNS.items() if name in there]


def is_labelled(config: Config) -> bool:
    """Whether a config's rows are labelled texts."""
    return all("is_hallucinated" in data.columns for data in config.splits.values())


def label_rows(configs: Sequence[Config]) -> list[dict]:
    """Texts, hallucinated ones, others and ones with marked spans, per config and source of labels."""
    rows = []
    for config in filter(is_labelled, configs):
        frames = [data for data in config.splits.values() if isinstance(data, pl.DataFrame)]
        counted = pl.concat(frames).group_by("label_source", maintain_order=True).agg(
            n=pl.len(),
            hallucinated=pl.col("is_hallucinated").sum(),
            other=(~pl.col("is_hallucinated")).sum(),
            marked=(pl.col("spans").list.len() > 0).sum(),
        )  # fmt: skip
        rows += [{"config": config.name, **row} for row in counted.sort("label_source").to_dicts()]
    return rows


def figure(row: dict) -> Markup | None:
    """A value with its interval, `0.912 (0.871 to 0.945)`; None where nothing was measured."""
    if row["value"] is None:
        return None
    interval = (
        "" if row["low"] is None or row["high"] is None else f" ({row['low']:.3f} to {row['high']:.3f})"
    )
    return Markup(f"{row['value']:.3f}{interval}")


def statistics_rows(facts: BoardFacts) -> list[dict]:
    """What the set holds as its board counted it (dialogues, turns, texts), in the order of the scores."""
    records = {name: record for name, record in facts.metrics.items() if record.table == STATISTICS}
    counted = facts.scores.filter(pl.col("metric").is_in([*records])).to_dicts()
    return [
        {
            "metric": (record := records[row["metric"]]).label,
            "where": where(row["slice"]),
            "value": figure(row) if record.unit == "share" else record.text(row["value"]),
            "n": row["n"],
        }
        for row in counted
    ]


def agreement_rows(facts: BoardFacts) -> list[dict]:
    """How far the annotators agree, as the board measured it."""
    agreement = facts.scores.filter(
        pl.col("subject") == "annotators", pl.col("metric").is_in(AGREEMENT), pl.col("value").is_not_null()
    )
    return [
        {
            "metric": facts.metrics[row["metric"]].label,
            "where": where(row["slice"]),
            "value": figure(row),
            "n": row["n"],
        }
        for row in agreement.to_dicts()
    ]


def metric_rows(facts: BoardFacts) -> list[dict]:
    """What is known of each metric that the scores and the audit name, in the order of the records."""
    named = {*facts.scores["metric"], *facts.audit["metric"]}
    return [record.facts() | {"told": record.told} for name, record in facts.metrics.items() if name in named]


def audit_rows(audit: pl.DataFrame) -> list[dict]:
    """One row per task (and scheme, where schemes stand apart) and shortcut: balanced accuracy, share of
    pairs, AUROC, and their n.

    `majority` is left out: it looks at no text, so that its balanced accuracy is one half by definition.
    """
    rows = audit.with_columns(pair("slice", "task"), pair("slice", "scheme")).filter(
        pl.col("metric").is_in(list(SHORTCUTS))
    )
    pooled = pl.col("scheme").is_null() & pl.col("scheme").is_not_null().any().over("task")
    by_slice: dict[tuple, dict] = {}
    for row in rows.filter(~pooled, pl.col("subject") != "majority").to_dicts():
        blank = {
            "where": where(row["slice"]),
            "shortcut": row["subject"],
            "n": None,
            **dict.fromkeys(SHORTCUTS.values()),
        }
        entry = by_slice.setdefault((row["task"], row["scheme"], row["subject"]), blank)
        entry[SHORTCUTS[row["metric"]]] = figure(row)
        if row["metric"] == "shortcut_balanced_accuracy":
            entry["n"] = row["n"]
    return list(by_slice.values())


def count_rows(counts: pl.DataFrame) -> list[dict]:
    """What became of the replies of each step, over all models; none where no model was asked."""
    if counts.is_empty():
        return []
    return counts.group_by("step", maintain_order=True).agg(pl.col("^n_.*$").sum()).sort("step").to_dicts()


def where(pairs: Iterable[dict]) -> str:
    """A slice in words: its values, parted by commas; empty over everything."""
    return ", ".join(pair["value"] for pair in pairs)


def licence_rows(configs: Sequence[Config]) -> list[dict]:
    """The licences of a data set, each with its configs and what it asks of who uses the texts."""
    names_by_licence: dict[Licence, list[str]] = {}
    for config in configs:
        names_by_licence.setdefault(config.licence, []).append(config.name)
    return [
        {"licence": licence, "configs": names, "asks": asks(licence)}
        for licence, names in names_by_licence.items()
    ]


def asks(licence: Licence) -> str:
    """What a licence asks, in short; the licence itself decides."""
    if licence.kind == "public":
        return "nothing"
    conditions = (
        ["what its own words say"] if licence.id == "other" else ["name the source and keep its notice"]
    )
    conditions += ["pass on what you make of it under the same licence"] if licence.is_share_alike else []
    conditions += ["no commercial use"] if licence.is_non_commercial else []
    return "; ".join(conditions)


def limits(facts: BoardFacts, configs: Sequence[Config], labels: Sequence[dict]) -> list[str]:
    """What to beware of: what the track says of its boards, what the source says of itself, and what the data
    show. Caveats of judges are left out where people's labels are the verdicts.
    """
    judged = () if facts.is_judged_by_people else facts.track.judged_caveats
    sentences = [*facts.track.caveats, *judged]
    sentences += [str(facts.source["note"])] if facts.source.get("note") else []
    for config in filter(is_labelled, configs):
        sides = [
            sum(row[side] for row in labels if row["config"] == config.name)
            for side in ("hallucinated", "other")
        ]
        if 0 in sides:
            only = "hallucinated" if sides[0] else "not hallucinated"
            sentences.append(
                f"Every text of config {config.name} is {only}: it cannot measure how well the two are told apart."
            )
        few = [f"{split} {data.height}" for split, data in config.splits.items() if data.height < FEW]
        if few:
            sentences.append(
                f"Config {config.name} is small ({', '.join(few)} texts): small differences on it may be chance."
            )
        missing = [split for split in SPLITS if split not in config.splits]
        sentences += [f"Config {config.name} has no {split} split." for split in missing]
        groups = pl.concat([data["group_id"].unique(maintain_order=True) for data in config.splits.values()])
        if both := len(groups) - groups.n_unique():
            sentences.append(
                f"{both} groups of config {config.name} stand in both splits, as the source published them."
            )
        without = sum(
            data["knowledge"].null_count() for data in config.splits.values() if "knowledge" in data.columns
        )
        if without:
            sentences.append(
                f"{without} texts of config {config.name} come without knowledge: there is none, or it may not be passed on."
            )
    return sentences


# ---- an example row ------------------------------------------------------------------------------------------
N_SHOWN = 200  # characters of a value


def example_of(configs: Sequence[Config]) -> list[tuple[str, str]]:
    """The first row of the default config's last split, column by column, long values cut; empty where the
    rows of that config hold no texts. Columns without a value are left out.
    """
    default = next(config for config in configs if config.is_default)
    data = list(default.splits.values())[-1]
    if not default.has_texts or data.is_empty():
        return []
    row = data.row(0, named=True)
    return [(name, shown(value)) for name, value in row.items() if value not in (None, "", [])]


def shown(value: object) -> str:
    """A value in short: text as it is, all else as JSON; cut at N_SHOWN characters, and an ellipsis says so."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= N_SHOWN else f"{text[:N_SHOWN].rstrip()} …"
