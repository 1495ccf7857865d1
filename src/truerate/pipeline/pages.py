"""The stages `leaderboard` and `site`: scores become rows, rows become pages."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
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
    read_json,
    save,
)
from truerate.pipeline.guard import unchanged, write_json, write_text
from truerate.pipeline.tracks import card_of, load_track, records_of
from truerate.pipeline.trained_elsewhere import refuse_stale

if TYPE_CHECKING:
    from truerate.site.tables import CommittedBoard


def prune(config: Layout) -> None:
    """Drop outputs of boards that params.yaml no longer names, before the leaderboard reads the folders."""
    places = (config.p.paths.scores, config.p.paths.audits, config.p.paths.truth)
    kept = {
        Path(path)
        for board in config.p.boards
        for path in (config.scores(board), config.audit(board), config.truth(board))
    }
    doomed = [path for folder in places for path in Path(folder).glob("*") if path not in kept]
    for path in written_by_stages(doomed):
        drop(path)


def leaderboard(config: Layout) -> None:
    """Rows with rank ranges of every board, and the headline numbers as DVC metrics."""
    from truerate.leaderboard import rows

    refuse_stale(config)
    with unchanged(config, Stage("leaderboard")):
        prune(config)
        tables = [
            rows.board_rows(
                config,
                board,
                *board_scores(config, board),
                records_of(config, board),
                card_of(config, board).asked,
            )
            for board in config.p.boards
        ]
        table = pl.concat([frame(Row), *tables])
        claim(config, "leaderboard", "metrics")
        save(Row, table, config.leaderboard("rows"))
        write_json(config.leaderboard("ledger.json"), ledger_of(config))
        write_json(f"{config.p.paths.metrics}/leaderboard.json", rows.headline(table))


def ledger_of(config: Layout) -> list[dict]:
    """The ledger of what the papers of the boards' tracks printed."""
    from truerate.leaderboard import ledger

    tracks = [load_track(name) for name in sorted({board.track for board in config.p.boards.values()})]
    totals = [total for track in tracks for total in track.totals]
    claims = [claim for track in tracks for claim in track.claims]
    reasons = {table: why for track in tracks for table, why in track.reasons.items()}
    counted = [claim for track in tracks for claim in track.counted]
    readers = {claim.reader for claim in counted}
    cards = {
        board: (reader, read_json(config.source(entry.source, "card.json"))["counts"])
        for board, entry in config.p.boards.items()
        if (reader := config.p.source(entry.source).reader) in readers
    }
    return ledger.ledger_of(config.published(), totals, reasons, claims, counted, cards)


def board_scores(config: Layout, board: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Scores (estimated, audited, planted) and outcomes of a board."""
    scores = [
        load(Score, config.scores(board, "scores")),
        load(Score, config.audit(board)),
        load(Score, config.truth(board)),
    ]
    return pl.concat(scores), load(Outcome, config.scores(board, "outcomes"))


def render(
    config: Layout,
    real: "Sequence[CommittedBoard]" = (),
    files: Mapping[str, Path] | None = None,
    *,
    aliases: str | Path | None = None,
) -> None:
    """Write the pages for mkdocs, with committed boards (`real`), their `files` and the file of `aliases` by
    which their models go; print the summary.
    """
    from truerate.pipeline.build_summary import print_build_summary
    from truerate.pipeline.publishing.datasheet import datasheets
    from truerate.pipeline.publishing.site_tables import site_tables
    from truerate.site import rendered
    from truerate.site.models.aliases import Aliases, read_aliases

    named = read_aliases(aliases) if aliases else Aliases()
    with unchanged(config, Stage("site")):
        tables = replace(site_tables(config, real), datasheets=datasheets(config), aliases=named)
        pages = rendered(tables)
        first = next(pages)  # pages are made before those of the earlier build go
        refuse_taken(config, "site_src")
        shutil.rmtree(config.p.paths.site_src, ignore_errors=True)
        claim(config, "site_src", "site")
        for path, text in chain([first], pages):
            write_text(f"{config.p.paths.site_src}/{path}", text)
        for name, file in (files or {}).items():
            shutil.copyfile(file, f"{config.p.paths.site_src}/real/{name}")
    print_build_summary(config)
