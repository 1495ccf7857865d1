"""A submitted result stands beside the others only where its rows give its scores; all else is one line."""

import json
import re
import shutil

import polars as pl
import pytest
from results_made import BOARD, card, outcomes, result

from tests.cases import case_table
from truerate.config.layout import Layout
from truerate.core.errors import TruerateError
from truerate.results.files import CARD, ROWS, SCORES, Result, save_result
from truerate.results.recompute import recomputed
from truerate.results.submit import REPLIES, REPLY, SETTINGS, check_submission, load_submission, table

MODEL = "dogwood"


def submitted(wrong=frozenset({0}), n=10, model=MODEL, **changed) -> Result:
    rows = outcomes({model: wrong}, n)
    own_card = card(n_subjects=1, n_units=n, n_clusters=n, **changed)
    scores = recomputed(rows, own_card, {model: "model"})
    return Result(
        card=own_card,
        scores=scores.with_columns(rank_low=None, rank_high=None).cast(scores.schema),
        rows=rows,
    )


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / BOARD / MODEL
    save_result(submitted(), path)
    row = {name: "x" for name in REPLY} | {"sample_index": 0, "status": "ok", "text_sha256": "0" * 64}
    pl.DataFrame([row | {"generation_id": f"g{number}"} for number in range(10)]).write_parquet(
        path / REPLIES
    )
    settings(path, '{"model": {"model": "org/dogwood"}, "seed": 1}')
    return path


def settings(folder, text, encoding="utf-8"):
    (folder / SETTINGS).write_text(text if isinstance(text, str) else json.dumps({"model": text}), encoding)


def test_a_sound_submission_is_read_and_takes_its_place_among_the_others(folder):
    submission = load_submission(folder)
    lines = table(submission, result(), {})
    # one of ten against two and three of ten cannot be told apart. Against ten of ten nine units differ, all
    # one way: p ≥ 2^−8, times six pairs below .05; birch's seven units give 2^−6, times the four pairs left
    # above it
    assert "| **dogwood** (submitted) | 0.100 | 0.018 to 0.404 | 1–3 | 10 |" in lines
    assert "| cedar | 1.000 | 0.722 to 1.000 | 3–4 | 10 |" in lines
    assert lines[-1] == "10 of the board's 10 units are in it."


def test_units_that_are_not_the_boards_are_told():
    lines = table(submitted(n=12), result(), {})
    assert "2 units are not the board's: made with another source, seed or size." in lines
    assert table(submitted(), None, {})[-1].startswith("The board has no committed result here")


def test_a_model_that_is_there_already_is_replaced():
    board = result()
    rows = board.rows.filter(subject="aster")
    scores = board.scores.filter(subject="aster")
    lines = table(Result(card=card(n_subjects=1), scores=scores, rows=rows), board, {})
    assert lines[-1] == "The board has aster already: this result would replace it."
    assert sum("aster" in line for line in lines if line.startswith("|")) == 1


def score(folder, **cells):
    scores = pl.read_csv(folder / SCORES).with_columns(
        **{name: pl.lit(value) for name, value in cells.items()}
    )
    scores.write_csv(folder / SCORES)


KEY = "hf_" + "aBcD1234" * 5


def sparse(path, n_bytes):
    with path.open("r+b") as file:
        file.truncate(n_bytes)


def linked(path):
    path.rename(path.parent.parent / path.name)
    path.symlink_to(path.parent.parent / path.name)


def change_card(folder, **fields):
    """A card with other fields, where a dot leads into an object."""
    fields_of = json.loads((folder / CARD).read_text())
    for key, value in fields.items():
        *path, name = key.split("__")
        inner = fields_of
        for step in path:
            inner = inner[int(step) if step.isdigit() else step]
        inner[name] = value
    (folder / CARD).write_text(json.dumps(fields_of))


def reply(folder, **cells):
    pl.read_parquet(folder / REPLIES).with_columns(**cells).write_parquet(folder / REPLIES)


def unit(folder, name):
    rows = pl.read_parquet(folder / ROWS)
    first = pl.when(pl.int_range(pl.len()) == 0)
    rows.with_columns(unit_id=first.then(pl.lit(name)).otherwise("unit_id")).write_parquet(folder / ROWS)


@pytest.mark.parametrize(
    ("change", "change_card"),
    [
        (lambda folder: score(folder, value=0.0), "its rows do not give its scores"),
        (lambda folder: (folder / ROWS).unlink(), "no file 'rows.parquet'"),
        (lambda folder: settings(folder, "{"), "settings.json"),
        (lambda folder: settings(folder, "[]"), "does not say `model`"),
        (lambda folder: (folder / REPLIES).write_bytes(b"x"), "replies.parquet"),
        (lambda folder: pl.DataFrame({"a": [1]}).write_parquet(folder / REPLIES), "other columns"),
        (lambda folder: (folder / CARD).write_text("{}"), "card.json"),
        (lambda folder: (folder / SETTINGS).unlink(), "no file 'settings.json'"),
        (lambda folder: settings(folder, "[" * 100_000), "settings.json is no JSON"),
        (lambda folder: (folder / SETTINGS).write_bytes(b'{"model": "\xe9"}'), "settings.json is no JSON"),
        (lambda folder: sparse(folder / SETTINGS, 2_000_000), "settings.json is larger than 1 MB"),
        (lambda folder: sparse(folder / REPLIES, 300_000_000), "replies.parquet is larger than 200 MB"),
        (lambda folder: settings(folder, {"k": KEY}), "looks like a secret"),
        (
            lambda folder: (folder / "index.html").write_text("<script>"),
            "'index.html' is no file of a submission",
        ),
        (lambda folder: linked(folder / SCORES), "no file 'scores.csv'"),
        (lambda folder: unit(folder, "x" * 1_000_000), "unit_id 'x+' is none"),
        (lambda folder: unit(folder, "a\u202eb"), "a character that is not seen"),
        (lambda folder: score(folder, value="=1+1"), "scores.csv"),
        (lambda folder: score(folder, value="\x1b[2Ka"), r"could not parse `.x1b\[2Ka`"),
        (lambda folder: score(folder, provenance="x" * 10_000), "provenance 'x+' is none"),
        (lambda folder: score(folder, subject="a\u202eb"), r"subject 'a.u202eb' is none"),
        (lambda folder: settings(folder, {"k": KEY}, "utf-16"), "is no JSON"),
        (lambda folder: settings(folder, '{"model": {}}'), "does not say `model`"),
        (lambda folder: settings(folder, '{"model": {"a": 1}, "seed": "1"}'), "has 'seed' that is none"),
        (lambda folder: settings(folder, '{"model": {"a": 1}, "more": {}}'), "has 'more' that is none"),
        (lambda folder: settings(folder, '{"model": {"a": NaN}}'), "NaN is no JSON"),
        (lambda folder: settings(folder, {"a": ["x" * 3000]}), "holds 'x+'"),
        (lambda folder: settings(folder, '{"model": {"a\\u202e": 1}}'), r"holds 'a.u202e'"),
        (lambda folder: reply(folder, status=pl.lit("<b>")), "replies.parquet: not a Generation table"),
        (lambda folder: reply(folder, sample_index=pl.lit("0")), "replies.parquet: not a Generation table"),
        (lambda folder: reply(folder, item_id=pl.lit("a\nb")), r"item_id 'a.nb' is none"),
        (lambda folder: reply(folder, text_sha256=pl.lit(None, pl.String)), "`text_sha256` that is no text"),
        (lambda folder: change_card(folder, n_subjects=True), "n_subjects"),
        (lambda folder: change_card(folder, seed="1"), "seed"),
    ],
)
def test_what_is_wrong_is_refused_in_one_line(folder, change, change_card):
    change(folder)
    with pytest.raises(TruerateError, match=change_card) as caught:
        load_submission(folder)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 600


TEXTS = case_table(__file__)["texts"]
NO_LINE = ("x" * 10_000, "a\nb", "a\x1b[2Kb", "a\u202eb", "a\u200bb", 5, None, ["x"], {"a": 1})


@pytest.mark.parametrize("key", TEXTS)
@pytest.mark.parametrize("value", NO_LINE, ids=lambda value: ascii(value)[:20])
def test_a_card_whose_text_is_no_line_is_refused(folder, key, value):
    change_card(folder, **{key: value})
    with pytest.raises(TruerateError, match=f"card.json: {key.replace('__', '.')}: ") as caught:
        load_submission(folder)
    assert "\n" not in str(caught.value) and str(caught.value).isprintable() and len(str(caught.value)) < 300


def test_a_title_that_would_act_is_shown_escaped_where_no_board_stands_for_it():
    lines = table(submitted(title="<img src=x> {{7*7}} [x](javascript:1)"), None, {})
    assert "\\<img src=x\\> {{7\\*7}} \\[x\\](javascript:1)" in lines[0]


def test_the_words_of_a_board_stand_over_those_of_a_submission():
    lines = table(submitted(title="<b>"), result(), {})
    assert "Made up" in lines[0] and "<b>" not in "\n".join(lines)
    assert "Its card.json words title otherwise than the board's, which stand." in lines


@pytest.mark.parametrize(
    ("key", "value", "what"),
    [("track", "halueval", "track"), ("metrics__0__direction", "up", "metric, or unit or direction of one,")],
)
def test_a_card_that_turns_a_figure_round_is_refused(folder, tmp_path, key, value, what):
    save_result(result(), tmp_path / "results" / BOARD)
    change_card(folder, **{key: value})
    with pytest.raises(TruerateError, match=f"card.json has another {what} than the board's result"):
        check_submission(Layout.load(), folder, tmp_path / "results")


def test_a_table_of_more_rows_than_any_board_has_is_not_read(folder):
    pl.DataFrame({"a": pl.repeat(0, 2_000_001, dtype=pl.UInt8, eager=True)}).write_parquet(folder / ROWS)
    with pytest.raises(TruerateError, match=r"rows.parquet has 2,000,001 rows; allowed: 2,000,000"):
        load_submission(folder)


def test_a_folder_of_another_name_is_refused(folder):
    other = folder.parent / "birch"
    shutil.copytree(folder, other)
    with pytest.raises(TruerateError, match="a folder holds one model, by its name"):
        load_submission(other)


@pytest.mark.parametrize("name", ("=1+1", "a b", "x|y", "[x](y)", "a\nb", "<b>", "\u202ea", ".x", "x" * 101))
def test_a_folder_whose_name_no_model_bears_is_refused(folder, name):
    path = folder.rename(folder.parent / name)
    with pytest.raises(TruerateError, match="a model's name has letters"):
        load_submission(path)


def test_a_folder_that_is_a_link_or_none_is_refused(folder):
    path = folder.rename(folder.parent.parent / MODEL)
    with pytest.raises(TruerateError, match="no folder"):
        load_submission(folder)
    folder.symlink_to(path)
    with pytest.raises(TruerateError, match="no folder"):
        load_submission(folder)


def test_a_hostile_name_acts_nowhere():
    hostile = submitted({1}, model="<img src=x onerror=alert(1)> | [x](javascript:alert(1)) `${7*7}`")
    text = "\n".join(table(hostile, None, {})).replace(f"`{BOARD}`", "")
    assert not re.search(r"(?<!\\)[<>\]`]", text)  # each that acts stands behind a backslash
