"""A result that somebody submits: one model on one board, in a folder that a pull request brings.

`<folder>/<board>/<model>/` holds `card.json`, `scores.csv` and `rows.parquet` as every result (`real.result_files`), the model's
settings (`settings.json`), and `replies.parquet`: the replies where their texts may be shown, else their ids with the SHA-256 of
each text.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from truerate.config.layout import Layout
from truerate.core.errors import SettingsError, SourceError, TruerateError, listed
from truerate.core.rights import DIGEST, TEXT
from truerate.core.schemas import Generation, read_json, read_parquet, validate
from truerate.core.schemas.disk import write_parquet
from truerate.core.seen import visible
from truerate.flow.dataset import load_dataset
from truerate.flow.result_files import (
    FILES,
    Result,
    ResultCard,
    load_result,
    refuse_many,
    refuse_no_names,
    save_result,
)
from truerate.hub.scan import EMAIL, PATH, scan
from truerate.real.committing import result_of
from truerate.real.recompute import differences

SETTINGS, REPLIES = "settings.json", "replies.parquet"
TOLD = (
    "generation_id",
    "item_id",
    "purpose",
    "sample_index",
    "status",
    "reason",
)  # of each reply, beside its text or digest
NAMED = ("generation_id", "item_id", "purpose", "reason")  # those that are names
PRIVATE = ("endpoint", "price", "params")  # of a model's entry: where it is served, and for how much
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")  # of a submitted model: a folder's name on every system
SAID = {"model": dict, "board": dict, "settings": dict, "seed": int}  # in the settings
MAX_TEXT = 2000  # characters of a text in what the settings say of the model and its board
MAX_SETTINGS, MAX_REPLIES = 1_000_000, 200_000_000  # bytes
N_DEAD = 0.01  # share of requests without a reply above which it is said


def submit(at: Layout, board: str, model: str, to: Path) -> list[str]:
    """Write the submission of a model of this build's board; returns what a person should know or mend, a line each.

    Raises SettingsError for a board or model that params.yaml does not declare, TruerateError where the board is not built or the
    model has no units on it.
    """
    if board not in at.p.boards:
        raise SettingsError(
            f"submit: board {board!r} is not declared in params.yaml; declared: {listed(at.p.boards)}"
        )
    if model not in at.p.models:
        raise SettingsError(
            f"submit: model {model!r} is not declared in params.yaml; declared: {listed(at.p.models)}"
        )
    _refuse_name(model, f"submit: model {model[:80]!r}")
    for path in (at.leaderboard("rows"), at.scores(board, "outcomes")):
        if not Path(path).is_file():
            raise TruerateError(
                f"submit: board {board!r} is not built ({path} is missing); run `truerate build`"
            )
    whole = result_of(at, Path("."), board)
    own = None if whole is None else _of(whole, model)
    if own is None:
        raise TruerateError(
            f"submit: model {model!r} has no ranked unit on board {board!r}; add it to the track's subjects and build"
        )
    folder = to / board / model
    save_result(own, folder)
    generations = load_dataset(at, board)["generations"].filter(model=model)
    card = read_json(at.source(at.p.board(board).source, "card.json"))
    write_parquet(_replies(generations, has_texts=card.get("redistribution") == "yes"), folder / REPLIES)
    settings = _settings(at, board, model)
    (folder / SETTINGS).write_text(
        json.dumps(settings, ensure_ascii=False, indent=1, sort_keys=True) + "\n", "utf-8"
    )
    return [f"written: {folder}", *_remarks(at, model, generations)]


def _of(result: Result, model: str) -> Result | None:
    """One model's part of a result; None where it has none. Its rank ranges are of it alone, and stay empty."""
    rows, scores = result.rows.filter(subject=model), result.scores.filter(subject=model)
    if rows.is_empty():
        return None
    blank = [pl.lit(None, dtype=pl.Int64).alias(name) for name in ("rank_low", "rank_high")]
    counts = {
        "n_subjects": 1,
        "n_units": rows["unit_id"].n_unique(),
        "n_clusters": rows["cluster_id"].n_unique(),
    }
    return Result(
        card=ResultCard(**{**dict(result.card), **counts}), scores=scores.with_columns(blank), rows=rows
    )


def _replies(generations: pl.DataFrame, *, has_texts: bool) -> pl.DataFrame:
    """The replies, or where their texts may not be shown what stands for each."""
    if has_texts:
        return generations.select(*TOLD, TEXT)
    return generations.select(*TOLD, pl.col(TEXT).map_elements(_sha256, return_dtype=pl.String).alias(DIGEST))


def _sha256(text: str) -> str:
    from hashlib import sha256

    return sha256(text.encode()).hexdigest()


def _settings(at: Layout, board: str, model: str) -> dict:
    """What decides the replies, without an address, a key or a price."""
    entry = at.p.values["models"][model]
    return {
        "model": {name: value for name, value in entry.items() if name not in PRIVATE and value is not None},
        "board": {"name": board, "track": at.p.board(board).track, "source": at.p.board(board).source},
        "settings": at.p.track(board).model_dump(mode="json"),
        "seed": at.p.seed,
    }


def _remarks(at: Layout, model: str, generations: pl.DataFrame) -> list[str]:
    """What a reviewer will ask for, said at once."""
    lines = []
    if not at.p.models[model].about:
        lines.append(
            f"missing: say in `about` of model {model!r} how it was served: weights, revision, quantisation"
        )
    dead = int((generations["status"] == "dead").sum())
    if dead > N_DEAD * generations.height:
        lines.append(
            f"missing: {dead} of {generations.height} requests have no reply; `truerate llm dead` names them"
        )
    return lines


def load_submission(folder: Path) -> Result:
    """A submission, its scores held against its rows. Raises SourceError or TruerateError, one line, for what is missing, of another
    form or not what its rows give.
    """
    where = f"submission {folder.name[:80]!r}"
    _refuse_folder(folder, where)
    result = load_result(folder, board=folder.parent.name)
    if (found := result.rows["subject"].unique(maintain_order=True).to_list()) != [folder.name]:
        raise SourceError(
            f"{where}: its rows are of {listed(found)[:200]}; a folder holds one model, by its name"
        )
    if lines := differences(result, has_ranks=False):
        raise TruerateError(
            f"{where}: its rows do not give its scores: {lines[0]}"
            + (f", and {len(lines) - 1} more" if lines[1:] else "")
        )
    _check_replies(folder, where)
    _check_settings(folder, where)
    return result


def _refuse_folder(folder: Path, where: str) -> None:
    """Raise SourceError for a folder that is a link or none, whose name no model bears here, or that holds other files."""
    if folder.is_symlink() or not folder.is_dir():
        raise SourceError(f"{where}: no folder {str(folder)[:200]!r}; name FOLDER/BOARD/MODEL")
    _refuse_name(folder.name, where)
    allowed = (*FILES, SETTINGS, REPLIES)
    for name in allowed:
        if (folder / name).is_symlink() or not (folder / name).is_file():
            raise SourceError(f"{where}: no file {name!r}; it holds {listed(allowed)}")
    if others := sorted({path.name for path in folder.iterdir()} - set(allowed)):
        raise SourceError(
            f"{where}: {others[0][:80]!r} is no file of a submission; it holds {listed(allowed)}"
        )
    for name, most in ((SETTINGS, MAX_SETTINGS), (REPLIES, MAX_REPLIES)):
        if (folder / name).stat().st_size > most:
            raise SourceError(f"{where}: {name} is larger than {most // 10**6} MB")


def _refuse_name(name: str, where: str) -> None:
    if not NAME.fullmatch(name):
        raise SourceError(
            f"{where}: a model's name has letters, digits, '.', '_' and '-', begins with one of the first two, and is no longer "
            "than 100"
        )


def _check_replies(folder: Path, where: str) -> None:
    refuse_many(folder / REPLIES, where)
    try:
        replies = read_parquet(folder / REPLIES)
    except TruerateError as error:
        why = (
            str(error)
            .replace(str(folder / REPLIES), REPLIES)
            .removeprefix("reading ")
            .partition("; delete it")[0]
        )
        raise SourceError(f"{where}: {why[:200]}") from None
    if replies.columns not in ([*TOLD, TEXT], [*TOLD, DIGEST]):
        raise SourceError(
            f"{where}: {REPLIES} has other columns; allowed: {', '.join(TOLD)} and `{TEXT}` or `{DIGEST}`"
        )
    validate(Generation, replies.select(TOLD), where=f"{where}: {REPLIES}", columns=TOLD)
    refuse_no_names(replies.select(NAMED), f"{where}: {REPLIES}")
    if replies[replies.columns[-1]].dtype != pl.String or replies[replies.columns[-1]].null_count():
        raise SourceError(f"{where}: {REPLIES} has a `{replies.columns[-1]}` that is no text")
    if replies.is_empty() or replies["generation_id"].is_duplicated().any():
        raise SourceError(f"{where}: {REPLIES} holds no reply, or one of them twice")
    if DIGEST in replies.columns and not replies[DIGEST].str.contains(r"^[0-9a-f]{64}$").all():
        raise SourceError(f"{where}: {REPLIES} has a {DIGEST} that is none")


def _check_settings(folder: Path, where: str) -> None:
    content = (folder / SETTINGS).read_bytes()
    try:
        settings = json.loads(content.decode("utf-8-sig"), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{where}: {SETTINGS} is no JSON: {str(error)[:200]}") from None
    if not isinstance(settings, dict) or not isinstance(settings.get("model"), dict) or not settings["model"]:
        raise SourceError(f"{where}: {SETTINGS} does not say `model`: what was asked, and how")
    for name, value in settings.items():
        if name not in SAID or not isinstance(value, SAID[name]) or isinstance(value, bool):
            raise SourceError(
                f"{where}: {SETTINGS} has {name[:80]!r} that is none, or unknown; it says {listed(SAID)}"
            )
    for text in _texts([settings["model"], settings.get("board")]):
        if len(text) > MAX_TEXT or visible(text) != text:
            raise SourceError(
                f"{where}: {SETTINGS} holds {text[:40]!r}, which is longer than {MAX_TEXT} characters, or has one that "
                "is not seen"
            )
    found = scan({SETTINGS: content}, environment={}, secrets=())
    if secret := next((one for one in found if one.kind not in (EMAIL, PATH)), None):
        raise SourceError(
            f"{where}: {SETTINGS} holds what looks like a secret ({secret.kind}); take it out, and revoke it"
        )


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


def known_boards(at: Layout, results: Path) -> set[str]:
    """The boards that a submission may be of: those of params.yaml, and those with committed results."""
    committed = {path.name for path in results.iterdir() if path.is_dir()} if results.is_dir() else set()
    return {*at.p.boards, *committed}
