"""A result that somebody submits: one model on one board, in a folder that a pull request brings; and the
table that the request shows, with the model beside those of the board.

`<folder>/<board>/<model>/` holds `card.json`, `scores.csv` and `rows.parquet` as every result
(`results.files`), the model's settings (`settings.json`), and `replies.parquet`: the replies where their
texts may be shown, else their ids with the SHA-256 of each text.
"""

import json
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl

from truerate.config.layout import Layout
from truerate.core.errors import SettingsError, SourceError, TruerateError, listed
from truerate.core.invisible import visible
from truerate.core.rights import DIGEST, TEXT
from truerate.core.schemas import Generation, read_json, read_parquet, validate
from truerate.core.schemas.disk import write_parquet
from truerate.hub.markdown import inert
from truerate.hub.scan import EMAIL, PATH, scan
from truerate.pipeline.dataset import load_dataset
from truerate.pipeline.tracks import card_of
from truerate.results.commit import result_of
from truerate.results.files import (
    FILES,
    Result,
    ResultCard,
    counts_of,
    load_result,
    reason_of,
    refuse,
    refuse_many,
    refuse_no_names,
    save_result,
)
from truerate.results.recompute import differences, recomputed

SETTINGS, REPLIES = "settings.json", "replies.parquet"
# of a reply, beside its text or digest
REPLY = ("generation_id", "item_id", "purpose", "sample_index", "status", "reason")
NAMED = ("generation_id", "item_id", "purpose", "reason")  # those that are names
PRIVATE = ("endpoint", "price", "params")  # of a model's entry: where it is served, and for how much
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")  # of a submitted model: a folder's name on every system
KINDS = {"model": dict, "board": dict, "settings": dict, "seed": int}  # of the settings
MAX_TEXT = 2000  # characters of a text in what the settings say of the model and its board
MAX_BYTES = {SETTINGS: 1_000_000, REPLIES: 200_000_000}
WORDS = ("title", "set", "unit", "labelled_by", "judge", "caveats")  # of a card
N_DEAD = 0.01  # share of requests without a reply above which it is said


def submit(config: Layout, board: str, model: str, to: Path) -> list[str]:
    """Write the submission of a model of this build's board; returns what a person should know or mend, a
    line each.

    Raises SettingsError for a board or model that params.yaml does not declare, TruerateError where the board
    is not built or the model has no units on it.
    """
    for kind, name, declared in (("board", board, config.p.boards), ("model", model, config.p.models)):
        if name not in declared:
            names = listed(declared)
            raise SettingsError(f"submit: {kind} {name!r} is not declared in params.yaml; declared: {names}")
    _refuse_name(model, f"submit: model {model[:80]!r}")
    for path in (config.leaderboard("rows"), config.scores(board, "outcomes")):
        if not Path(path).is_file():
            what = f"board {board!r} is not built ({path} is missing)"
            raise TruerateError(f"submit: {what}; run `truerate build`")
    whole = result_of(config, Path("."), board)
    if whole is None or model not in set(whole.rows["subject"]):
        what = f"model {model!r} has no ranked unit on board {board!r}"
        raise TruerateError(f"submit: {what}; add it to the track's subjects and build")
    folder = to / board / model
    save_result(_of_model(whole, model), folder)
    generations = load_dataset(config, board)["generations"].filter(model=model)
    card = read_json(config.source(config.p.board(board).source, "card.json"))
    text = pl.col(TEXT)
    if card.get("redistribution") != "yes":
        text = text.map_elements(lambda reply: sha256(reply.encode()).hexdigest(), pl.String).alias(DIGEST)
    write_parquet(generations.select(*REPLY, text), folder / REPLIES)
    settings = json.dumps(_settings(config, board, model), ensure_ascii=False, indent=1, sort_keys=True)
    (folder / SETTINGS).write_text(settings + "\n", "utf-8")
    return [f"written: {folder}", *_remarks(config, model, generations)]


def _of_model(result: Result, model: str) -> Result:
    """One model's part of a result. Its rank ranges are of it alone, and stay empty."""
    rows, scores = result.rows.filter(subject=model), result.scores.filter(subject=model)
    no_rank = pl.lit(None, dtype=pl.Int64)
    card = result.card.model_copy(update=counts_of(rows))
    return Result(card=card, scores=scores.with_columns(rank_low=no_rank, rank_high=no_rank), rows=rows)


def _settings(config: Layout, board: str, model: str) -> dict:
    """Return what decides the replies, without an address, a key or a price."""
    entry = config.p.values["models"][model]
    return {
        "model": {name: value for name, value in entry.items() if name not in PRIVATE and value is not None},
        "board": {
            "name": board,
            "track": config.p.board(board).track,
            "source": config.p.board(board).source,
        },
        "settings": config.p.track(board).model_dump(mode="json"),
        "seed": config.p.seed,
    }


def _remarks(config: Layout, model: str, generations: pl.DataFrame) -> list[str]:
    """Return what a reviewer will ask for."""
    dead, n = int((generations["status"] == "dead").sum()), generations.height
    about = f"missing: say in `about` of model {model!r} how it was served: weights, revision, quantisation"
    lost = f"missing: {dead} of {n} requests have no reply; `truerate llm dead` names them"
    return [about] * (not config.p.models[model].about) + [lost] * (dead > N_DEAD * n)


def load_submission(folder: Path) -> Result:
    """A submission, its scores checked against its rows. Raises SourceError or TruerateError, one line, for
    what is missing, of another form or not what its rows give.
    """
    where = f"submission {folder.name[:80]!r}"
    _refuse_folder(folder, where)
    result = load_result(folder, board=folder.parent.name)
    subjects = result.rows["subject"].unique(maintain_order=True).to_list()
    others = f"{where}: its rows are of {listed(subjects)[:200]}; a folder holds one model, by its name"
    refuse(subjects != [folder.name], others)
    if lines := differences(result, has_ranks=False):
        more = f", and {len(lines) - 1} more" if lines[1:] else ""
        raise TruerateError(f"{where}: its rows do not give its scores: {lines[0]}{more}")
    _check_replies(folder / REPLIES, where)
    _check_settings((folder / SETTINGS).read_bytes(), f"{where}: {SETTINGS}")
    return result


def _refuse_folder(folder: Path, where: str) -> None:
    """Raise SourceError for a folder that is a link or none, has no model's name, or holds other files."""
    is_folder = folder.is_dir() and not folder.is_symlink()
    refuse(not is_folder, f"{where}: no folder {str(folder)[:200]!r}; name FOLDER/BOARD/MODEL")
    _refuse_name(folder.name, where)
    files = (*FILES, SETTINGS, REPLIES)
    for name in files:
        is_file = (folder / name).is_file() and not (folder / name).is_symlink()
        refuse(not is_file, f"{where}: no file {name!r}; it holds {listed(files)}")
    other = min({path.name for path in folder.iterdir()} - set(files), default="")
    refuse(other != "", f"{where}: {other[:80]!r} is no file of a submission; it holds {listed(files)}")
    for name, n_bytes in MAX_BYTES.items():
        is_large = (folder / name).stat().st_size > n_bytes
        refuse(is_large, f"{where}: {name} is larger than {n_bytes // 10**6} MB")


def _refuse_name(name: str, where: str) -> None:
    rule = (
        "has letters, digits, '.', '_' and '-', begins with one of the first two, and is no longer than 100"
    )
    refuse(not NAME.fullmatch(name), f"{where}: a model's name {rule}")


def _check_replies(path: Path, where: str) -> None:
    refuse_many(path, f"{where}: {REPLIES}")
    try:
        replies = read_parquet(path)
    except TruerateError as error:
        raise SourceError(f"{where}: {reason_of(error, path)}") from None
    where, is_form = f"{where}: {REPLIES}", replies.columns in ([*REPLY, TEXT], [*REPLY, DIGEST])
    refuse(not is_form, f"{where} has other columns; allowed: {', '.join(REPLY)} and `{TEXT}` or `{DIGEST}`")
    validate(Generation, replies.select(REPLY), where=where, columns=REPLY)
    refuse_no_names(replies.select(NAMED), where)
    texts = replies[replies.columns[-1]]
    is_text = texts.dtype == pl.String and not texts.null_count()
    refuse(not is_text, f"{where} has a `{texts.name}` that is no text")
    is_double = replies.is_empty() or replies["generation_id"].is_duplicated().any()
    refuse(is_double, f"{where} holds no reply, or one of them twice")
    is_digest = texts.name == TEXT or texts.str.contains(r"^[0-9a-f]{64}$").all()
    refuse(not is_digest, f"{where} has a {DIGEST} that is none")


def _check_settings(content: bytes, where: str) -> None:
    try:
        settings: Any = json.loads(content.decode("utf-8-sig"), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{where} is no JSON: {str(error)[:200]}") from None
    has_model = isinstance(settings, dict) and isinstance(settings.get("model"), dict) and settings["model"]
    refuse(not has_model, f"{where} does not say `model`: what was asked, and how")
    for name, value in settings.items():
        is_known = isinstance(value, KINDS.get(name, ())) and not isinstance(value, bool)
        refuse(not is_known, f"{where} has {name[:80]!r} that is none, or unknown; it says {listed(KINDS)}")
    for text in _texts([settings["model"], settings.get("board")]):
        why = f"which is longer than {MAX_TEXT} characters, or has one that is not seen"
        refuse(len(text) > MAX_TEXT or visible(text) != text, f"{where} holds {text[:40]!r}, {why}")
    for finding in scan({SETTINGS: content}, environment={}, secrets=()):
        secret = f"{where} holds what looks like a secret ({finding.kind}); take it out, and revoke it"
        refuse(finding.kind not in (EMAIL, PATH), secret)


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _texts(value: object) -> Iterator[str]:
    """Every text in a JSON value, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from (key, *_texts(inner))
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def check_submission(config: Layout, folder: Path, results: Path) -> list[str]:
    """The Markdown lines of the comparison of a submission with its board. Raises SourceError for an unknown
    board, and as `load_submission` does.
    """
    board = folder.parent.name
    where = f"submission {folder.name!r}"
    boards = {*config.p.boards, *(path.name for path in results.glob("*") if path.is_dir())}
    refuse(board not in boards, f"{where}: board {board!r} is not known; known: {listed(boards)}")
    submitted, committed = load_submission(folder), _committed(config, board, results)
    other = _other(submitted.card, committed.card) if committed else ""
    refuse(other != "", f"{where}: card.json has another {other} than the board's result")
    fixed = card_of(config, board).ranks.slice if board in config.p.boards else {}
    return table(submitted, committed, fixed)


def _other(card: ResultCard, board: ResultCard) -> str:
    """The part of a card that decides figures and differs from the board's; empty where none does."""
    submitted, committed = (
        {name: (record.unit, record.direction) for name, record in of.records.items()} for of in (card, board)
    )
    wrong = {
        "track": card.track != board.track,
        "leading metric": card.headline.metric != board.headline.metric,
        "metric, or unit or direction of one,": not submitted.items() <= committed.items(),
    }
    return next((name for name, is_wrong in wrong.items() if is_wrong), "")


def _committed(config: Layout, board: str, results: Path) -> Result | None:
    """The board's result: the committed one, else that of the build here; None where there is neither."""
    if all((results / board / name).is_file() for name in FILES):
        return load_result(results / board)
    built = (config.leaderboard("rows"), config.scores(board, "outcomes")) if board in config.p.boards else ()
    return (
        result_of(config, Path("."), board) if built and all(Path(path).is_file() for path in built) else None
    )


def table(submitted: Result, committed: Result | None, fixed: Mapping[str, str]) -> list[str]:
    """The headline of a board with the submitted model among the others, ranks computed over all of them
    together. `fixed`: the keys of slices whose value leads.
    """
    model = submitted.rows["subject"][0]
    others = committed.rows.filter(pl.col("subject") != model) if committed else submitted.rows.clear()
    kinds = dict(committed.scores.select("subject", "kind").rows()) if committed else {}
    board = (committed or submitted).card
    scores = recomputed(pl.concat([others, submitted.rows]), board, kinds | {model: "model"})
    lead = board.headline
    lines = [f"**{inert(model)}** on `{board.board}`, {inert(board.title)}: {inert(lead.what)}", ""]
    for where in _leading(scores, lead.metric, lead.slice, fixed):
        shown = scores.filter(metric=lead.metric, slice=where)
        shown = shown.sort("rank_low", "rank_high", "value", nulls_last=True)
        label = f"{inert(lead.label)} | {100 * board.confidence:g} % interval"
        lines += [
            f"| {inert(where) if where else ''} | {label} | rank | n |",
            "| --- | ---: | --- | --- | ---: |",
        ]
        lines += [*(_line(row, is_new=row["subject"] == model) for row in shown.to_dicts()), ""]
    return [*lines, *_remarks_on(submitted, committed, model)]


def _leading(scores: pl.DataFrame, metric: str, lead: str, fixed: Mapping[str, str]) -> list[str]:
    """Return the slices that stand beside the one that leads: of the same keys, with the `fixed` values."""
    wanted = {f"{key}={value}" for key, value in fixed.items()}
    slices = scores.filter(metric=metric)["slice"].unique().sort()

    def keys(where: str) -> list[str]:
        return [pair.partition("=")[0] for pair in where.split(";")]

    beside = [where for where in slices if keys(where) == keys(lead) and wanted <= set(where.split(";"))]
    return beside or [lead]


def _line(row: dict, *, is_new: bool) -> str:
    name = f"**{inert(row['subject'])}** (submitted)" if is_new else str(inert(row["subject"]))
    interval = "–" if row["low"] is None else f"{row['low']:.3f} to {row['high']:.3f}"
    rank = "–" if row["rank_low"] is None else f"{row['rank_low']}–{row['rank_high']}"
    value = "–" if row["value"] is None else f"{row['value']:.3f}"
    return f"| {name} | {value} | {interval} | {rank} | {row['n']} |"


def _remarks_on(submitted: Result, committed: Result | None, model: str) -> list[str]:
    if committed is None:
        return ["The board has no committed result here: the model stands alone, and has no rank."]
    units, of_board = set(submitted.rows["unit_id"]), set(committed.rows["unit_id"])
    lines = [f"{len(units & of_board)} of the board's {len(of_board)} units are in it."]
    if n_other := len(units - of_board):
        lines.append(f"{n_other} units are not the board's: made with another source, seed or size.")
    if other := [name for name in WORDS if getattr(submitted.card, name) != getattr(committed.card, name)]:
        lines.append(f"Its card.json words {', '.join(other)} otherwise than the board's, which stand.")
    if model in set(committed.rows["subject"]):
        lines.append(f"The board has {inert(model)} already: this result would replace it.")
    return lines
