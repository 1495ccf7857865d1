"""What the site is made from, gathered out of the built tables; `site.render_site` makes the pages."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import polars as pl

from truerate.config.layout import ROOT, Layout
from truerate.core.rights import KEYS
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
    load_in_parts,
    read_json,
    scan,
    schema,
)
from truerate.detectors.family import rules_by_module
from truerate.detectors.published.adapters import about
from truerate.detectors.published.checks import usable
from truerate.pipeline.checks import unasked
from truerate.pipeline.graph import steps
from truerate.pipeline.publishing.board_prompts import board_prompts
from truerate.pipeline.publishing.detector_curves import curves
from truerate.pipeline.publishing.parted import as_given, open_tasks, parted, withheld
from truerate.pipeline.tracks import SHARED, card_of, metrics_of
from truerate.site.docs import function_docs, schema_docs
from truerate.site.registry import page_of
from truerate.site.rights import open_part
from truerate.site.tables import Board, CommittedBoard, Tables

# What pages show of a reply and of a verdict: settings, prompts' keys, counts of tokens and versions stay on
# disk.
OF_REPLY = (
    "generation_id",
    "item_id",
    "purpose",
    "model",
    "sample_index",
    "text",
    "finish_reason",
    "status",
    "reason",
    "attributes",
)
OF_VERDICT = tuple(name for name in schema(Judgement) if name != "judge_version")


def site_tables(config: Layout, real: Sequence[CommittedBoard] = ()) -> Tables:
    """The tables of every declared board and the committed ones (`real`), with the docstrings of metrics
    and schemas and what detectors are.
    """
    rows = load(Row, config.leaderboard("rows"))
    return Tables(
        title=config.p.site.title,
        boards=tuple(board_tables(config, name) for name in config.p.boards),
        models={alias: model_card(config, alias) for alias in config.p.models},
        rows=rows,
        ledger=read_json(config.leaderboard("ledger.json")),
        metric_docs=function_docs(f"{ROOT}/metrics"),
        detector_docs=[*rule_docs(), *published_docs(config)],
        schema_docs=schema_docs(),
        max_samples=config.p.site.max_samples,
        confidence=config.p.statistics.confidence,
        audit_threshold=config.p.audit.threshold,
        real=tuple(real),
        curves=curves(rows),
    )


def rule_docs() -> list[dict]:
    """Return what each rule of the detectors is, as `{name, module, doc}`, in order of module."""
    return [
        {"name": rule.name, "module": module, "doc": rule.about}
        for module, rules in sorted(rules_by_module().items())
        for rule in rules
    ]


def published_docs(config: Layout) -> list[dict]:
    """Return what each published detector is, as `rule_docs` says it of rules."""
    named = [
        (member, usable(how, f"detectors.{family}.published.{member}", is_asked=False), how)
        for family, detectors in config.p.detectors.items()
        for member, how in detectors.published.items()
    ]
    return [
        {"name": member, "module": "published", "doc": about(adapter, how)} for member, adapter, how in named
    ]


def board_tables(config: Layout, name: str) -> Board:
    """One board as its page shows it."""
    board = config.p.board(name)
    board_data = replace(
        _without_tables(config, name),
        samples=load(Sample, config.labels(name, "samples")),
        items=load(Item, config.dataset(name, "items")),
        documents=scan(
            Document, [config.source(board.source, "documents"), config.dataset(name, "documents")]
        ),
        generations=load(Generation, config.dataset(name, "generations"), columns=OF_REPLY),
        facts=scan(Fact, [config.dataset(name, "facts")]),
        audit=load(Score, config.audit(name)),
        counts=load(Count, config.dataset(name, "counts")),
        topics=read_json(config.scores(name, "topics.json")),
    )
    board_data = replace(board_data, prompts=board_prompts(config, name, board_data.generations))
    shown = shown_targets(board_data, config.p.site.max_samples)
    judgements = pl.concat([verdicts_on(path, shown) for path in judgement_files(config, name)])
    return replace(
        with_parts(config, replace(board_data, judgements=judgements)),
        idle=unasked.on_page(config, name, board_data.generations["model"].drop_nulls().unique().sort()),
    )


def with_parts(config: Layout, board: Board) -> Board:
    """Return the board with the rows whose texts may be shown (`parted`), where `hub.partial` is set and its
    source has tasks that may be shown among others; else as it is.
    """
    card = board.source_card
    if not config.p.hub.partial or card.get("redistribution") == "yes" or not open_tasks(card):
        return board
    tables = {name: getattr(board, name) for name in KEYS}
    searching = getattr(config.p.track(board.name), "searching", ())
    whole = parted(tables, card=card, searching=searching, attributes=board.track_card.attributes).open
    return replace(board, open_texts=as_given(whole, tables), withheld=withheld(card))


def _without_tables(config: Layout, name: str) -> Board:
    """Return what a board is called and says of itself, its tables empty."""
    board = config.p.board(name)
    source = read_json(config.source(board.source, "card.json"))
    card = card_of(config, name)
    return Board(
        name=name,
        track=board.track,
        source=board.source,
        title=board.title or f"{card.title} on {source['name']}",
        is_simulated=config.p.source(board.source).is_simulated,
        reference=board.reference,
        reference_sentences=board.reference_sentences,
        roles=roles(config, name),
        detector=detector_of_rates(config, name),
        tokenizer=getattr(config.p.track(name), "tokenizer", ""),
        source_card=source,
        track_card=card,
        metrics=metrics_of(config, name),
        shared_metrics=SHARED,
        steps=steps_of(board.track),
    )


def shown_verdicts(config: Layout, name: str) -> pl.DataFrame | None:
    """The verdicts on a board's pages where a release holds no others; None if it holds all."""
    if not page_of(config.p.board(name).track).is_released_so:
        return None
    replies = config.dataset(name, "generations")
    board = replace(
        _without_tables(config, name),
        samples=load_in_parts(Sample, config.labels(name, "samples"), digested),
        items=load(Item, config.dataset(name, "items")),
        generations=load_in_parts(Generation, replies, digested, columns=OF_REPLY),
    )
    shown = shown_targets(board, config.p.site.max_samples)
    return (
        None
        if shown is None
        else pl.concat(verdicts_on(judgement_file, shown) for judgement_file in judgement_files(config, name))
    )


def digested(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows with a digest in the place of each text, the same of equal texts; an empty one stays so."""
    text = pl.col("text")
    return rows.with_columns(text=pl.when(text != "").then(text.hash().cast(pl.String)).otherwise(text))


def judgement_files(config: Layout, board: str) -> list[str]:
    """The files of all judgements of a board's texts: its data set's, people's, each family's."""
    files = [config.dataset(board, "judgements"), config.labels(board, "judgements")]
    return files + [config.judgements(detector, board) for detector in config.p.families(board)]


def shown_targets(board: Board, n_max: int) -> Collection[str] | None:
    """Ids that a board's pages show verdicts of, if the track names them and all texts are open; or None."""
    find, rights = page_of(board.track).targets, open_part(board)
    tables = ("samples", "items", "generations")
    is_whole = all(getattr(rights, name).height == getattr(board, name).height for name in tables)
    return find(board, n_max) if find and is_whole else None


def verdicts_on(path: str, targets: Collection[str] | None) -> pl.DataFrame:
    """Judgements of a file on these targets (None: all) and the first of every judge; spans stay on disk."""
    if targets is None:
        return load(Judgement, path, columns=OF_VERDICT)
    heads = load_in_parts(Judgement, path, _of_each_judge, columns=("judgement_id", "judge"))
    first = _of_each_judge(heads)["judgement_id"]
    is_shown = pl.col("target_id").is_in(sorted(targets)) | pl.col("judgement_id").is_in(first.implode())
    return load(Judgement, path, rows=is_shown, columns=OF_VERDICT)


def _of_each_judge(heads: pl.DataFrame) -> pl.DataFrame:
    """The first row of each judge."""
    return heads.unique("judge", keep="first", maintain_order=True)


def steps_of(track: str) -> list[dict]:
    """The steps of a track's graph as its board's page draws them."""
    return [
        {"name": step.name, "role": step.role, "does": step.does, "reads": [read.step for read in step.reads]}
        for step in steps(track)
    ]


def roles(config: Layout, board: str) -> dict[str, str]:
    """Return who built the data set of a board; none where its texts are the source's own."""
    named = config.p.track(board).roles()
    return {role: alias for role, alias in named.items() if alias and config.p.models_on(board, [alias])}


def detector_of_rates(config: Layout, board: str) -> dict[str, str]:
    """The detector whose counts, or verdicts, make a board's rates; none where its track has no rates."""
    named, alone = config.p.rate_of(board), getattr(config.p.track(board), "detector", None)
    if named:
        return named.model_dump()
    return {"member": alone} if isinstance(alone, str) else {}


def model_card(config: Layout, alias: str) -> dict[str, object]:
    """The facts about a model on the pages: maker, name in requests, attributes, whether it is simulated."""
    model = config.p.model(alias)
    endpoint = config.p.endpoints[model.endpoint]
    notes = {
        "open weights": model.is_open,
        "looks things up": model.retrieval,
        f"knows until {model.cutoff}": model.cutoff,
        "knowledge cutoff not stated": model.cutoff is None and not endpoint.is_simulated,
        str(model.about): model.about,
    }
    name = " · ".join([model.model, *(note for note, holds in notes.items() if holds)])
    return {
        "family": model.family,
        "model": name,
        "endpoint": model.endpoint,
        "is_simulated": endpoint.is_simulated,
    }
