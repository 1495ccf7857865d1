"""What opens from a number of a committed board: the rows behind it, its texts, and where it comes from."""

import json
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from truerate.results.texts.records import JUDGE, RECOGNITION, slices_of

if TYPE_CHECKING:
    from truerate.results.board import RealBoard, RealScore

CHECK = "truerate real --check results"


def spelled(score: "RealScore") -> str:
    """The slice of a score as rows and addresses spell it, `key=value;…`; empty over everything."""
    return ";".join(f"{key}={value}" for key, value in score.slice)


def address(board: "RealBoard", score: "RealScore") -> str:
    """The address, from the site's root, of what stands behind a score: its rows, or the published table."""
    if board.table is not None:
        return f"real/{board.name}.html#the-table"
    choices = {"metric": score.metric, "subject": score.subject, "slice": spelled(score)}
    if score.metric == board.headline.name:
        del choices["metric"]  # what the rows open with
    return f"real/{board.name}.html#{urlencode({key: value for key, value in choices.items() if value}, quote_via=quote)}"


def readable(board: "RealBoard") -> frozenset[tuple[str, str]]:
    """Of whose texts some can be read, and on which slice of the headline: (who wrote them, slice); empty over
    everything. A detector stands there with every slice that has a text.
    """
    if board.texts is None:
        return frozenset()
    slices, subjects = slices_of(board), {score.subject for score in board.ranked}
    pairs = {
        (subject, where)
        for subject, unit in board.texts.select("subject", "unit_id").iter_rows()
        for where in ("", *slices.get(unit, ()))
    }
    judges = subjects if not subjects & board.writers else set()
    return frozenset(pairs | {(judge, where) for judge in judges for _, where in pairs})


def reading(board: "RealBoard", score: "RealScore") -> str:
    """The choices of the sample browser that show texts behind a score; empty where none can be read."""
    where, choices = spelled(score), {}
    if where.startswith(JUDGE) and ";" not in where:
        choices, where = {"judge": where.removeprefix(JUDGE)}, ""
    if (score.subject, where) not in board.readable or board.texts is None:
        return ""
    if score.subject in board.writers:
        choices["generator"] = score.subject
    elif board.headline.name == RECOGNITION:  # of another measure a detector has no verdicts
        choices["judge"] = score.subject
    choices |= {"slice": where} if where else {}
    return urlencode(choices or {"board": board.name}, quote_via=quote)


def facts(board: "RealBoard") -> str:
    """Where the numbers of a board come from, as JSON pairs that the dialog shows."""
    card = board.card
    labels = card["judge"] or card["labelled_by"] or "as published"
    pairs = [
        ("Judged by" if card["judge"] else "Labelled by", labels),
        ("Set", f"{card['set']['name']} · {card['set']['licence']}"),
        ("Made by", card["command"]),
        ("Checked by", CHECK),
    ]
    return json.dumps(pairs, ensure_ascii=False)
