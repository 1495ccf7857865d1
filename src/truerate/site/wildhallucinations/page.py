"""What WildHallucinations' pages compute beside the tables of its page.yaml."""

from truerate.site.charts.recovery import CellEstimate, against_planted, pictured
from truerate.site.layout import Figure, Rows
from truerate.site.samples.facts import PEOPLE, verifier_of
from truerate.site.tables import Board, n_rows
from truerate.site.wildhallucinations.rows import BY, PARTS, address

PLACES = ("raw", "corrected", "rogan-gladen-between", "labels-alone", "ppi", "prediction-powered", "chosen")
RECOVERED = ("wildfactscore", "wildfactscore_strict")


def is_labelled(board: Board) -> bool:
    """Whether people's labels are the verdicts of a board."""
    return verifier_of(board) == PEOPLE


def recovered(rows: Rows, board: Board) -> dict | None:
    """What recovery.html.j2 shows: scores over all entities and over parts of them, each estimator against what was planted."""
    truth = {address(row): row["value"] for row in rows if row["kind"] == "planted"}
    cells: dict[tuple[str, bool, int], dict[str, CellEstimate]] = {}
    for row in rows:
        is_shown = row["table"] in ("scores", "estimates", *BY.values()) and row["metric"] in RECOVERED
        if is_shown and row["kind"] != "planted" and address(row) in truth:
            is_part = row["table"] in BY.values()
            names = [
                board.vocabulary.value(key, row["slice"][key])
                for key in (*PARTS, "model", "set", "setting")
                if key in row["slice"]
            ]
            where = ", ".join(names if is_part else [row["subject"], *names])
            estimate = CellEstimate(
                row["value"], row["low"], row["high"], planted=truth[address(row)], n=row["n"]
            )
            cells.setdefault(_way(row, is_part), {})[where] = estimate
    estimators = [against_planted(_title(way, board), way[0], cells[way]) for way in sorted(cells)]
    return pictured(
        estimators,
        second="Over",
        join="over",
        dot="model, or model and part",
        is_open=True,
    )


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
    """How many entities, replies and facts the scores are made of, and who verified them."""
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
    """Whether a row is the share of a model's responding replies that hold no fact, over all entities."""
    is_whole = row["table"] == "facts" and not {"set", *PARTS} & set(row["slice"])
    return (
        is_whole and row["metric"] == "no_fact_rate" and row["kind"] == "model" and row["value"] is not None
    )
