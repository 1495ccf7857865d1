"""The card of a data set: README.md with its YAML head, and sections written from the data's facts."""

import json
from collections.abc import Iterable, Mapping, Sequence

import polars as pl
from markupsafe import Markup

from truerate.core import schemas
from truerate.core.bibtex import bibtex_of_paper
from truerate.core.schemas import SPLITS, pair, unpaired
from truerate.hub.configs import CARD_WORDS, COLUMNS, TABLES
from truerate.hub.licences import Licence
from truerate.hub.markdown import bibtex, filled
from truerate.hub.metadata import front_matter
from truerate.hub.release import BoardFacts
from truerate.hub.shards import Config, Shard

TEMPLATE = "dataset_card.md.j2"
STATISTICS = "dataset"  # the table of a board's metrics that tells what a set holds
AGREEMENT = ("percent_agreement", "cohen_kappa", "fleiss_kappa", "krippendorff_alpha")
SHORTCUTS: Mapping[str, str] = CARD_WORDS["shortcuts"]
# what a source's card says; what it leaves out is a dash
SOURCE = ("name", "citation", "licence", "url", "repository", "revision")
FEW = 100  # texts of a split below which its numbers are said to be unsteady
N_SHOWN = 200  # characters of a value of the example
KINDS = ("model", "baseline")  # of the rows of results, in their order
N_ROWS = 60  # of results on a card; boards with more say how many are left out
# What the package itself says of its tables.
_MODELS = {
    "items": schemas.Item, "documents": schemas.Document, "generations": schemas.Generation,
    "facts": schemas.Fact, "judgements": schemas.Judgement, "counts": schemas.Count, "scores": schemas.Score,
    "leaderboard": schemas.Row,
}  # fmt: skip
DOCS = {name: str(model.__doc__) for name, model in _MODELS.items()}


def card_of(
    facts: BoardFacts,
    configs: Sequence[Config],
    shards: Sequence[Shard],
    *,
    licence: Licence | None,
    repo: str,
) -> str:
    """Return README.md of a data set. `licence`: of the whole, None if each config keeps its own."""
    labels = label_rows(configs)
    # the tables that are there; the others hold no row, and so are no config
    there = {table for table in TABLES for config in configs if f"{config.name}-".startswith(f"{table}-")}
    columns = {name for config in configs if config.is_labelled for name in config.schema}
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
        "columns": [(name, Markup(meaning)) for name, meaning in COLUMNS.items() if name in columns],
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


# ---- what the set holds ------------------------------------------------------------------------------------
def config_row(config: Config) -> dict:
    """A config with its rows per split, and whether its rows hold texts: a dash where such rows never do."""
    texts = "yes" if config.bears_texts else None
    rows = {split: data.height for split, data in config.splits.items()}
    withheld = "no, ids and labels" + (f": {config.why}" if config.why else "")
    return {"config": config, "rows": rows, "texts": texts if config.has_texts else withheld}


def label_rows(configs: Sequence[Config]) -> list[dict]:
    """Texts, hallucinated ones, others and ones with marked spans, per config and source of labels."""
    rows = []
    for config in configs:
        if config.is_labelled:
            frames = [data for data in config.splits.values() if isinstance(data, pl.DataFrame)]
            counted = pl.concat(frames).group_by("label_source", maintain_order=True).agg(
                n=pl.len(),
                hallucinated=pl.col("is_hallucinated").sum(),
                other=(~pl.col("is_hallucinated")).sum(),
                marked=(pl.col("spans").list.len() > 0).sum(),
            )  # fmt: skip
            rows += [{"config": config.name, **row} for row in counted.sort("label_source").to_dicts()]
    return rows


def licence_rows(configs: Sequence[Config]) -> list[dict]:
    """The licences of a data set, each with its configs and what it asks of who uses the texts."""
    names: dict[Licence, list[str]] = {}
    for config in configs:
        names.setdefault(config.licence, []).append(config.name)
    return [{"licence": licence, "configs": of, "asks": asks(licence)} for licence, of in names.items()]


def asks(licence: Licence) -> str:
    """Return what a licence asks, in short; the licence itself decides."""
    if licence.kind == "public":
        return "nothing"
    is_other = licence.id == "other"
    conditions = ["what its own words say" if is_other else "name the source and keep its notice"]
    conditions += ["pass on what you make of it under the same licence"] if licence.is_share_alike else []
    conditions += ["no commercial use"] if licence.is_non_commercial else []
    return "; ".join(conditions)


def example_of(configs: Sequence[Config]) -> list[tuple[str, str]]:
    """The first row of the default config's last split by column, long values cut, without empty ones; empty
    where that config holds no texts.
    """
    default = next(config for config in configs if config.is_default)
    data = list(default.splits.values())[-1]
    if not default.has_texts or data.is_empty():
        return []
    texts = {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        for name, value in data.row(0, named=True).items()
        if value not in (None, "", [])
    }
    cut = {name: f"{text[:N_SHOWN].rstrip()} …" for name, text in texts.items() if len(text) > N_SHOWN}
    return list((texts | cut).items())


def limits(facts: BoardFacts, configs: Sequence[Config], labels: Sequence[dict]) -> list[str]:
    """Caveats of the track, of the source, and of the data; those of judges only where judges gave the
    verdicts.
    """
    sentences = [*facts.track.caveats, *(() if facts.is_judged_by_people else facts.track.judged_caveats)]
    sentences += [str(facts.source["note"])] if facts.source.get("note") else []
    for config in (config for config in configs if config.is_labelled):
        name, splits = config.name, config.splits
        rows = [row for row in labels if row["config"] == name]
        for side, word in (("other", "hallucinated"), ("hallucinated", "not hallucinated")):
            if not sum(row[side] for row in rows):
                problem = "it cannot measure how well the two are told apart"
                sentences.append(f"Every text of config {name} is {word}: {problem}.")
        if few := ", ".join(f"{split} {data.height}" for split, data in splits.items() if data.height < FEW):
            sentences.append(f"Config {name} is small ({few} texts): small differences on it may be chance.")
        sentences += [f"Config {name} has no {split} split." for split in SPLITS if split not in splits]
        groups = pl.concat([data["group_id"].unique(maintain_order=True) for data in splits.values()])
        if both := len(groups) - groups.n_unique():
            published = "stand in both splits, as the source published them"
            sentences.append(f"{both} groups of config {name} {published}.")
        bare = [data["knowledge"].null_count() for data in splits.values() if "knowledge" in data.columns]
        if n_bare := sum(bare):
            problem = "there is none, or it may not be passed on"
            sentences.append(f"{n_bare} texts of config {name} come without knowledge: {problem}.")
    return sentences


# ---- what was measured -------------------------------------------------------------------------------------
def figure(row: Mapping) -> Markup | None:
    """A value with its interval, `0.912 (0.871 to 0.945)`; None where nothing was measured."""
    value, low, high = row["value"], row["low"], row["high"]
    if value is None:
        return None
    has_interval = low is not None and high is not None
    return Markup(f"{value:.3f} ({low:.3f} to {high:.3f})" if has_interval else f"{value:.3f}")


def where(pairs: Iterable[Mapping]) -> str:
    """A slice in words: its values, parted by commas; empty over everything."""
    return ", ".join(pair["value"] for pair in pairs)


def statistics_rows(facts: BoardFacts) -> list[dict]:
    """Return what the set holds as its board counted it (dialogues, turns, texts), in the order of the
    scores.
    """
    records = {name: record for name, record in facts.metrics.items() if record.table == STATISTICS}
    rows = []
    for row in facts.scores.filter(pl.col("metric").is_in([*records])).to_dicts():
        record = records[row["metric"]]
        value = figure(row) if record.unit == "share" else record.text(row["value"])
        rows.append({"metric": record.label, "where": where(row["slice"]), "value": value, "n": row["n"]})
    return rows


def agreement_rows(facts: BoardFacts) -> list[dict]:
    """Return how far the annotators agree, as the board measured it."""
    is_measured = pl.col("metric").is_in(AGREEMENT) & pl.col("value").is_not_null()
    return [
        {"metric": facts.metrics[row["metric"]].label, "where": where(row["slice"])}
        | {"value": figure(row), "n": row["n"]}
        for row in facts.scores.filter(is_measured, subject="annotators").to_dicts()
    ]


def metric_rows(facts: BoardFacts) -> list[dict]:
    """Return what is known of each metric that the scores and the audit name, in the order of the records."""
    named = {*facts.scores["metric"], *facts.audit["metric"]}
    return [
        record.facts() | {"description": record.description}
        for name, record in facts.metrics.items()
        if name in named
    ]


def audit_rows(audit: pl.DataFrame) -> list[dict]:
    """One row per task (and scheme, where schemes stand apart) and shortcut but `majority`, whose balanced
    accuracy is one half by definition: balanced accuracy, share of pairs, AUROC, and their n.
    """
    sliced = audit.with_columns(pair("slice", "task"), pair("slice", "scheme"))
    rows = sliced.filter(pl.col("metric").is_in(list(SHORTCUTS)))
    pooled = pl.col("scheme").is_null() & pl.col("scheme").is_not_null().any().over("task")
    by_slice: dict[tuple, dict] = {}
    for row in rows.filter(~pooled, pl.col("subject") != "majority").to_dicts():
        blank = {"where": where(row["slice"]), "shortcut": row["subject"], "n": None}
        blank |= dict.fromkeys(SHORTCUTS.values())
        entry = by_slice.setdefault((row["task"], row["scheme"], row["subject"]), blank)
        entry[SHORTCUTS[row["metric"]]] = figure(row)
        if row["metric"] == "shortcut_balanced_accuracy":
            entry["n"] = row["n"]
    return list(by_slice.values())


def count_rows(counts: pl.DataFrame) -> list[dict]:
    """Return what became of the replies of each step, over all models; none where no model was asked."""
    if counts.is_empty():
        return []
    return counts.group_by("step", maintain_order=True).agg(pl.col("^n_.*$").sum()).sort("step").to_dicts()


# ---- who did how well --------------------------------------------------------------------------------------
def result_rows(facts: BoardFacts) -> dict | None:
    """The metric that the track ranks with its rows, best rank first: where (task …), subject, kind, figure
    with interval, rank range, n, and the planted value of a simulated board. None where nothing was measured.

    The rows are those of the slice that leads; where a track ranks by task, those of each task.
    """
    ranked = facts.track.ranks
    if facts.rows.is_empty() or ranked.metric not in facts.metrics:
        return None
    rows = [row for row in facts.rows.to_dicts() if row["metric"] == ranked.metric]
    planted = [row for row in rows if row["kind"] == "planted"]
    leading = [
        row | {"keys": {key: value for key, value in keys.items() if key not in ranked.slice}}
        for row in rows
        if row["value"] is not None
        and row["kind"] in KINDS
        and ranked.slice.items() <= (keys := unpaired(row["slice"])).items()
    ]
    fewest = min((len(row["keys"]) for row in leading), default=0)
    shown = [_result_row(row, planted) for row in leading if len(row["keys"]) == fewest]
    if not shown:
        return None
    ordered = [line for _, line in sorted(shown, key=lambda entry: entry[0])]
    return {
        "metric": facts.metrics[ranked.metric],
        "what": ranked.what,
        "rows": ordered[:N_ROWS],
        "n_more": max(0, len(ordered) - N_ROWS),
        "is_planted": any(line["planted"] is not None for line in ordered),
    }


def _result_row(row: Mapping, planted: Sequence[Mapping]) -> tuple[tuple, dict]:
    """A row of the table, behind its order: by slice, models before baselines, then rank range and name."""
    part, low, high = ", ".join(row["keys"].values()), row["rank_low"], row["rank_high"]
    order = (part, KINDS.index(row["kind"]), low or 10**6, high or 10**6, row["subject"])
    # the planted value on the largest part of the row's slice
    beside = [
        (len(other["slice"]), other["value"])
        for other in planted
        if other["subject"] == row["subject"] and all(key in row["slice"] for key in other["slice"])
    ]
    value = max(beside)[1] if beside else None
    return order, {
        "where": part or None,
        "subject": row["subject"],
        "kind": row["kind"],
        "figure": figure(row),
        "rank": None if low is None else Markup(low if low == high else f"{low} to {high}"),
        "n": row["n"],
        "planted": None if value is None else Markup(f"{value:.3f}"),
    }
