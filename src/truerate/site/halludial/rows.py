"""A board's rows as its pages read them, with what follows from them."""

from collections import defaultdict

from truerate.site.halludial.rates import with_base, with_planted
from truerate.site.layout import Rows
from truerate.site.tables import Board

VARIANT, OVER, VIEW = "variant", "over", "view"
BALANCED, MIXED = "balanced", "mixed"
LONE = ("location", "reliability")  # tables in which a judge has one variant each: it need not be said
SAYS = {"positives": "says-yes", "negatives": "says-no"}  # of judgements, where elsewhere it is of texts


def derived(rows: Rows, board: Board) -> Rows:
    """The rows; planted rates also under the slice of every estimate of them; what is of the base temperature
    also without it; and scores of texts as they are mixed beside those of a balanced set.
    """
    return with_mixed(with_base(with_planted(with_own_words(without_lone_variants(rows)))))


def without_lone_variants(rows: Rows) -> Rows:
    """Rows of LONE without the variant, of each subject that has no other one there."""
    variants: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in rows:
        if row["table"] in LONE and VARIANT in row["slice"]:
            variants[row["table"], row["subject"]].add(row["slice"][VARIANT])
    return [
        row | {"slice": {key: value for key, value in row["slice"].items() if key != VARIANT}}
        if len(variants.get((row["table"], row["subject"]), ())) == 1
        else row
        for row in rows
    ]


def with_own_words(rows: Rows) -> Rows:
    """Rows on labels, where `over` is what a judgement says, under words of their own."""
    return [
        row | {"slice": row["slice"] | {OVER: SAYS[row["slice"][OVER]]}}
        if row["table"] == "labels" and row["slice"].get(OVER) in SAYS
        else row
        for row in rows
    ]


def with_mixed(rows: Rows) -> Rows:
    """What is scored as a balanced set would be, also as the texts are; over all kinds alone."""
    halved = [row for row in rows if row["slice"].get(VIEW) == BALANCED and "kind" not in row["slice"]]
    wanted = {_address(row, row["slice"] | {VIEW: MIXED}) for row in halved}
    copies = [row | {"slice": row["slice"] | {VIEW: MIXED}} for row in rows if VIEW not in row["slice"]]
    return rows + [row for row in copies if _address(row, row["slice"]) in wanted]


def _address(row: dict, slice_: dict[str, str]) -> tuple:
    return (row["subject"], row["kind"], row["metric"], *sorted(slice_.items()))
