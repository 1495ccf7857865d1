"""WildHallucinations' rows as its pages read them: what stands in which table, parts of the entities as
lines, links to the replies.
"""

from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlencode

import polars as pl

from truerate.core.data_files import read_data
from truerate.core.schemas import pair
from truerate.site.charts.recovery import CellEstimate, against_planted, pictured
from truerate.site.layout import Figure
from truerate.site.rights import has_texts, open_part
from truerate.site.samples.facts import PEOPLE, verifier_of
from truerate.site.tables import NO_RANK, Board, n_rows
from truerate.site.vocabulary import Vocabulary

Rows = list[dict]
WORDS = read_data(Path(__file__).with_name("words.yaml"), dict)
RULES = ("measured", "paper")  # of abstention
RAW, ALL, COMMON, CORRECTED, PLANTED, CHOSEN = "raw", "all", "common", "corrected", "planted", "chosen"
ESTIMATES = "estimates"  # the table of a score by every estimator
PARTS = tuple(WORDS["parts"])
BY = {part: table for part, (_, table) in WORDS["parts"].items()}  # the table of a part's scores
PARTED, READ = WORDS["parted"], WORDS["read"]
PLACES = ("raw", "corrected", "rogan-gladen-between", "labels-alone", "ppi", "prediction-powered", "chosen")
RECOVERED = ("wildfactscore", "wildfactscore_strict")
OF = {"wildfactscore": "score", "wildfactscore_strict": "Strict"}  # what a note is of


def derived(rows: Rows, board: Board) -> Rows:
    """The rows, each in its table, with planted truth beside every estimate; and the tables `leading`, those
    of BY, `errors-by-model` and, where people labelled facts of the models, `estimates`.

    `setting` and whatever else a slice holds stays. Rows of parts of the entities that no page shows are in
    the table `parts`.
    """
    plain = [_plain(row) for row in _with_planted(rows)]
    rule = rule_of(board)
    estimated = {row["metric"] for row in plain if row["slice"].get("estimator") == CHOSEN}
    changes = [row for row in plain if row["metric"] == "rank_change"]
    moves = {(row["subject"], row["slice"].get("view")): row["value"] for row in changes}
    in_tables = []
    for row in plain:
        part = next((key for key in PARTS if key in row["slice"]), None)
        if row["table"] == "search" and "base" in row["slice"]:
            slice_ = row["slice"] | {"base": f"less {row['slice']['base']}"}
            in_tables.append(row | {"slice": slice_, "note": _helps_rare(row)})
        elif part:
            in_tables.append(_part(row, part))
        elif row["metric"] in PARTED and row["slice"].get("estimator", RAW) not in (RAW, CORRECTED):
            in_tables += _estimate(row)
        elif row["metric"] == "error_rate":
            in_tables.append(_error(row, board.vocabulary))
        elif row["slice"].get("set") == COMMON and row["metric"] not in WORDS["scores"]:
            in_tables.append(row | {"table": "parts"})
        else:
            in_tables.append(_moved(row, moves))
            in_tables += _leading(row, rule)
            in_tables += _beside(row) if row["metric"] in estimated else []
    measured = {address(row) for row in in_tables if row["kind"] != PLANTED}
    in_tables = [row for row in in_tables if row["table"] not in BY.values() or address(row) in measured]
    return [_read(row, board.name) for row in in_tables] if has_texts(open_part(board)) else in_tables


def address(row: dict) -> tuple:
    """Return what a planted row and the measured ones of it share."""
    return (row["table"], row["subject"], row["metric"], *sorted(row["slice"].items()))


def _plain(row: dict) -> dict:
    """A row without what goes without saying: raw, over all entities; a probe's rule in the slice."""
    implied = (("estimator", RAW), ("set", ALL))
    slice_ = dict(item for item in row["slice"].items() if item not in implied)
    if row["metric"].startswith("probe_"):
        slice_ |= {"rule": row["subject"]}
    subject = "annotators" if row["table"] == "checks" else row["subject"]  # who checked, not what
    return row | {"subject": subject, "slice": slice_}


def _with_planted(rows: Rows) -> Rows:
    """The rows; what was planted stands under each estimator and each rule of abstention by which its metric
    was measured.
    """
    measured = [row for row in rows if row["kind"] != PLANTED]
    met: dict[str, set[tuple]] = {}
    for row in measured:
        how = tuple((key, row["slice"][key]) for key in ("estimator", "rule") if key in row["slice"])
        met.setdefault(row["metric"], set()).add(how)
    copies: dict[tuple, dict] = {}
    for row in rows:
        if row["kind"] == PLANTED:
            bare = {key: value for key, value in row["slice"].items() if key not in ("estimator", "rule")}
            for how in sorted(met.get(row["metric"], {()})):
                under = row | {"slice": bare | dict(how)}
                copies.setdefault((row["subject"], row["metric"], *sorted(under["slice"].items())), under)
    return measured + list(copies.values())


def _estimate(row: dict) -> Iterable[dict]:
    """Return a score by labels in the estimators' table, and the chosen one in the leading table."""
    slice_ = {key: value for key, value in row["slice"].items() if key != "by"}
    estimate = row | {"table": ESTIMATES, "slice": slice_} | NO_RANK
    by = row["slice"].get("by")
    yield estimate | {"note": f"{OF[row['metric']]}: {WORDS['chosen_by'].get(by, by)}"} if by else estimate
    if slice_.get("estimator") == CHOSEN and row["kind"] in ("model", PLANTED):
        yield estimate | {"table": "leading"}


def _beside(row: dict) -> Iterable[dict]:
    """A copy of a raw or corrected score over all entities for the table of all estimators."""
    if not {"set", *PARTS} & set(row["slice"]) and row["kind"] in ("model", PLANTED):
        yield row | {"table": ESTIMATES} | NO_RANK


def _helps_rare(row: dict) -> str:
    """In words what the interaction of search and rarity says, where a row is one of Strict; else nothing."""
    if row["metric"] != "wildfactscore_strict_gain_by_rarity" or row["kind"] == PLANTED:
        return ""
    low, high = row["low"], row["high"]
    is_told = low is not None and high is not None and (low > 0 or high < 0)
    return WORDS["search_by_rarity"]["unclear" if not is_told else "more" if low > 0 else "less"]


def _part(row: dict, part: str) -> dict:
    """Return a score of a part of the entities: a line per part, a column per model."""
    slice_ = row["slice"]
    is_measured = row["metric"] in PARTED and slice_.get("rule", "measured") == "measured"
    if "set" in slice_ or not is_measured or row["kind"] not in ("model", PLANTED):
        return row | {"table": "parts"}
    where = {key: value for key, value in slice_.items() if key not in ("estimator", "rule")}
    where |= {"model": row["subject"], "measure": PARTED[row["metric"]] or slice_.get("estimator", RAW)}
    kind = PLANTED if row["kind"] == PLANTED else "baseline"
    line = {"table": BY[part], "subject": "replies", "kind": kind}
    return row | line | {"slice": where, "model": row["subject"]}


def _error(row: dict, vocabulary: Vocabulary) -> dict:
    """A share of the error analysis: over all models a line per kind, else a line per kind and a column per
    model.
    """
    if row["kind"] == "model":
        line = {"table": "errors-by-model", "subject": "replies", "kind": "baseline"}
        return row | line | {"slice": row["slice"] | {"model": row["subject"]}}
    kind = row["slice"].get("kind", "")
    slice_ = {key: value for key, value in row["slice"].items() if key != "kind"}
    note = WORDS["kinds"].get(kind)
    return row | {"subject": vocabulary.value("kind", kind), "slice": slice_, "note": note}


def _moved(row: dict, moves: dict) -> dict:
    """A score with the places that its subject gains in it."""
    slice_ = {key: value for key, value in row["slice"].items() if key not in ("gamma", "setting")}
    shown = (row["metric"], slice_)
    view = next((name for name, view in WORDS["views"].items() if tuple(view) == shown), None)
    is_moved = row["kind"] == "model" and (row["subject"], view) in moves
    return row | {"moved": moves[row["subject"], view]} if is_moved else row


def rule_of(board: Board) -> str:
    """The rule of abstention that decided which replies of a board abstain: the first that says so of every
    one.
    """
    is_read = (pl.col("purpose") == "generate") & pl.col("status").is_in(["ok", "abstained"])
    by_rule = [pair("attributes", f"abstained_{rule}") for rule in RULES]
    statuses = board.generations.filter(is_read).select(pl.col("status") == "abstained", *by_rule)
    for rule in RULES:
        if (statuses["status"] == (statuses[f"abstained_{rule}"] == "true")).all():
            return rule
    return RULES[0]


def _leading(row: dict, rule: str) -> Iterable[dict]:
    """A copy for the leading table of what it shows, responding by the board's `rule`; only WildFactScore is
    ranked there.
    """
    slice_ = dict(row["slice"])
    is_measured = slice_.pop("rule", rule) == rule and row["metric"] in WORDS["leading"]
    if is_measured and "set" not in slice_ and row["kind"] in ("model", PLANTED):
        ranks = {} if row["metric"] == "wildfactscore" and "estimator" not in slice_ else NO_RANK
        yield row | {"table": "leading", "slice": slice_} | ranks


def _read(row: dict, board: str) -> dict:
    """A row with the address, on the page of samples, of the replies behind it."""
    wanted = {"board": board}
    model = row.get("model") or (row["subject"] if row["kind"] == "model" else None)
    if row["table"] == "verification" and row["metric"] in READ["outcome"]:
        wanted |= {"judge": row["subject"], "outcome": READ["outcome"][row["metric"]]}
    elif model and (row["metric"] in WORDS["leading"] + WORDS["scores"] or row["table"] == "facts"):
        wanted |= {"generator": model} | {key: row["slice"][key] for key in PARTS if key in row["slice"]}
        wanted |= {of: READ[of][row["metric"]] for of in ("verdict", "reply") if row["metric"] in READ[of]}
    return row | {"read": urlencode(wanted)} if len(wanted) > 1 else row


def is_labelled(board: Board) -> bool:
    """Return whether people's labels are the verdicts of a board."""
    return verifier_of(board) == PEOPLE


def recovered(rows: Rows, board: Board) -> dict | None:
    """Return what recovery.html.j2 shows: scores over all entities and over parts of them, each estimator
    against what was planted.
    """
    truth = {address(row): row["value"] for row in rows if row["kind"] == "planted"}
    cells: dict[tuple[str, bool, int], dict[str, CellEstimate]] = {}
    for row in rows:
        is_shown = row["table"] in ("scores", "estimates", *BY.values()) and row["metric"] in RECOVERED
        if is_shown and row["kind"] != "planted" and address(row) in truth:
            is_part = row["table"] in BY.values()
            keys = [key for key in (*PARTS, "model", "set", "setting") if key in row["slice"]]
            names = [board.vocabulary.value(key, row["slice"][key]) for key in keys]
            where = ", ".join(names if is_part else [row["subject"], *names])
            planted = truth[address(row)]
            estimate = CellEstimate(row["value"], row["low"], row["high"], planted=planted, n=row["n"])
            cells.setdefault(_way(row, is_part), {})[where] = estimate
    estimators = [against_planted(_title(way, board), way[0], cells[way]) for way in sorted(cells)]
    return pictured(estimators, second="Over", join="over", dot="model, or model and part", is_open=True)


def _way(row: dict, is_part: bool) -> tuple[str, bool, int]:
    """Over what a score is, whether it is Strict, and the place of its estimator."""
    measure = row["slice"].get("measure", PLACES[0])
    estimator = row["slice"].get("estimator", measure if measure in PLACES else PLACES[0])
    is_strict = row["metric"] == "wildfactscore_strict" or measure == "strict"
    return "parts of them" if is_part else "all entities", is_strict, PLACES.index(estimator)


def _title(way: tuple[str, bool, int], board: Board) -> str:
    """`Raw`, `Strict`, or `Strict: Best estimate`."""
    _, is_strict, number = way
    words = board.vocabulary.value("estimator", PLACES[number])
    return words if not is_strict else "Strict" if not number else f"Strict: {words}"


def figures(rows: Rows, board: Board) -> list[Figure]:
    """Return how many entities, replies and facts the scores are made of, and who verified them."""
    n_entities = board.items.filter(board.items["task"] == "entity").height
    replies = board.generations.filter(board.generations["purpose"] == "generate")
    states = {
        "did not come": replies.filter(replies["status"] == "dead").height,
        "abstain": replies.filter(replies["status"] == "abstained").height,
        "without a fact": round(sum(row["value"] * row["n"] for row in rows if _is_without_facts(row))),
    }
    note = ", ".join(f"{n} {state}" for state, n in states.items() if n)
    figures: list[Figure] = [("Entities", n_entities, ""), ("Replies", replies.height, note)]
    return [*figures, ("Facts", n_rows(board.facts), ""), ("Verified by", verifier_of(board), "")]


def _is_without_facts(row: dict) -> bool:
    """Return whether a row is the share of a model's responding replies that hold no fact, over all entities."""
    is_whole = row["table"] == "facts" and not {"set", *PARTS} & set(row["slice"])
    is_rate = row["metric"] == "no_fact_rate" and row["value"] is not None
    return is_whole and is_rate and row["kind"] == "model"
