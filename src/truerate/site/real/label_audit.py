"""Labels under audit: those that judges speak against, and the ranks with and without the corrections of a person."""

from truerate.site.real.results import RealBoard

N_SHOWN = 20  # suspects on the page; the file has all
UNCORRECTED = (("rule", "uncorrected"),)  # the slice of labels as published, where some are corrected
LABELS = ("not hallucinated", "hallucinated")
COLUMNS = ("id", "label", "bits", "n_against", "n_judges")


def context(board: RealBoard) -> dict | None:
    """What real/label_audit.html.j2 shows; None where there are neither suspects nor corrections."""
    corrected = with_and_without(board)
    if not board.suspects and not corrected:
        return None
    first = board.suspects[:N_SHOWN]
    return {
        "n": len(board.suspects),
        "n_labels": sum(model.n for model in board.models),
        "first": [(one, LABELS[one.is_hallucinated]) for one in first],
        "corrected": corrected,
        "n_moved": sum(own.rank != before.rank for own, before in corrected),
    }


def with_and_without(board: RealBoard) -> list[tuple]:
    """The headline of each subject with the corrections and with the labels as published, in the board's order."""
    before = {
        score.subject: score
        for score in board.scores
        if score.metric == board.headline.name and score.slice == UNCORRECTED
    }
    return [(one, before[one.subject]) for one in board.ranked if one.subject in before]


def suspects_csv(board: RealBoard) -> tuple[tuple[str, ...], list[tuple]]:
    """Every suspect label, to be downloaded: header and lines. `id` is what errata name a reply by."""
    return COLUMNS, [
        (suspect.id, LABELS[suspect.is_hallucinated], suspect.bits, suspect.n_against, suspect.n_judges)
        for suspect in board.suspects
    ]
