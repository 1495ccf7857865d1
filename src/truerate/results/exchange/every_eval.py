"""Every Eval Ever, schema 0.3: an aggregate per model, and beside it a line per unit behind its scores.

`data/<board>/<organisation>/<model>/<uuid>.json` and `<uuid>_samples.jsonl`, as its datastore is laid out. The
fields are those of its `eval.schema.json` and `instance_level_eval.schema.json`; ids and bytes follow from the
board alone.
"""

import hashlib
import json
import math
import os
import uuid
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import polars as pl

from truerate.core.errors import SettingsError
from truerate.core.keys import content_id
from truerate.core.metric import Metric
from truerate.metrics.score_writer import ALL, RULES
from truerate.results.exchange.models import UNKNOWN, Model, folder_of
from truerate.results.exchange.outgoing import Outgoing
from truerate.results.exchange.unit_texts import Texts
from truerate.results.files import rank_range

SCHEMA, TOOL = "0.3.0", "truerate"
CREATED = "SOURCE_DATE_EPOCH"  # the variable that says when records are made, in seconds; else they say 0
GLOBAL = frozenset({"accuracy", "precision", "recall", "f1"})  # metrics that mean the same everywhere
BOUNDS: Mapping[str, tuple[float | str, float | str]] = {
    "share": (0.0, 1.0),
    "p": (0.0, 1.0),
    "count": (0.0, "Infinity"),
}
UNBOUNDED = ("-Infinity", "Infinity")
WITHHELD = "not here: the text may not be passed on, or is not one text"
NO_PROMPT = "not stated where these verdicts come from"
Record = dict[str, Any]


def every_eval_files(board: Outgoing) -> dict[str, bytes]:
    """The files of a board by their path in the datastore, sorted: of each model its aggregate, and its
    units where a score is the mean of values in [0, 1] of units.

    Raises SettingsError where SOURCE_DATE_EPOCH is no number of seconds.
    """
    created = _created()
    files: dict[str, bytes] = {}
    for subject in board.scores["subject"].unique().sort():
        of_subject = board.scores.filter(subject=subject).to_dicts()
        model = board.models[subject]
        stamp = content_id(board.card.model_dump_json(), json.dumps(of_subject, sort_keys=True))
        evaluation = f"{board.card.board}/{subject}/{stamp}"
        digest = hashlib.sha256(evaluation.encode()).digest()[:16]
        folder = "/".join(["data", folder_of(board.card.board), *model.folders])
        name = f"{folder}/{uuid.UUID(bytes=digest, version=4)}"
        aggregate = _aggregate(board, model, of_subject)
        identity = {"schema_version": SCHEMA, "evaluation_id": evaluation}
        lines = list(_instances(board, subject, of_subject, identity | {"model_id": model.id}))
        if lines:
            content = "".join(_json(line) + "\n" for line in lines).encode()
            path = f"{name}_samples.jsonl"
            aggregate["detailed_evaluation_results"] = {
                "format": "jsonl",
                "file_path": path,
                "hash_algorithm": "sha256",
                "checksum": hashlib.sha256(content).hexdigest(),
                "total_rows": len(lines),
            }
            files[path] = content
        whole = identity | {"retrieved_timestamp": created} | aggregate
        files[f"{name}.json"] = (_json(whole, indent=1) + "\n").encode()
    return dict(sorted(files.items()))


def write_every_eval(board: Outgoing, to: Path) -> list[str]:
    """Write these files below a folder; returns a line that says how many. Raises as `every_eval_files` does."""
    files = every_eval_files(board)
    for path, content in files.items():
        (to / path).parent.mkdir(parents=True, exist_ok=True)
        (to / path).write_bytes(content)
    n_lines = sum(content.count(b"\n") for path, content in files.items() if path.endswith(".jsonl"))
    n_models = sum(path.endswith(".json") for path in files)
    return [f"written: {to}: {n_models} models, {board.scores.height} scores, {n_lines} lines of units"]


def _created() -> str:
    seconds = os.environ.get(CREATED, "0")
    if not (seconds.isascii() and seconds.isdigit()):
        raise SettingsError(f"{CREATED} is {seconds!r}; allowed: whole seconds since 1970, as in 1767225600")
    return seconds


def _json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent, sort_keys=True)


# ---- the aggregate -----------------------------------------------------------------------------------------
def _aggregate(board: Outgoing, model: Model, scores: list[Record]) -> Record:
    card, shown = board.card, board.card.set
    details = {
        "set": shown.name,
        "citation": shown.citation,
        "licence": shown.licence,
        "redistribution": shown.redistribution,
        "published": card.dated,
        "unit": card.unit,
        "labelled_by": card.labelled_by,
        "judge": board.judge or "",
        "made_by": card.command,
        "caveats": _json(card.caveats) if card.caveats else "",
        "simulated": "a closed world: texts and models are made up" if board.is_simulated else "",
    }
    return {
        "source_metadata": {
            "source_name": card.title,
            "source_type": "documentation" if board.rows.is_empty() else "evaluation_run",
            "source_organization_name": TOOL,
            "evaluator_relationship": "third_party",
            "additional_details": _stated(details),
        },
        "eval_library": {"name": TOOL, "version": version(TOOL)},
        "model_info": _model(model),
        "evaluation_results": [_result(board, score) for score in scores],
    }


def _stated(details: Mapping[str, object]) -> dict[str, str]:
    """The details that hold something, as texts."""
    return {name: str(value) for name, value in details.items() if value not in ("", None)}


def _model(model: Model) -> Record:
    details = {"deployment_type": UNKNOWN, "model_availability": model.availability}
    organisation, _, name = model.id.partition("/")
    return {
        "name": name,
        "id": model.id,
        "developer": model.maker or organisation,
        "additional_details": details,
    }


def _id(score: Mapping[str, Any]) -> str:
    return f"{score['metric']}|{score['slice']}" if score["slice"] else str(score["metric"])


def _result(board: Outgoing, score: Record) -> Record:
    metric, where, shown = board.metrics[score["metric"]], score["slice"], board.card.set
    source: Record = {"dataset_name": shown.name, "source_type": "other"}
    if shown.url:
        source |= {"source_type": "url", "url": [shown.url]}
    source["additional_details"] = {"licence": shown.licence}
    return {
        "evaluation_result_id": _id(score),
        "evaluation_name": f"{board.card.board}.{_id(score)}",
        "source_data": source,
        "metric_config": _metric(board, metric, score),
        "score_details": {
            "score": score["value"],
            "uncertainty": _uncertainty(board, metric, score),
            "details": _stated(
                {
                    "slice": where,
                    "rank_range": rank_range(score["rank_low"], score["rank_high"]),
                    "provenance": score["provenance"],
                }
            ),
        },
    }


def _metric(board: Outgoing, metric: Metric, score: Record) -> Record:
    low, high = BOUNDS.get(metric.unit, UNBOUNDED)
    if not float(low) <= score["value"] <= float(high):
        low, high = UNBOUNDED
    config: Record = {
        "evaluation_description": metric.description,
        "metric_id": metric.name if metric.name in GLOBAL else f"{TOOL}.{metric.name}",
        "metric_name": metric.label,
        "metric_kind": metric.name,
        "metric_unit": "proportion" if metric.unit == "share" else metric.unit,
        "lower_is_better": metric.is_lower_better,
        "score_type": "continuous",
        "min_score": low,
        "max_score": high,
    }
    is_judged = board.judge and (board.card.judge or "estimator=" in score["slice"])
    if is_judged:
        judge = Model(f"{UNKNOWN}/{board.judge}", None)
        config["llm_scoring"] = {"judges": [{"model_info": _model(judge)}], "input_prompt": NO_PROMPT}
    elif board.card.labelled_by:
        config["additional_details"] = {"labelled_by": board.card.labelled_by}
    return config


def _uncertainty(board: Outgoing, metric: Metric, score: Record) -> Record:
    uncertainty: Record = {"num_samples": score["n"]}
    if None in (score["low"], score["high"]):
        return uncertainty
    is_joined = f"lang={ALL}" in score["slice"].split(";") and metric.interval != "corrected"
    kind = "mean" if is_joined else metric.interval
    interval = {"lower": score["low"], "upper": score["high"], "confidence_level": board.card.confidence}
    uncertainty["confidence_interval"] = interval | ({"method": RULES[kind]} if kind in RULES else {})
    if kind == "statistic":
        uncertainty["num_bootstrap_samples"] = board.card.n_bootstrap
    return uncertainty


# ---- the units ---------------------------------------------------------------------------------------------
def _instances(board: Outgoing, subject: str, scores: list[Record], identity: Record) -> Iterator[Record]:
    """A line per unit and score. A score of which a model has units whose values leave [0, 1] has none: those are
    what a unit adds to an estimate, and nothing that a reader could take for a score of the unit.
    """
    is_score = pl.col("value").is_between(0, 1).all().over("metric", "where")
    of_subject = board.rows.filter(is_score).filter(subject=subject)
    for score in scores:
        units = of_subject.filter(metric=score["metric"], where=score["slice"]).sort("unit_id")
        best = 0.0 if board.metrics[score["metric"]].is_lower_better else 1.0
        for unit in units.to_dicts():
            texts = board.texts.get((subject, score["slice"], unit["unit_id"]))
            yield identity | {
                "evaluation_name": f"{board.card.board}.{_id(score)}",
                "evaluation_result_id": _id(score),
                "sample_id": unit["unit_id"],
                "interaction_type": "single_turn",
                "evaluation": {"score": unit["value"], "is_correct": math.isclose(unit["value"], best)},
                **_texts(texts, unit["cluster_id"]),
            }


def _texts(texts: Texts | None, cluster: str) -> Record:
    if texts is None:
        return {
            "input": {"raw": "", "reference": []},
            "output": {"raw": []},
            "answer_attribution": [],
            "metadata": {"group": cluster, "text": WITHHELD},
        }
    given = {"raw": texts.asked, "reference": list(texts.right)}
    hashed = json.dumps(given, sort_keys=True, separators=(",", ":"))  # the store's own recipe
    attribution = {
        "turn_idx": 0,
        "source": "output.raw",
        "extracted_value": texts.written,
        "extraction_method": "whole reply",
        "is_terminal": True,
    }
    return {
        "input": given,
        "output": {"raw": [texts.written]},
        "sample_hash": hashlib.sha256(hashed.encode()).hexdigest(),
        "answer_attribution": [attribution],
        "metadata": {"group": cluster},
    }
