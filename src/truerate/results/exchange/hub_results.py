"""The Hub's benchmark files: `eval.yaml` of a published data set, which names its tasks, and
`.eval_results/<board>.yaml` of a model, which holds its values on them.

The Hub knows no direction of a value, so that each goes out as a share of which more is better: of a rate of
hallucination its complement, the faithful share. In per cent, as the Hub's own boards have it.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import yaml

from truerate.core.errors import SettingsError, TruerateError, listed, meant
from truerate.core.metric import Metric
from truerate.hub.release import README, Draft
from truerate.results.exchange.outgoing import Outgoing
from truerate.results.files import rank_range

EVAL, RESULTS = "eval.yaml", ".eval_results"
HUB = "https://huggingface.co/datasets/"
WHOLE = "all"  # the task of a board that ranks one figure
_FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
_ADDRESS = re.compile(r"https?://[^\s<>\"']{1,2000}")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def tasks_of(board: Outgoing) -> dict[str, str]:
    """The tasks that a board ranks, as the Hub names them, with the slice of each: one per value of what its
    ranked slices differ in (`qa`, `dialogue`), or WHOLE. Raises TruerateError where that is no share.
    """
    metric, fixed = board.metrics[board.ranked.metric], board.ranked.slice
    if metric.unit != "share" or not metric.direction:
        problem = f"it ranks {metric.name!r}, which is no share"
        raise TruerateError(f"board {board.card.board!r}: {problem}; the Hub's files hold shares alone")
    tasks: dict[str, str] = {}
    for where in board.slices:
        pairs = dict(pair.split("=", 1) for pair in where.split(";") if pair)
        beyond = {key: value for key, value in pairs.items() if key not in fixed}
        if fixed.items() <= pairs.items() and len(beyond) <= 1:
            tasks["".join(beyond.values()) or WHOLE] = where
    return {WHOLE: tasks[WHOLE]} if WHOLE in tasks else tasks


def eval_yaml(board: Outgoing, draft: Draft) -> bytes:
    """`eval.yaml` of a board's release: its tasks, each on the config of its name, else on the default one,
    and the split that it is measured on. Raises as `tasks_of` does.
    """
    configs = _configs(draft)
    default = next(
        (config for config in configs.values() if config.get("default")), next(iter(configs.values()))
    )
    tasks = []
    for task in tasks_of(board):
        config = configs.get(task, default)
        split = config["data_files"][-1]["split"]
        tasks.append({"id": task, "config": config["config_name"], "split": split})
    about = (
        f"{board.card.headline.what}; values: {_meaning(board.metrics[board.ranked.metric])}, in per cent."
    )
    whole = {
        "name": board.card.title,
        "description": about,
        "evaluation_framework": "truerate",
        "tasks": tasks,
    }
    return _yaml(whole)


def _configs(draft: Draft) -> dict[str, dict[str, Any]]:
    """The configs that the head of a release's card declares, by name."""
    card = draft.fixed[README]
    assert isinstance(card, bytes)
    front = _FRONT.match(card.decode("utf-8"))
    assert front is not None
    return {config["config_name"]: config for config in yaml.safe_load(front[1])["configs"]}


def eval_results(board: Outgoing, subject: str, *, data_set: str, rows: str | None = None) -> bytes:
    """The values of one model on a board's tasks, whose data set lies at `data_set` (org/name) on the Hub, and
    their rows at the address `rows` (default: there).

    Raises TruerateError for a model that the board does not rank, SettingsError for names and addresses of
    another form.
    """
    if not _REPOSITORY.fullmatch(data_set):
        raise SettingsError(f"--hub is {data_set!r}; allowed: the name of a data set on the Hub, org/name")
    if rows is not None and not _ADDRESS.fullmatch(rows):
        raise SettingsError(f"--rows is {rows!r}; allowed: an address that begins with https:// or http://")
    tasks = tasks_of(board)
    metric = board.metrics[board.ranked.metric]
    scores = {
        row["slice"]: row for row in board.scores.filter(metric=metric.name, subject=subject).to_dicts()
    }
    entries = [
        _entry(board, metric, scores[where], {"id": data_set, "task_id": task}, rows or f"{HUB}{data_set}")
        for task, where in tasks.items()
        if where in scores
    ]
    if not entries:
        of_tasks = board.scores.filter(pl.col("slice").is_in(list(tasks.values())), metric=metric.name)
        subjects = of_tasks["subject"].unique().sort().to_list()
        problem = f"has no value of {subject!r} by what it ranks"
        if subject not in board.models:
            problem = f"ranks no model {subject!r}{meant(subject, subjects)}"
        raise TruerateError(f"board {board.card.board!r} {problem}; with a value: {listed(subjects)}")
    return _yaml(entries)


def _entry(
    board: Outgoing, metric: Metric, score: Mapping[str, Any], data_set: dict[str, str], rows: str
) -> dict[str, Any]:
    values = [score["value"], score["low"], score["high"]]
    if metric.is_lower_better:
        value, low, high = (None if end is None else 1 - end for end in (values[0], values[2], values[1]))
    else:
        value, low, high = values
    notes = ["simulated model of a closed world"] if board.is_simulated else []
    notes.append(f"{_meaning(metric)}, in per cent; higher is better")
    if low is not None and high is not None:
        notes.append(f"{100 * board.card.confidence:g} % interval {100 * low:.2f} to {100 * high:.2f}")
    ranks = rank_range(score["rank_low"], score["rank_high"])
    beside = board.scores.filter(metric=metric.name, slice=score["slice"])["rank_low"].count()
    notes += [f"rank range {ranks} of {beside} models"] if ranks else []
    notes.append(f"n = {score['n']}")
    entry = {"dataset": data_set, "value": round(100 * value, 4)}
    if _DAY.fullmatch(board.card.dated):
        entry["date"] = board.card.dated
    return entry | {
        "source": {"url": rows, "name": "truerate: rows and intervals"},
        "notes": "; ".join(notes),
    }


def _meaning(metric: Metric) -> str:
    """What a value is: the metric, or where less of it is better its complement."""
    if not metric.is_lower_better:
        return metric.label
    is_rate = "hallucinat" in f"{metric.name} {metric.label}".lower()
    return f"faithful share (100 minus {metric.label})" if is_rate else f"100 minus {metric.label}"


def write_eval_results(
    board: Outgoing, subject: str, to: Path, *, data_set: str, rows: str | None
) -> list[str]:
    """Write `<to>/<organisation>/<model>/.eval_results/<board>.yaml`; returns the path and the command by which
    a person proposes it. Nothing is sent. Raises as `eval_results` does.
    """
    content = eval_results(board, subject, data_set=data_set, rows=rows)
    model, name = board.models[subject].id, f"{RESULTS}/{board.card.board}.yaml"
    path = to.joinpath(*board.models[subject].folders, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return [f"written: {path}", f"to propose it to that model: hf upload {model} {path} {name} --create-pr"]


def _yaml(value: object) -> bytes:
    return yaml.safe_dump(value, allow_unicode=True, sort_keys=False, width=1000).encode()
