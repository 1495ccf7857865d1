"""The list of all models, and the page of one real model: where it stands on each board, and its weak slices."""

from typing import Any

from truerate.site.measures import day_in_words
from truerate.site.models.catalogue import Line, Model
from truerate.site.models.worst import worst
from truerate.site.overview import models_of, weak_slices
from truerate.site.safety import script
from truerate.site.tables import CommittedBoard, Tables

# Keys of slices that are no part of what a board measures: other labels, other texts, another estimator.
NOT_PARTS = {"judge", "rule", "version", "set", "estimator"}
WIDTH, HEIGHT, EDGE = 150, 16, 4  # of the line on which a model stands among the others
N_BEST = 2  # ranks in the list of models


def listing(tables: Tables) -> dict:
    """Return what models.md.j2 shows: the models of the committed boards, and those of the build."""
    boards = {board.name: board for board in tables.real}
    return {
        "lines": [_listed(model, boards) for model in tables.catalogue.models],
        "n_boards": len({name for model in tables.catalogue.models for name in model.boards}),
        "models": [(name, tables.models[name]) for name in models_of(tables)],
        "is_simulated": tables.is_simulated,
    }


def _listed(model: Model, boards: dict[str, CommittedBoard]) -> dict:
    """A line of the list: a model and its N_BEST best ranks by the share of models that may stand before it."""
    scores = [(boards[line.board], score_of(boards[line.board], line)) for line in model.lines]
    ranked = [(board, score) for board, score in scores if score.rank_high is not None]
    ranked.sort(key=lambda pair: pair[1].rank_high / len(pair[0].models))
    best = {board.name: (board, score) for board, score in reversed(ranked)}  # of settings the best
    order = [round(score.rank_high / len(board.models), 4) for board, score in ranked]
    shown = list(reversed(best.values()))[:N_BEST]
    in_words = [f"{score.rank} of {len(board.models)}: {short_title(board)}" for board, score in shown]
    return {
        "model": model,
        "others": [name for name in model.names if name.rpartition("/")[2] != model.name],
        "best": shown,
        "in_words": "; ".join(in_words),
        "order": order[0] if order else "",
    }


def short_title(board: CommittedBoard) -> str:
    """The name of a board's set, with what tells its boards apart where its title begins with it."""
    parts = str(board.card["title"]).split(", ")
    name = str(board.card["set"]["name"])
    return ", ".join(parts[:2]) if parts[0] == name and len(parts) > 1 else name


def score_of(board: CommittedBoard, line: Line) -> Any:
    """The score that ranks a model's line."""
    return next(score for score in board.ranked if score.subject == line.subject)


def context(tables: Tables, model: Model) -> dict:
    """Return what models/model.md.j2 shows of one model."""
    boards = {board.name: board for board in tables.real}
    lines = [_on(boards[line.board], line) for line in model.lines]
    return {
        "model": model,
        "lines": lines,
        "names": _names(model, boards),
        "see": [(tables.catalogue.by_name[name], why) for name, why in model.see],
        "apart": [line for line in lines if line["strong"] or line["weak"]],
        "worst": worst([(boards[line.board], line) for line in model.lines]),
        "n_sliced": sum(line["n_parts"] > 0 for line in lines),
    }


def _names(model: Model, boards: dict[str, CommittedBoard]) -> list[tuple[str, str, list[CommittedBoard]]]:
    """The names that a model bears, each with the reason and the boards."""
    names: dict[tuple[str, str], dict[str, CommittedBoard]] = {}
    for line in model.lines:
        names.setdefault((line.name, line.why), {})[line.board] = boards[line.board]
    return [(name, why, list(on.values())) for (name, why), on in names.items()]


def billions(model: Model) -> str:
    """A model's size as printed, `8 billion`; empty where it is not published."""
    return f"{model.billions:g} billion" if model.billions else ""


def _on(board: CommittedBoard, line: Line) -> dict:
    """A model's line on a board: its score among the others, and the slices that are apart from it."""
    score = score_of(board, line)
    parts = [
        _row(part)
        for part in board.scores
        if part.subject == line.subject and part.slice and not NOT_PARTS & dict(part.slice).keys()
    ]
    whole = [_row(score)] if score.value is not None else []
    apart = {
        kind: weak_slices(board, parts, whole, is_better=kind == "strong") for kind in ("strong", "weak")
    }
    slices = {kind: [_part(board, row["score"]) for row, _ in pairs] for kind, pairs in apart.items()}
    return slices | {
        "board": board,
        "line": line,
        "score": score,
        "n": len(board.models),
        "strip": strip(board, score),
        "n_parts": len([part for part in parts if part["metric"] == board.headline.name]),
    }


def _row(score: Any) -> dict:
    values = {name: getattr(score, name) for name in ("metric", "value", "low", "high")}
    return values | {"slice": dict(score.slice), "score": score}


def _part(board: CommittedBoard, score: Any) -> dict:
    return {"score": score, "where": board.in_words(score.slice)}


def strip(board: CommittedBoard, score: Any) -> dict | None:
    """A model among a board's others on one line: the ticks of all as an SVG path, its dot and its interval.
    A share's line is [0, 1], another measure's that of what was measured. None without a value.
    """
    if score.value is None:
        return None
    values = [other.value for other in board.models if other.value is not None]
    ends = [end for end in (score.low, score.high) if end is not None]
    low, high = (0.0, 1.0) if board.headline.unit == "share" else (min(values + ends), max(values + ends))

    def at(value: float) -> float:
        share = (value - low) / (high - low) if high > low else 0.5
        return round(EDGE + share * (WIDTH - 2 * EDGE), 1)

    ticks = "".join(f"M{x} 4v8" for x in sorted({at(value) for value in values}))
    ends_at = (at(score.low), at(score.high)) if len(ends) == 2 else None
    return {"width": WIDTH, "height": HEIGHT, "ticks": ticks, "at": at(score.value), "ends": ends_at}


def compared(tables: Tables) -> str:
    """The models and what their boards print of them as a data script, for compare.html."""
    boards = {
        board.name: {
            "title": board.card["title"],
            "label": board.headline.label,
            "up": board.headline.direction == "up",
            "dated": day_in_words(str(board.card["dated"])),
            "judged": board.card["judge"] or "people",
            "is_aggregate": board.table is not None,
            "n": len(board.models),
        }
        for board in tables.real
        if board.has_models
    }
    by_name = {board.name: board for board in tables.real}
    models = [
        {
            "name": model.name,
            "address": model.address,
            "maker": model.maker or "",
            "lines": [_compared(by_name[line.board], line) for line in model.lines],
        }
        for model in tables.catalogue.models
    ]
    return script("truerateModels", {"boards": boards, "models": models})


def _compared(board: CommittedBoard, line: Line) -> list[str | int]:
    """Board, subject, setting, value, interval, n and rank of a line, as printed."""
    score = score_of(board, line)
    text, ends = str(board.headline.text(score.value)), str(board.ends(score))
    return [line.board, line.subject, line.setting, text, ends, score.n, score.rank]
