"""The steps: load → validate → pure → validate → save. Every command of dvc.yaml and of the rules is one function here.

A step holds no logic of its own: what it computes stands in the rooms below. Tables under data/ are validated on the way in and out;
scratch files between two rules are written as they are and checked by the export.
"""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType

import polars as pl

from truerate.errors import TruerateError, listed
from truerate.keys import digest
from truerate.layout import ROOT, Layout, beside
from truerate.places import SHARED, check_places, claim, clear, refuse_taken, written_by_stages
from truerate.schemas import (
    PAIRS,
    SPANS,
    Count,
    Document,
    Fact,
    Generation,
    Item,
    Judgement,
    Outcome,
    Reject,
    Row,
    Sample,
    Score,
    Table,
    frame,
    load,
    read,
    read_json,
    read_parquet,
    save,
    write_parquet,
)
from truerate.settings import READ, Stage, read_by, stages
from truerate.sources import SourceTables

DATASET = {
    "items": Item,
    "documents": Document,
    "generations": Generation,
    "facts": Fact,
    "samples": Sample,
    "judgements": Judgement,
    "rejects": Reject,
    "counts": Count,
}
BESIDE = {"judgements": Judgement, "documents": Document, "rejects": Reject}  # what a scratch step may give besides replies
SOURCE = {"documents": Document, "items": Item, "samples": Sample, "judgements": Judgement, "rejects": Reject}


def track_of(at: Layout, board: str, part: str) -> ModuleType:
    """A module of the track that a board runs (`steps`, `wiring`, `scores`, …)."""
    return import_module(f"truerate.tracks.{at.p.board(board).track}.{part}")


@contextmanager
def unchanged(at: Layout, stage: Stage) -> Iterator[None]:
    """Refuse to begin where params.yaml is no longer what DVC watches of it, and to end well where it or the code changed meanwhile.

    What the stage wrote before is emptied: DVC leaves that to it. DVC reads what it watches after the command: it would record a result under settings or code that did not make it.
    """
    refuse_edited(at, stage)
    clear(at, stage)
    before = digest("params.yaml", ROOT)
    yield
    if digest("params.yaml", ROOT) != before:
        raise TruerateError("params.yaml or the code changed while this step ran; its result is not recorded: run `dvc repro` again")


def write_text(path: str | Path, text: str) -> None:
    """Write a text file, making its folder."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, "utf-8", newline="\n")


def write_json(path: str | Path, value: object) -> None:
    """Write JSON with sorted keys and a final newline."""
    write_text(path, json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n")


def refuse_edited(at: Layout, stage: Stage) -> None:
    """Raise TruerateError where the settings of a stage are no longer those that the build began with."""
    if is_edited(at, stage):
        raise TruerateError("params.yaml was edited since the build read it; nothing is recorded: run `dvc repro` again")


def is_edited(at: Layout, stage: Stage) -> bool:
    """Whether params.yaml says other than what the first stage read of it for a stage."""
    watched = Path(at.settings(stage))
    return watched.is_file() and read_json(watched) != read_by(at.p, stage)


def check_params(*, is_kept: bool = True) -> None:
    """Read params.yaml, so that a mistake in it ends the build before anything runs, and write what each stage reads of it (`is_kept`).

    DVC keeps what lies where this writes, so that nothing is lost before the places are checked: what no stage reads is removed here.
    """
    from truerate.checking import check_names

    at = Layout.load()
    check_names(at)
    check_places(at)
    if not is_kept:
        return
    claim(at, *SHARED)
    current = {at.settings(stage): stage for stage in stages(at.p)}
    for path in settings_files(at):
        if path.as_posix() not in current:
            path.unlink()
    for path, stage in current.items():
        write_json(path, read_by(at.p, stage))


def settings_files(at: Layout) -> list[Path]:
    """The files of this step that lie there: those named as a stage with what it is of is."""
    folder = Path(at.settings(Stage("sources"))).parent
    found = [path for name in READ for pattern in (f"{name}.json", f"{name}/*.json", f"{name}/*/*.json") for path in folder.glob(pattern)]
    return [path for path in found if path.is_file()]


# ---- sources ------------------------------------------------------------------------------------------------------------------
def import_source(at: Layout, name: str) -> None:
    """Read one source by its reader into tables and a card."""
    refuse_edited(at, Stage("sources"))
    tables = check_source(at, name)
    claim(at, "sources")
    for table, model in SOURCE.items():
        save(model, getattr(tables, table), at.source(name, table))
    write_json(at.source(name, "card.json"), tables.card)


def check_source(at: Layout, name: str) -> SourceTables:
    """Read one source by its reader and write nothing. Raises TruerateError where it cannot be read."""
    from truerate.sources import fetch, read_source

    source = at.p.source(name)
    return read_source(name, source, fetch.folder_of(name, source, at), at.p.on_bad_row)


def load_source(at: Layout, board: str, *, reading: Callable[[type[Table], str], pl.DataFrame] = load) -> SourceTables:
    """The tables of a board's source."""
    name = at.p.board(board).source
    tables = {table: reading(model, at.source(name, table)) for table, model in SOURCE.items()}
    return SourceTables(**tables, card=read_json(at.source(name, "card.json")))


# ---- data set: scratch steps of the rules ---------------------------------------------------------------------------------------
def refuse_stale(at: Layout, board: str, output: str) -> None:
    """A scratch path whose key is not the one of this moment's settings, code and sources is not written."""
    if not track_of(at, board, "wiring").is_current(at, board, output):
        raise TruerateError(f"{output}: settings, code or sources changed while the build ran; run `dvc repro` again")


def step(at: Layout, name: str, board: str, model: str, shard: int, output: str, inputs: list[str]) -> None:
    """One scratch step of the board's track, on one model and shard, from the scratch files that it reads.

    It gives Generation rows, and perhaps a dict of further tables (`BESIDE`), which are written beside them.
    """
    refuse_stale(at, board, output)
    run = getattr(track_of(at, board, "scratch"), name)
    made = run(at, board, model, load_source(at, board, reading=read), shard, replies_in(inputs))
    replies, more = made if isinstance(made, tuple) else (made, {})
    for table, data in more.items():
        write_parquet(data, beside(output, table))
    write_parquet(replies, Path(output))


def replies_in(paths: list[str]) -> dict[str, pl.DataFrame]:
    """The rows of scratch files, by the step that wrote them; and under `documents` the documents that lie beside them."""
    found: dict[str, list[pl.DataFrame]] = {}
    for path in paths:
        found.setdefault(Path(path).name.rpartition("-")[0], [frame(Generation)]).append(read_parquet(path))
    documents = beside_all(paths, "documents")
    return {step: pl.concat(parts) for step, parts in found.items()} | ({} if documents.is_empty() else {"documents": documents})


def beside_all(paths: list[str], table: str) -> pl.DataFrame:
    """The rows of a further table beside all scratch files."""
    found = [read_parquet(path) for one in paths if (path := beside(one, table)).is_file()]
    return pl.concat([frame(BESIDE[table]), *found])


def export(at: Layout, board: str, output: str, inputs: list[str]) -> None:
    """Whole, validated, sorted tables out of the scratch files; the inputs must be those of this moment."""
    from truerate.ending import tell

    refuse_edited(at, Stage("dataset", board))
    expected = track_of(at, board, "wiring").for_export(at, board)
    if list(inputs) != expected:
        raise TruerateError(f"{output}: settings, code or sources changed while the build ran; run `dvc repro` again")
    made = {table: beside_all(inputs, table) for table in BESIDE}
    tables, tasks = track_of(at, board, "steps").exported(at, board, load_source(at, board), replies_in(inputs), made)
    for name, model in DATASET.items():
        whole = tables.get(name, frame(model))
        save(model, whole.sort(pl.exclude(PAIRS, SPANS, pl.List(pl.String)), nulls_last=True, maintain_order=True), at.dataset(board, name))
    write_text(at.dataset(board, "tasks.jsonl"), "".join(json.dumps(task, ensure_ascii=False) + "\n" for task in tasks))
    write_json(at.dataset(board, "card.json"), {"board": board, "n": {name: tables[name].height for name in DATASET if name in tables}})
    tell(at, [board])


# ---- stages after the data set --------------------------------------------------------------------------------------------------
def load_dataset(at: Layout, board: str) -> dict[str, pl.DataFrame]:
    """The tables of a board's data set, by name."""
    return {name: load(model, at.dataset(board, name)) for name, model in DATASET.items()}


def contexts(at: Layout, board: str, samples: pl.DataFrame | None = None) -> pl.DataFrame:
    """What a text is checked against: item_id, knowledge, question, history of a board's items.

    With `samples`, those that name evidence of their own have a row under their own id.
    """
    from truerate.detectors.evidence import with_evidence

    room = track_of(at, board, "context")
    documents = pl.concat([load_source(at, board).documents, load(Document, at.dataset(board, "documents"))])
    known = room.context_frame(room.contexts(load(Item, at.dataset(board, "items")), documents))
    return known if samples is None else with_evidence(known, samples, documents)


def label(at: Layout, board: str) -> None:
    """Labels back in: the board's samples with those that people labelled, their judgements and agreement."""
    from truerate.sources.label_files import read_labels

    files = label_files(at, board)
    with unchanged(at, Stage("label", board)):
        dataset = load_dataset(at, board)
        tasks = [json.loads(line) for line in Path(at.dataset(board, "tasks.jsonl")).read_text("utf-8").split("\n") if line]
        labelled = track_of(at, board, "steps").label(
            at,
            board,
            load_source(at, board),
            dataset,
            tasks,
            [(*row, str(path)) for path in files for row in read_labels(path)],
            where=", ".join(map(str, files)),
            inputs=digest(at.source(at.p.board(board).source), at.dataset(board), *files),
        )
        save(Sample, pl.concat([dataset["samples"], labelled.samples]).sort("sample_id"), at.labels(board, "samples"))
        for name, model in {"judgements": Judgement, "rejects": Reject, "scores": Score}.items():
            save(model, getattr(labelled, name), at.labels(board, name))


def label_files(at: Layout, board: str) -> list[Path]:
    """Label files of a board: what the annotate stage wrote and what people put under inputs/labels/<board>.jsonl, .csv or .json.

    Raises TruerateError for a file there that no board would read.
    """
    from truerate.sources.label_files import KINDS

    folder = Path(at.p.paths.inputs) / "labels"
    lost = [path for path in sorted(folder.glob("[!.]*")) if path.suffix[1:] not in KINDS or path.stem not in at.p.boards]
    if lost:
        names = f"name it <board>.{', .'.join(KINDS)}; boards: {listed(at.p.boards)}"
        raise TruerateError(f"labels {str(lost[0])!r}: no board reads it; {names}")
    own = [folder / f"{board}.{kind}" for kind in KINDS]
    return [path for path in (Path(at.annotations(board)), *own) if path.exists()]


def train(at: Layout, detector: str, board: str) -> None:
    """Fit one family of detectors on a board: whole-text members once per fold, token members on the training texts."""
    family, folder = family_of(at, detector), Path(at.detector(detector, board))
    members = family.members_on(at.p.board(board).track)
    with unchanged(at, Stage("train", board, detector)):
        claim(at, "detectors")
        folder.mkdir(parents=True)
        if detector not in at.p.families(board):
            return
        samples = load(Sample, at.labels(board, "samples"))
        if family.folds:
            from truerate.detectors import fit_family

            own = {"folder": folder, "n_folds": family.folds, "entailment": family.entailment}
            fit_family(members, samples, contexts(at, board, samples), at.p.seed, **own)
        else:
            from truerate.detectors.tokens import fit_tokens

            taught = passages(at, board, track_of(at, board, "steps").training(samples))
            fit_tokens(members, taught, at.p, at.p.size_of(board), folder=folder, scratch=Path(at.training))


def judge(at: Layout, detector: str, board: str) -> None:
    """What one family of detectors says of each text of a board: asked in a state that has not seen it."""
    family, folder = family_of(at, detector), Path(at.detector(detector, board))
    members = family.members_on(at.p.board(board).track)
    with unchanged(at, Stage("judge", board, detector)):
        if detector not in at.p.families(board):
            return write_parquet(frame(Judgement), Path(at.judgements(detector, board)))
        samples = load(Sample, at.labels(board, "samples"))
        if family.folds:
            from truerate.detectors import judge_family

            own = {"folder": folder, "n_folds": family.folds, "entailment": family.entailment}
            judged = judge_family(members, samples, contexts(at, board, samples), **own)
        else:
            from truerate.detectors.tokens import judge_tokens

            targets = track_of(at, board, "steps").targets(samples, load(Generation, at.dataset(board, "generations")))
            judged = judge_tokens(members, passages(at, board, targets), at.p, at.p.size_of(board), folder=folder)
        save(Judgement, judged.sort("judgement_id"), at.judgements(detector, board))


def passages(at: Layout, board: str, texts: pl.DataFrame) -> pl.DataFrame:
    """Texts (`target_id`, `item_id`, `group_id`, `lang`, `task`, `text`, `spans`) with the `reference` of their items."""
    known = contexts(at, board).select("item_id", reference="knowledge")
    return texts.join(known, on="item_id", how="left", maintain_order="left").with_columns(pl.col("reference").fill_null(""))


def family_of(at: Layout, detector: str):
    """A declared family of detectors."""
    if detector not in at.p.detectors:
        raise TruerateError(f"detector {detector!r} is not declared in params.yaml; declared: {listed(at.p.detectors)}")
    return at.p.detectors[detector]


def audit(at: Layout, board: str) -> None:
    """The shortcut audit of a board; with `on_shortcut: fail` a finding ends the build."""
    from truerate.leaderboard import audit as room

    with unchanged(at, Stage("audit", board)):
        samples = load(Sample, at.labels(board, "samples"))
        scores = room.audit(samples, contexts(at, board), board=board, p=at.p.audit, statistics=at.p.statistics, seed=at.p.seed)
        save(Score, scores, at.audit(board))
    found = room.findings(scores, at.p.audit.threshold)
    if found and at.p.audit.on_shortcut == "fail":
        raise TruerateError(f"shortcut audit of {board!r}: {found[0]}; set audit.on_shortcut: flag to keep the set with a warning")


def prune(at: Layout, kind: str, board: str | None = None) -> None:
    """Drop outputs of stages that params.yaml no longer names, before their consumer reads the folder."""
    if kind == "judgements":
        kept, folder = {f"{name}.parquet" for name in at.p.detectors}, Path(at.p.paths.judgements) / str(board)
        doomed = [path for path in folder.glob("*") if path.name not in kept]
    else:
        places = (at.p.paths.scores, at.p.paths.audits, at.p.paths.truth)
        kept = {Path(path) for board in at.p.boards for path in (at.scores(board), at.audit(board), at.truth(board))}
        doomed = [path for place in places for path in Path(place).glob("*") if path not in kept]
    for path in written_by_stages(doomed):
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def score(at: Layout, board: str) -> None:
    """Judgements against labels: scores with intervals, outcomes for the paired tests, topics of failure."""
    room = track_of(at, board, "steps")
    with unchanged(at, Stage("score", board)):
        dataset, samples = load_dataset(at, board), load(Sample, at.labels(board, "samples"))
        judgements = pl.concat([dataset["judgements"], *(load(Judgement, at.judgements(name, board)) for name in at.p.families(board))])
        inputs = digest(at.dataset(board), at.labels(board), *(at.judgements(name, board) for name in at.p.families(board)))
        known = {"items": dataset["items"], "samples": samples, "judgements": judgements}
        more = {name: dataset[name] for name in ("generations", *getattr(room, "SCORED", ()))}
        scores, outcomes = room.score(at, board, **known, **more, inputs=inputs)
        save(Score, pl.concat([load(Score, at.labels(board, "scores")), scores]), at.scores(board, "scores"))
        save(Outcome, outcomes, at.scores(board, "outcomes"))
        write_json(at.scores(board, "topics.json"), room.topics(at, board, **known, documents=load_source(at, board).documents))


def leaderboard(at: Layout) -> None:
    """Rows with rank ranges of every board, and the headline numbers as DVC metrics."""
    from truerate.leaderboard import ledger, rows

    with unchanged(at, Stage("leaderboard")):
        made = [rows.board_rows(at, board, *board_scores(at, board), track_of(at, board, "card").CARD) for board in at.p.boards]
        table = pl.concat([frame(Row), *made])
        claim(at, "leaderboard", "metrics")
        save(Row, table, at.leaderboard("rows"))
        write_json(at.leaderboard("ledger.json"), ledger.ledger_of(at.published()))
        write_json(f"{at.p.paths.metrics}/leaderboard.json", rows.headline(table))


def board_scores(at: Layout, board: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Scores (estimated, audited, planted) and outcomes of a board."""
    scores = [load(Score, at.scores(board, "scores")), load(Score, at.audit(board)), load(Score, at.truth(board))]
    return pl.concat(scores), load(Outcome, at.scores(board, "outcomes"))


def render(at: Layout) -> None:
    """Write the pages that mkdocs builds, in place of those of an earlier build; say what a person should know of the build's replies."""
    from truerate.ending import tell
    from truerate.gather import site_tables
    from truerate.site import render_site

    with unchanged(at, Stage("site")):
        pages = render_site(site_tables(at))
        refuse_taken(at, "site_src")
        shutil.rmtree(at.p.paths.site_src, ignore_errors=True)
        claim(at, "site_src", "site")
        for path, text in pages.items():
            write_text(f"{at.p.paths.site_src}/{path}", text)
    tell(at)


def gc(at: Layout) -> list[str]:
    """Remove scratch folders whose key is not current; returns what was removed. One that holds what no step wrote is kept."""
    refuse_taken(at, "build")
    current = {str(Path(path).parent) for board in at.p.boards for path in track_of(at, board, "wiring").for_export(at, board)}
    folders = [path for board in at.p.boards for path in (Path(at.p.paths.build) / board).glob("*@*")]
    doomed = [path for path in folders if str(path) not in current and is_scratch(path)]
    for path in doomed:
        shutil.rmtree(path)
    return [str(path) for path in doomed]


def is_scratch(folder: Path) -> bool:
    """Whether a folder is named by a model and a key, and holds nothing but what the steps of the rules write there."""
    is_named = re.fullmatch(r".+@[0-9a-f]{12}", folder.name) and folder.is_dir() and not folder.is_symlink()
    return bool(is_named) and all(path.is_file() and re.search(r"-\d+\.parquet(\.\d+\.tmp)?$", path.name) for path in folder.iterdir())
