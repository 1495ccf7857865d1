"""Every Eval Ever: instances (`_samples.jsonl`) and the aggregate beside them."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from truerate.sources.answers.exports.contents import Content, beside, unreadable
from truerate.sources.answers.exports.records import Export, export_of, record_of
from truerate.sources.answers.exports.values import message_of, text_of

TOOL = "Every Eval Ever"


def of_instances(content: Content) -> Export | None:
    """The answers of an instance file, a record per sample and epoch with all its metrics, by
    `evaluation.score` and the metric's direction; never by `is_correct`, which converters fill without
    asking whether high is good.
    """
    if not {"evaluation", "sample_id"} <= content.names or not {"evaluation_id", "model_id"} & content.names:
        return None
    good: dict[str, bool] = {}
    ranges: dict[str, tuple[float, float]] = {}
    ids = {row.get("evaluation_id") for row in content.rows}
    for other in beside(content, "*.json"):
        if (other.document or {}).get("evaluation_id") in ids:
            _aggregate(other.document or {}, good, ranges)
    notes = ["by evaluation.score, not by is_correct"]
    if not good:
        notes.append("the aggregate that says whether high is good (lower_is_better) is not beside it")
    records: dict[tuple, dict[str, Any]] = {}
    n_replies = 0
    for row in content.rows:
        metadata = row.get("metadata") or {}
        metric = row.get("evaluation_result_id") or row.get("evaluation_name") or "score"
        run = metadata.get("epoch")
        key: tuple = (row.get("model_id"), row["sample_id"], run)
        if run is None and metric in records.get(key, {"scores": {}})["scores"]:
            key = (*key, sum(other[:3] == key for other in records))  # a repeat that is not numbered
        if key not in records:
            records[key], n = _record(row, metadata, run)
            n_replies += n
        records[key]["scores"][metric] = (row.get("evaluation") or {}).get("score")
    if n_replies:
        notes.append(f"further replies of a sample, to which no score was given, left out: {n_replies}")
    notes += _split_means(records)
    return export_of(TOOL, list(records.values()), notes, good=good, ranges=ranges)


def _record(row: Mapping[str, Any], metadata: Mapping[str, Any], run: Any) -> tuple[dict[str, Any], int]:
    given, output = row.get("input") or {}, row.get("output") or {}
    raw = output.get("raw")
    texts = raw if isinstance(raw, list) else [raw]
    answer = texts[0] if texts and texts[0] is not None else message_of(row.get("messages"), "assistant")
    golden = given.get("reference")
    record = record_of(
        answer,
        {name: value for name, value in metadata.items() if name not in ("epoch", "stop_reason")},
        question=given.get("raw"),
        golden=" / ".join(map(text_of, golden)) if isinstance(golden, list) else golden,
        system=row.get("model_id"),
        id=text_of(row["sample_id"]) or str(row["sample_id"]),
        run=None if run is None else str(run),
    )
    return record, max(0, len(texts) - 1)


def of_aggregate(content: Content) -> Export | None:
    """The answers beside an aggregate. Raises SourceError where they are not there."""
    document = content.document or {}
    if "evaluation_results" not in document or "evaluation_id" not in document:
        return None
    for other in beside(content, "*.jsonl"):
        if other.first.get("evaluation_id") == document["evaluation_id"]:
            export = of_instances(other)
            if export is not None:
                return export
    details = document.get("detailed_evaluation_results") or {}
    name = str(details.get("file_path") or "…_samples.jsonl").rpartition("/")[2]
    raise unreadable(
        content.path, f"results of Every Eval Ever without answers; they are in {name!r}: put it beside"
    )


def _aggregate(
    document: Mapping[str, Any], good: dict[str, bool], ranges: dict[str, tuple[float, float]]
) -> None:
    for result in document["evaluation_results"]:
        name = result.get("evaluation_result_id") or result.get("evaluation_name")
        config = result.get("metric_config") or {}
        if config.get("lower_is_better") is not None:
            good[name] = not config["lower_is_better"]
        low, high = config.get("min_score"), config.get("max_score")
        if low is not None and high is not None and low < high:
            ranges[name] = (low, high)


def _split_means(records: Mapping[tuple, dict[str, Any]]) -> list[str]:
    """Where each epoch of a sample carries the mean of all, give as many of them the whole score as the mean
    says; which ones it does not say.
    """
    epochs: dict[tuple, list[dict[str, Any]]] = defaultdict(list)
    for key, record in records.items():
        epochs[key[:2]].append(record)
    n_split = 0
    for same in epochs.values():
        for metric in same[0]["scores"] if len(same) > 1 else ():
            scores = [record["scores"].get(metric) for record in same]
            mean = scores[0]
            if len(set(scores)) > 1 or not isinstance(mean, float) or not 0 < mean < 1:
                continue
            whole = mean * len(same)
            if abs(whole - round(whole)) < 1e-6:
                n_split += 1
                for position, record in enumerate(same):
                    record["scores"][metric] = 1.0 if position < round(whole) else 0.0
    if not n_split:
        return []
    return [
        f"{n_split} samples carry the mean of their epochs: as many epochs got the whole score; which, it does not say"
    ]
