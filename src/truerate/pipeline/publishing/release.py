"""A board or a trained network as what goes out to the Hub, gathered from the built tables."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import polars as pl

from truerate.config.layout import ORIGIN, Layout
from truerate.core.errors import TruerateError
from truerate.core.rights import KEYS, outgoing_tables
from truerate.core.schemas import (
    Count,
    Document,
    Fact,
    Generation,
    Item,
    Judgement,
    Row,
    Sample,
    Score,
    load,
    read_json,
)
from truerate.hub import dataset, detector, space
from truerate.hub.configs import configs_of
from truerate.hub.dataset import origin_of
from truerate.hub.forms import in_forms
from truerate.hub.licences import check_target, licence_of, refuse_unpublishable
from truerate.hub.provenance.envelope import line_of
from truerate.hub.provenance.statement import Recipe, statement_of
from truerate.hub.release import LOCK, SETTINGS, DetectorFacts, Draft, sha256
from truerate.hub.shards import in_order
from truerate.pipeline.detect import sided
from truerate.pipeline.judges.judging import judges_of
from truerate.pipeline.publishing.board_facts import audit_of, board_facts, source_card
from truerate.pipeline.publishing.canary import board_canary
from truerate.pipeline.publishing.datasheet import datasheet, datasheet_file, rai_fields
from truerate.pipeline.publishing.parted import open_tasks, partial_configs, withheld
from truerate.pipeline.publishing.site_tables import (
    OF_REPLY,
    OF_VERDICT,
    judgement_files,
    shown_verdicts,
)
from truerate.pipeline.publishing.slices import own_lock, own_settings
from truerate.pipeline.tracks import card_of, protocol_of
from truerate.pipeline.trained import USUAL, members_of

DATASHEET = "DATASHEET.md"
PARAMS, DVC_LOCK = "params.yaml", "dvc.lock"  # what says how the tables came about


# ---- a board -----------------------------------------------------------------------------------------------
def board_draft(config: Layout, board: str, *, repo: str, folder: Path) -> Draft:
    """The data set of a board: its open tables by config and its card; large tables lie in `folder`."""
    source = config.p.board(board).source
    card = source_card(config, source)
    is_partial = config.p.hub.partial and bool(open_tasks(card))
    if not is_partial:
        refuse_unpublishable(card, what=f"board {board!r}", advice=_partial_advice(card))
    audit_of(config, board)
    tables = tables_of(config, board, folder)
    track = card_of(config, board)
    how = {"card": card, "attributes": track.attributes}
    if is_partial:
        searching = getattr(config.p.track(board), "searching", ())
        configs = partial_configs(tables, **how, tasks=[*track.tasks], searching=searching, folder=folder)
        shown = tables  # of which the card tells languages and judges alone
    else:
        configs = configs_of(tables, **how, source=source, tasks=track.tasks, folder=folder)
        shown = outgoing_tables(tables, **how, source=source)
    configs += in_forms(configs, track.forms)
    licence = config.p.hub.licence and check_target(
        config.p.hub.licence, [part.licence for part in configs if part.has_texts], what=f"board {board!r}"
    )
    facts = board_facts(config, board, card=card, tables=shown)
    facts = replace(facts, withheld=withheld(card) if is_partial else [], canary=board_canary(config, board))
    recipe = _recipe(config, board) | {ORIGIN: origin_of(facts, configs, licence=licence or None)}
    sections = datasheet(config, board, facts)
    sheet = datasheet_file(facts.title, sections)
    facts = replace(facts, recipe=recipe | {DATASHEET: sheet}, rai=rai_fields(sections))
    return dataset.draft_of(
        facts, configs, rows_per_shard=config.p.hub.rows_per_shard, licence=licence, repo=repo
    )


def _partial_advice(card: dict) -> str:
    """Return what a refusal adds where some tasks of a source could go out; empty where none could."""
    if not (tasks := open_tasks(card)):
        return ""
    return f"; `hub.partial: true` publishes {', '.join(tasks)} whole and the other tasks as ids"


def tables_of(config: Layout, board: str, folder: Path) -> dict[str, pl.DataFrame | pl.LazyFrame]:
    """The tables of a board that may go out: requests, replies, labels, judgements, scores. Those with a row
    per page, reply, fact or verdict are queries, by id, over files of the board or of a scratch `folder`.
    """
    entry = config.p.board(board)
    paths = {
        "documents": (
            Document,
            [config.source(entry.source, "documents"), config.dataset(board, "documents")],
        ),
        "generations": (Generation, [config.dataset(board, "generations")]),
        "facts": (Fact, [config.dataset(board, "facts")]),
    }
    if (shown := shown_verdicts(config, board)) is None:
        paths["judgements"] = (Judgement, judgement_files(config, board))
    large: dict[str, pl.DataFrame | pl.LazyFrame] = {
        name: in_order(table, files, key=KEYS[name], path=folder / "tables" / f"{name}.parquet")
        for name, (table, files) in paths.items()
    }
    if shown is not None:  # verdicts of what the board's page shows
        large["judgements"] = shown
    for name, columns in {"generations": OF_REPLY, "judgements": OF_VERDICT}.items():
        large[name] = large[name].select(columns)
    return large | {
        "samples": load(Sample, config.labels(board, "samples")),
        "items": load(Item, config.dataset(board, "items")),
        "counts": load(Count, config.dataset(board, "counts")),
        "scores": load(Score, config.scores(board, "scores")),
        "leaderboard": load(Row, config.leaderboard("rows")).filter(board=board),
    }


# ---- a detector --------------------------------------------------------------------------------------------
def detector_draft(config: Layout, member: str, *, board: str, repo: str) -> Draft:
    """The repository of a network: its cell of the track's scope and labels with the first seed."""
    from truerate.detectors.tokens.cells import NETWORK

    facts = _detector_facts(config, member, board)
    return detector.detector_draft(replace(facts, folder=facts.folder / NETWORK), repo=repo)


def judge_draft(config: Layout, member: str, *, board: str, repo: str) -> Draft:
    """The repository of a judge of responses: of its cells on the board the one of the first seed."""
    return detector.judge_draft(_detector_facts(config, member, board), repo=repo)


def _detector_facts(config: Layout, member: str, board: str) -> DetectorFacts:
    """Return what the card of a fitted detector says; `folder` is that of its cell."""
    from truerate.detectors.training.jobs import FACTS

    cell, folder = fitted_cell(config, member, board)
    samples = protocol_of(config, board).training(sided(load(Sample, config.labels(board, "samples"))))
    in_scope = samples if cell.lang is None else samples.filter(lang=cell.lang)
    n_passages = dict(in_scope.group_by("lang").len().sort("lang").rows())  # to learn from and to validate on
    card = source_card(config, config.p.board(board).source)
    return DetectorFacts(
        detector=member,
        board=board,
        title=config.p.board(board).title or board,
        folder=folder,
        training=read_json(folder / FACTS) | {"passages": n_passages},
        settings=cell.attributes | {"confidence": config.p.statistics.confidence},
        source=card,
        licence=licence_of(card["licence"]),
        languages=tuple(sorted(n_passages)),
        scores=load(Score, config.scores(board, "scores")),
        recipe=_recipe(config, board),
        is_simulated=config.p.source(config.p.board(board).source).is_simulated,
    )


def fitted_cell(config: Layout, member: str, board: str):
    """Cell of a network or judge that goes out, and its folder. Raises TruerateError if it is untrained."""
    from truerate.detectors.tokens.cells import Cell

    preferred = config.p.rate_of(board)
    named = (*members_of(config), *judges_of(config))
    families = [family for of, family, other in named if (of, other) == (board, member)]
    paths = [
        path
        for family in families
        for path in sorted((Path(config.detector(family, board)) / member).glob("*"))
        if path.is_dir()
    ]
    cells = {path: Cell.of(member, path.name) for path in paths}
    if not cells:
        raise TruerateError(
            f"publishing detector {member!r}: it is not trained on board {board!r}; run `dvc repro`"
        )
    wanted = (preferred.scope, preferred.labels) if preferred else USUAL
    path = min(
        cells,
        key=lambda other: (
            (cells[other].scope, cells[other].labels) != wanted,
            cells[other].seed,
            other.name,
        ),
    )
    return cells[path], path


# ---- the site ----------------------------------------------------------------------------------------------
def site_draft(config: Layout) -> Draft:
    """The built site as a static Space."""
    return space.draft_of(Path(config.p.paths.site), title=config.p.site.title)


# ---- all --------------------------------------------------------------------------------------------------
def _recipe(config: Layout, board: str) -> dict[str, str]:
    """The files that made it, by path: the board's settings and stages of dvc.lock. Raises TruerateError."""
    return {SETTINGS: own_settings(config.p, board), LOCK: own_lock(config.p, board, _lock())}


def _lock() -> str:
    """The text of dvc.lock. Raises TruerateError where there is none."""
    if not Path(DVC_LOCK).is_file():
        raise TruerateError(
            f"publishing: no {DVC_LOCK} here, so nobody could make it again; run `dvc repro` where {PARAMS} "
            "lies"
        )
    return Path(DVC_LOCK).read_text("utf-8")


def attested(config: Layout, draft: Draft, board: str, *, key: object = None) -> Draft:
    """Return a draft whose files come with a statement of their origin, signed if there is a private key.

    `board`: of a board or detector, whose recipe stands in the draft; of the site, which has none, it is
    empty, and the stage `site` of dvc.lock and the whole params.yaml are what made it.
    """
    if board:
        files = source_card(config, config.p.board(board).source).get("files") or ()
        lock, settings = draft.fixed[LOCK], draft.fixed[SETTINGS]
        assert isinstance(lock, bytes)
        recipe = Recipe(lock.decode(), (SETTINGS, sha256(settings)), files)
    else:
        recipe = Recipe(own_lock(config.p, None, _lock()), (PARAMS, sha256(Path(PARAMS))))

    def attest(digests: Mapping[str, str], maker: str) -> bytes:
        """The statement of these files, as the line of its file."""
        facts = {"name": draft.name, "kind": draft.kind, "maker": maker}
        return line_of(statement_of(digests, recipe, **facts), key)

    return replace(draft, attest=attest)
