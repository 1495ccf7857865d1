"""How a board is cited: BibTeX of it, under the authors of its data, and of the paper whose measure scores it."""

from collections.abc import Iterable, Mapping

import truerate
from truerate.core.bibtex import authors_of, bibtex_of_paper, entry, year_of
from truerate.core.card import Card


def bibtex_of_board(
    name: str,
    title: str,
    data: Mapping,
    *,
    dated: str = "",
    provenance: Iterable[str] = (),
    track: Card | None = None,
) -> str:
    """Return two entries: the board, and the paper of its `track` where that cites one with its year.

    `data`: the card of the set or source (`citation`, `url`); `dated`: when its figures were published, empty
    where that is not known; `provenance`: the digests of the rows behind the board's scores.
    """
    citation = str(data.get("citation") or "")
    rows = ", ".join(sorted(set(filter(None, provenance))))
    board = entry(
        f"truerate-{name}",
        authors=authors_of(citation),
        title=title,
        year=year_of(dated, citation),
        date=dated,
        url=str(data.get("url") or ""),
        version=f"truerate {truerate.__version__}" + (f", rows {rows}" if rows else ""),
        note=f"Board of truerate. Data: {citation}" if citation else "Board of truerate.",
    )
    return f"{board}\n\n{bibtex_of_paper(track)}" if track and year_of(track.citation) else board
