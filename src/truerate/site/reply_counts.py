"""The accounts of replies and the topics of a board, folded for its page."""

from collections.abc import Mapping

import polars as pl

from truerate.core.schemas import is_cut, pair, unpaired
from truerate.site.tables import Board, Tables

OUTCOMES = ("n_in", "n_ok", "n_dead", "n_abstained", "n_unparsed", "n_thought")


def accounts(board: Board) -> dict | None:
    """The sum over all replies, the sums per step and model, every line as counted, and who answered under
    another name than it was asked by; None where nothing was asked. `n_cut` of sums: replies that end at
    their limit of tokens, whatever was made of them.
    """
    whole = [
        row | {"where": ", ".join(board.vocabulary.label(value) for value in unpaired(row["slice"]).values())}
        for row in board.counts.to_dicts()
    ]
    if not whole:
        return None
    sums: dict[tuple[str, str], list[dict]] = {}
    for row in whole:
        sums.setdefault((row["step"], row["model"]), []).append(row)
    cut = n_cut(board.generations)
    lines = [
        _as_line(
            {"step": step, "model": model, "where": "", **_summed(rows), "n_cut": cut.get((step, model), 0)},
            board,
        )
        for (step, model), rows in sums.items()
    ]
    return {
        "total": _summed(whole) | {"n_cut": sum(cut.values())},
        "lines": lines,
        "detail": [_as_line(row, board) for row in whole],
        "other_names": other_names(board.generations),
    }


def n_cut(generations: pl.DataFrame) -> dict[tuple[str, str], int]:
    """Return how many replies end at their limit of tokens, by purpose and model; those without are left out."""
    rows = generations.filter(is_cut()).group_by("purpose", "model", maintain_order=True).len().rows()
    return {(purpose, model): n for purpose, model, n in rows}


def other_names(generations: pl.DataFrame) -> list[dict]:
    """`model`, `served` and `n`: replies of which the server says that another model gave them."""
    named = generations.select("model", served=pair("attributes", "served")).drop_nulls()
    return (
        named.group_by("model", "served", maintain_order=True)
        .agg(n=pl.len())
        .sort("model", "served")
        .to_dicts()
    )


def _summed(rows: list[dict]) -> dict[str, int]:
    return {name: sum(row[name] for row in rows) for name in OUTCOMES}


def _as_line(line: dict, board: Board) -> dict:
    """A line with its step in words and the share of its replies that could be read."""
    name = board.vocabulary.label(line["step"])
    return line | {"step_name": name, "share": line["n_ok"] / line["n_in"] if line["n_in"] else None}


def topics(tables: Tables, board: Board) -> list[dict]:
    """Per task the topics, those failed by most judges first, with one cell per judge (models first): rate,
    whether failed, n.

    `failed`: per judge how many topics it fails. A topic without words is left out: nothing could be read
    into it.
    """
    parts = []
    for task in sorted({topic.get("task") or "" for topic in board.topics}, key=board.vocabulary.sort_key):
        cells: dict[tuple, dict[str, Mapping]] = {}
        for topic in board.topics:
            words = topic["words"] if isinstance(topic["words"], str) else ", ".join(topic["words"])
            if (topic.get("task") or "") == task and topic.get("n") and words:
                cells.setdefault((topic.get("topic"), words), {})[topic.get("judge") or "all judges"] = topic
        judges = sorted(
            {judge for line in cells.values() for judge in line},
            key=lambda name: (name not in tables.models, name),
        )
        lines = [
            {
                "words": words,
                "n": max(cell["n"] for cell in line.values()),
                "cells": [line.get(judge) for judge in judges],
            }
            for (_, words), line in cells.items()
        ]
        lines.sort(key=lambda line: (-_n_failed(line["cells"]), line["words"]))
        failed = {judge: _n_failed([line["cells"][k] for line in lines]) for k, judge in enumerate(judges)}
        if lines:
            parts.append(
                {
                    "task": task,
                    "judges": judges,
                    "lines": lines,
                    "failed": {name: n for name, n in failed.items() if n},
                }
            )
    return parts


def _n_failed(cells: list[Mapping | None]) -> int:
    return sum(bool(cell and cell.get("is_failed")) for cell in cells)
