"""Committed results held against their rows: every value, interval, count and rank range made anew."""

from pathlib import Path

from truerate.core.errors import SourceError, TruerateError
from truerate.core.seen import visible
from truerate.flow.published_beside import beside, tally
from truerate.flow.result_files import boards_of, load_result
from truerate.flow.result_labels import label_differences, load_labels
from truerate.real.recompute import differences

N_SHOWN = 20  # differences of one board; how many more there are is said


def check_results(folder: str | Path) -> None:
    """Print a line for each result in a folder: that its rows give its scores, or what is wrong with it.

    Raises TruerateError where a result is wrong, or there is none.
    """
    found = boards_of(Path(folder))
    if not found:
        raise SourceError(
            f"results: no result in {str(folder)!r}; `truerate real DATA --commit-results` writes them"
        )
    wrong = [board for board in found if not _is_sound(Path(folder) / board)]
    if wrong:
        raise TruerateError(
            f"results: {len(wrong)} of {len(found)} do not hold: {', '.join(wrong)}; the lines above say why"
        )


def _is_sound(folder: Path) -> bool:
    """Whether a result's rows give its scores; says so, or what differs."""
    try:
        result = load_result(folder)
        labels = load_labels(folder, result)
        lines = [*differences(result), *([] if labels is None else label_differences(result, labels))]
        told = tally(beside(result, folder))
    except TruerateError as error:
        print(f"wrong: {visible(str(error), is_line=True)}")
        return False
    for line in lines[:N_SHOWN]:
        print(f"wrong: {line}")
    if len(lines) > N_SHOWN:
        print(f"wrong: {folder.name}: and {len(lines) - N_SHOWN} more")
    if not lines:
        card = result.card
        made = f"{result.scores.height} scores of {card.n_subjects} subjects from {result.rows.height} rows"
        made += f" and {labels.height} labels" if labels is not None else ""
        print(f"holds: {card.board}: {made}{f'; {told}' if told else ''}")
    return not lines
