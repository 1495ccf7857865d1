"""What a board's page says of its rows: labels, audit, accounts, topics, leaders, banners."""

import dataclasses

import polars as pl
import pytest
from test_site_render import BOARD, SITE, Elements
from tiny_site import tiny_site
from tiny_tables import tiny_tables

from tests.records import others, panels
from truerate.core import schemas
from truerate.site import render_site
from truerate.site.audit import audit_rows, findings
from truerate.site.overview import leaders, models_of
from truerate.site.registry import page_of
from truerate.site.reply_counts import accounts, topics

PAGE = page_of("halueval")
LEADING = PAGE.leading
TEXTS = next(section for section in PAGE.sections if section.is_row).views


def row(table, metric, value, *, subject="dataset", kind="baseline", ranks=(None, None), **where):
    return {"table": table, "subject": subject, "kind": kind, "metric": metric, "slice": where, "value": value, "low": None, "high": None,
            "rank_low": ranks[0], "rank_high": ranks[1], "is_leading": ranks[0] and ranks[0] == 1 and kind == "model",
            "n": 10, "provenance": "x"}  # fmt: skip


def _simulated(tables, *flags):
    return dataclasses.replace(
        tables,
        boards=tuple(
            dataclasses.replace(board, is_simulated=flag)
            for board, flag in zip(tables.boards, flags, strict=False)
        ),
    )


def test_pattern_counts_are_lines_with_schemes_across():
    rows = [row("dataset", "n_by_pattern", n, task="qa", pattern=name, **more) for name in ("inference", "comprehension")
            for n, more in ((9, {}), (5, {"scheme": "one-pass"}), (4, {"scheme": "conversational"}))]  # fmt: skip
    found = panels(rows, TEXTS[-1])[0]
    assert [column.heading for column in found.columns] == [
        "All",
        "One-pass",
        "Conversational",
    ] and found.groups == ()
    assert [(line.name, line.notes) for line in found.lines] == [
        ("Comprehension", ("QA",)),
        ("Inference", ("QA",)),
    ]
    assert found.head == "Pattern" and not found.has_kinds and found.is_small


def test_agreement_by_unit_is_named_by_the_unit():
    rows = [
        row("labels", "fleiss_kappa", 0.8, subject="annotators", task="summarization", unit=unit)
        for unit in ("text", "word")
    ]
    assert [line.name for line in panels(rows, TEXTS[1])[0].lines] == ["Whole texts", "Words"]


def test_schemes_are_groups_of_the_leading_table():
    rows = [
        row("recognition", "accuracy", 0.5, task="qa", scheme=scheme, ranks=(1, 2))
        for scheme in ("one-pass", "conversational")
    ]
    assert [column.group for column in panels(rows, LEADING)[0].columns] == [
        "QA, one-pass",
        "QA, conversational",
    ]


def test_more_figures_have_one_line_per_subject_and_slice():
    rows = [row("candidates", "n_candidates", 3, subject="a", kind="model", task=task, scheme="one-pass", pattern=pattern)
            for task in ("qa", "dialogue") for pattern in ("x", "y")]  # fmt: skip
    ((title, block),) = others(rows, page_of("halueval"))
    assert title == "Candidates: usable candidates, by pattern and scheme"
    assert [column.heading for column in block["panels"][0].columns] == ["QA", "Dialogue"] and len(
        block["panels"][0].lines
    ) == 2


def test_the_audit_names_length_and_the_strongest_and_says_where_labels_are_uneven():
    tables = tiny_tables()
    rows = [row("audit", "shortcut_pairwise", value, subject=name, task="qa", scheme=scheme) for name, value, scheme in
            (("words", 0.9, "one-pass"), ("answer-ngrams", 0.95, "one-pass"), ("words", 0.92, None)) if scheme]  # fmt: skip
    rows += [row("audit", "shortcut_pairwise", 0.92, subject="words", task="qa")]
    rows += [row("audit", "shortcut_accuracy", 0.82, subject="majority", task="general")]
    rows += [row("audit", "shortcut_balanced_accuracy", 0.6, subject="overlap", task="general")]
    first, second = findings(tables, audit_rows(tables.boards[0], rows), tables.boards[0].vocabulary)
    assert [found["subject"] for found in first["pairs"]] == ["words", "answer-ngrams"] and first[
        "is_flagged"
    ]
    assert (second["base"], second["is_flagged"], second["pairs"]) == (0.82, False, [])


def test_a_model_that_answered_under_another_name_is_told_beside_the_accounts():
    tables = tiny_tables()
    board = tables.boards[0]
    row = schemas.generation_row(
        generation_id="g", item_id="i", purpose="recognise", model="elm", text="Yes", attributes=schemas.pairs(served="<b>.gguf")
    )  # fmt: skip
    changed = dataclasses.replace(board, generations=schemas.frame(schemas.Generation, [row]))
    assert accounts(changed)["other_names"] == [{"model": "elm", "served": "<b>.gguf", "n": 1}]
    assert accounts(board)["other_names"] == []
    pages = render_site(dataclasses.replace(tables, boards=(changed, *tables.boards[1:])), SITE)
    (page,) = [text for path, text in pages.items() if path.endswith(f"{board.name}.md")]
    assert "by what the server says, <code>&#60;b&#62;&#46;gguf</code> gave 1 of its replies" in page


def test_who_is_named_and_does_nothing_and_who_rests_on_few_texts_stands_on_the_page():
    tables = tiny_tables()
    board = tables.boards[0]
    ranks = board.track_card.ranks
    is_first = (
        (pl.col("board") == board.name) & (pl.col("metric") == ranks.metric) & (pl.col("subject") == "elm")
    )
    n = pl.when(is_first).then(1).otherwise("n").cast(pl.Int64)
    changed = dataclasses.replace(board, idle=("board 'b' asks model 'm<' nothing as subjects",))
    thin = dataclasses.replace(
        tables, boards=(changed, *tables.boards[1:]), rows=tables.rows.with_columns(n=n)
    )
    for shown, said in ((thin, True), (tables, False)):
        (page,) = [
            text for path, text in render_site(shown, SITE).items() if path.endswith(f"{board.name}.md")
        ]
        assert ("asks model" in page and "m&#60;" in page) == said
        assert ("texts, but of elm 1" in page) == said


def test_accounts_sum_to_what_was_asked():
    board = tiny_tables().boards[0]
    found = accounts(board)
    total = found["total"]
    assert (
        total["n_in"] == board.counts["n_in"].sum()
        and len(found["lines"]) == 10
        and len(found["detail"]) == board.counts.height
    )
    assert sum(line["n_ok"] for line in found["lines"]) == total["n_ok"]
    assert total["n_thought"] == board.counts["n_thought"].sum() > 0
    assert accounts(dataclasses.replace(board, counts=schemas.frame(schemas.Count))) is None


def test_why_candidates_cannot_be_used_stands_on_the_board():
    part = tiny_site()[BOARD].partition("Why candidates cannot be used")[2].partition("</table>")[0]
    assert "Same as right" in part and "conversational" not in part.lower()


def test_accounts_tell_which_replies_end_at_their_limit_whatever_was_made_of_them():
    board = tiny_tables().boards[0]
    line = accounts(board)["lines"][0]
    outcomes = [
        ("ok", None, "length"),
        ("dead", "length", None),
        ("ok", None, "stop"),
        ("dead", "empty", None),
    ]
    known = {"purpose": line["step"], "model": line["model"]}
    replies = schemas.frame(schemas.Generation).select(
        *known, "status", "reason", "finish_reason", "attributes"
    )
    rows = [
        {**known, "status": status, "reason": reason, "finish_reason": finish, "attributes": []}
        for status, reason, finish in outcomes
    ]
    told = accounts(dataclasses.replace(board, generations=pl.DataFrame(rows, schema=replies.schema)))
    assert (told["total"]["n_cut"], told["lines"][0]["n_cut"]) == (2, 2)
    assert {one["n_cut"] for one in told["lines"][1:]} == {accounts(board)["total"]["n_cut"]} == {0}


def test_a_topic_without_words_is_left_out():
    tables = tiny_tables()
    board = dataclasses.replace(
        tables.boards[0],
        topics=[{"task": "qa", "topic": 0, "words": [], "judge": "elm", "n": 5, "rate": 0.1}],
    )
    assert topics(tables, board) == [] and [part["task"] for part in topics(tables, tables.boards[0])] == [
        "qa",
        "dialogue",
    ]


@pytest.mark.parametrize(("place", "models"), [((1, 1), []), ((1, 2), ["aster"])])
def test_a_model_leads_unless_a_baseline_is_better_than_every_model(place, models):
    """Models are ranked among models: of two that a rule beats neither is said to lead."""
    rows = [row("recognition", "accuracy", 0.9, subject="length", ranks=place, task="qa"),
            row("recognition", "accuracy", 0.7, subject="aster", kind="model", ranks=(1, 1), task="qa"),
            row("recognition", "accuracy", 0.5, subject="elm", kind="model", ranks=(2, 2), task="qa")]  # fmt: skip
    rows[1] |= {"is_leading": bool(models)}
    assert leaders(panels(rows, LEADING)[0]) == [{"group": "QA", "models": models, "others": ["length"]}]


def test_a_board_without_models_says_so():
    text = Elements(tiny_site()["boards/halueval-published.md"]).text
    assert "No model has been asked yet" in text and "0 asked so far" in text


@pytest.mark.parametrize("flags", ((False, False), (True, False), (True, True)))
def test_banners_stand_where_numbers_are_simulated(flags):
    pages = render_site(_simulated(tiny_tables(), *flags), SITE)
    marked = {name for name, page in pages.items() if "tr-banner" in page and name.endswith(".md")}
    asked = {f"models/{name}.md" for name in models_of(tiny_tables())}
    asked |= {name for name in pages if name.startswith("detectors/")}  # each judges on a closed board
    mixed = {"index.md", "models.md", "detectors.md", "samples.md", BOARD} | asked
    wanted = {
        (False, False): set(),
        (True, False): mixed,
        (True, True): mixed | {"boards/halueval-published.md", "data.md"},
    }
    assert marked - {"ledger.md"} == wanted[flags]
    if flags == (True, False):
        assert "Boards on the closed world are a demonstration" in pages["index.md"]


def test_no_ranked_model_of_the_makers_family_is_one_sentence():
    tables = tiny_tables()
    board = dataclasses.replace(tables.boards[0], roles={"generator": "quill"})
    page = render_site(dataclasses.replace(tables, boards=(board, tables.boards[1])), SITE)[BOARD]
    before, after = page.split("## Missed")
    assert "No ranked model is of the family that wrote or filtered the texts" in before and "⚑" not in before
    assert "same family" in Elements(after).text


def test_pictures_stay_out_of_the_pages():
    assert not [name for name in tiny_site() if name.endswith(".png")]


def test_labels_of_a_slice_are_lines_of_no_model():
    rows = [row("dataset", "n_samples", 5, task="qa"), row("dataset", "hallucinated_rate", 0.5, task="qa")]
    found = panels(rows, TEXTS[0])[0]
    assert [(line.name, line.notes) for line in found.lines] == [("QA", ())]


def test_the_page_draws_and_says_what_guessing_gets():
    tables = tiny_tables()
    more = [
        row(
            "contrast",
            "accuracy_both_orders",
            0.3,
            subject=name,
            kind="model",
            ranks=(1, 2),
            task="qa",
            variant="contrast",
        )
        for name in "ab"
    ]
    made = schemas.frame(
        schemas.Row,
        [one | {"board": "halueval-closed-world", "slice": schemas.pairs(**one["slice"])} for one in more],
    )
    page = render_site(dataclasses.replace(tables, rows=made), SITE)[BOARD]
    assert "the thin tick is what guessing gets, 25 %" in page and "a coin toss" not in page
    # an axis of 84 from 20 to 40 % that begins at 4: a quarter of the way
    assert '<line class="chance" x1="25.0"' in page
    assert "the thin tick is a coin toss" in tiny_site()[BOARD]


def silent(subject, *tasks):
    """Rows of a model that never answered these tasks."""
    empty = [
        row("recognition", "accuracy", None, subject=subject, kind="model", task=task, variant="plain")
        for task in tasks
    ]
    return empty + [
        row("recognition", "no_answers", 200.0, subject=subject, kind="model", task=task, variant="plain")
        for task in tasks
    ]


def test_who_never_answered_stands_below_without_a_rank():
    told = [
        row(
            "recognition",
            "accuracy",
            0.6,
            subject="aster",
            kind="model",
            ranks=(1, 1),
            task=task,
            variant="plain",
        )
        for task in ("qa", "general")
    ]
    half = [
        row(
            "recognition",
            "accuracy",
            0.7,
            subject="half",
            kind="model",
            ranks=(1, 1),
            task="qa",
            variant="plain",
        ),
        *silent("half", "general"),
    ]
    (panel,) = panels([*silent("nobody", "qa", "general"), *told, *half], LEADING)
    assert [column.heading for column in panel.columns] == ["Accuracy", "Accuracy"] and [
        line.subject for line in panel.lines
    ][-1] == "nobody"
    ranks = {line.subject: [cell.rank for cell in line.cells] for line in panel.lines}
    assert ranks == {"half": ["1", "no answers"], "aster": ["1", "1"], "nobody": ["no answers", "no answers"]}
    (alone,) = panels(silent("nobody", "qa"), LEADING)  # where nothing is ranked it is said below the name
    assert alone.lines[0].notes == ("no answers",)


def test_the_page_and_the_csv_say_no_answers():
    tables = tiny_tables()
    more = [
        one | {"board": "halueval-closed-world", "slice": schemas.pairs(**one["slice"])}
        for one in silent("nobody", "qa")
    ]
    pages = render_site(
        dataclasses.replace(tables, rows=schemas.frame(schemas.Row, [*tables.rows.to_dicts(), *more])), SITE
    )
    assert '">no answers</td>' in pages[BOARD] and "More figures: no answers" not in pages[BOARD]
    (name,) = [name for name in pages if name.endswith("halueval-closed-world.csv")]
    lines = pages[name].splitlines()
    assert lines[0].endswith(",note") and [
        line for line in lines if ",nobody," in line and ",accuracy," in line
    ][0].endswith(",no answers")
    assert sum(line.endswith(",no answers") for line in lines) == 1
