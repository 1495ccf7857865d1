"""What the card and the datasheet of a board's data set say, gathered from its tables."""

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from truerate.config.layout import Layout
from truerate.core.errors import TruerateError
from truerate.core.schemas import Row, Score, load, read_json
from truerate.hub.release import BoardFacts
from truerate.pipeline.publishing.site_tables import roles
from truerate.pipeline.tracks import card_of, records_of
from truerate.sources.hub.released_replies import HUMAN
from truerate.sources.tables import BY_TASK


def source_card(config: Layout, source: str) -> dict:
    """Return the card of an imported source."""
    return read_json(config.source(source, "card.json"))


def board_facts(
    config: Layout, board: str, *, card: dict, tables: Mapping[str, pl.DataFrame | pl.LazyFrame]
) -> BoardFacts:
    """Return what the card of a board's data set says, but for the files that made it."""
    from truerate.leaderboard.audit import findings

    audit = audit_of(config, board)

    def named(table: str, column: str) -> set[str]:
        """The values of a column."""
        return set(tables[table].lazy().select(column).unique().collect(engine="streaming").to_series())

    track = card_of(config, board)
    return BoardFacts(
        board=board,
        title=config.p.board(board).title or f"{track.title} on {card['name']}",
        track=track,
        metrics=records_of(config, board),
        source=card,
        languages=tuple(sorted(named("samples", "lang") | named("items", "lang"))),
        models={role: config.p.model(alias).model for role, alias in roles(config, board).items()},
        scores=tables["scores"].lazy().collect(),
        audit=audit,
        findings=tuple(findings(audit, config.p.audit.threshold)),
        recipe={},
        origins=[*card.get(BY_TASK, {}).values()],
        is_simulated=config.p.source(config.p.board(board).source).is_simulated,
        counts=tables["counts"].lazy().collect(),
        rows=load(Row, config.leaderboard("rows")).filter(board=board),
        is_judged_by_people=HUMAN in named("judgements", "judge"),
    )


def audit_of(config: Layout, board: str) -> pl.DataFrame:
    """The shortcut audit of a board. Raises TruerateError where there is none."""
    if not Path(config.audit(board)).is_file():
        raise TruerateError(f"publishing board {board!r}: it is not audited; run `dvc repro audit@{board}`")
    return load(Score, config.audit(board))
