"""The stages `leaderboard` and `site`: scores become rows, rows become pages."""

import shutil
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from truerate.config.layout import Layout
from truerate.config.places import claim, drop, refuse_taken, written_by_stages
from truerate.config.stage_settings import Stage
from truerate.core.schemas import (
    Outcome,
    Row,
    Score,
    frame,
    load,
    save,
)
from truerate.pipeline.guard import unchanged, write_json, write_text
from truerate.pipeline.tracks import card_of, load_track, records_of
from truerate.pipeline.trained_elsewhere import refuse_stale

if TYPE_CHECKING:
    from truerate.site.tables import CommittedBoard


def prune(at: Layout) -> None:
    """Drop outputs of boards that params.yaml no longer names, before the leaderboard is read off the
    folders.
    """
    places = (at.p.paths.scores, at.p.paths.audits, at.p.paths.truth)
    kept = {
        Path(path) for board in at.p.boards for path in (at.scores(board), at.audit(board), at.truth(board))
    }
    doomed = [path for folder in places for path in Path(folder).glob("*") if path not in kept]
    for path in written_by_stages(doomed):
        drop(path)


def leaderboard(at: Layout) -> None:
    """Rows with rank ranges of every board, and the headline numbers as DVC metrics."""
    from truerate.leaderboard import rows

    refuse_stale(at)
    with unchanged(at, Stage("leaderboard")):
        prune(at)
        tables = [
            rows.board_rows(
                at, board, *board_scores(at, board), records_of(at, board), card_of(at, board).asked
            )
            for board in at.p.boards
        ]
        table = pl.concat([frame(Row), *tables])
        claim(at, "leaderboard", "metrics")
        save(Row, table, at.leaderboard("rows"))
        write_json(at.leaderboard("ledger.json"), ledger_of(at))
        write_json(f"{at.p.paths.metrics}/leaderboard.json", rows.headline(table))


def ledger_of(at: Layout) -> list[dict]:
    """The ledger of what the papers of the boards' tracks printed."""
    from truerate.leaderboard import ledger

    tracks = [load_track(name) for name in sorted({board.track for board in at.p.boards.values()})]
    totals = [total for track in tracks for total in track.totals]
    claims = [claim for track in tracks for claim in track.claims]
    reasons = {table: why for track in tracks for table, why in track.reasons.items()}
    return ledger.ledger_of(at.published(), totals, reasons, claims)


def board_scores(at: Layout, board: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Scores (estimated, audited, planted) and outcomes of a board."""
    scores = [
        load(Score, at.scores(board, "scores")),
        load(Score, at.audit(board)),
        load(Score, at.truth(board)),
    ]
    return pl.concat(scores), load(Outcome, at.scores(board, "outcomes"))


def render(
    at: Layout, real: "Sequence[CommittedBoard]" = (), files: Mapping[str, Path] | None = None
) -> None:
    """Write the pages for mkdocs, with those of committed boards (`real`) and their `files`; print the
    build's notes.
    """
    from truerate.pipeline.build_summary import print_build_summary
    from truerate.pipeline.publishing.site_tables import site_tables
    from truerate.site import rendered

    with unchanged(at, Stage("site")):
        tables = site_tables(at, real)
        pages = rendered(tables)
        first = next(pages)  # pages are made before those of the earlier build go
        refuse_taken(at, "site_src")
        shutil.rmtree(at.p.paths.site_src, ignore_errors=True)
        claim(at, "site_src", "site")
        for path, text in chain([first], pages):
            write_text(f"{at.p.paths.site_src}/{path}", text)
        for name, file in (files or {}).items():
            shutil.copyfile(file, f"{at.p.paths.site_src}/real/{name}")
    print_build_summary(at)
