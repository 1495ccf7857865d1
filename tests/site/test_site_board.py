"""What a board's page says of its rows: labels, audit, accounts, topics, leaders, banners."""

import dataclasses

import polars as pl
import pytest
from test_site_render import BOARD, SITE, Elements
from tiny_site import site_of, tiny_site
from tiny_tables import tiny_tables

from tests import records
from tests.records import others, panels
from truerate.core import schemas
from truerate.site import render_site
from truerate.site.audit import audit_rows, findings
from truerate.site.overview import leaders, models_of
from truerate.site.paper import paper_lines, paper_of
from truerate.site.registry import page_of
from truerate.site.reply_counts import accounts, topics

PAGE = page_of("halueval")
LEADING = PAGE.leading
TEXTS = next(section for section in PAGE.sections if section.is_row).views


def row(table, metric, value, *, subject="dataset", kind="baseline", ranks=(None, None), **where):
    return {"table": table, "subject": subject, "kind": kind, "metric": metric, "slice": where, "value": value, "low": None, "high": None,
            "rank_low": ranks[0], "rank_high": ranks[1], "is_leading": ranks[0] and ranks[0] == 1 and kind == "model",
            "n": 10, "provenance": "x"}  # fmt: skip


def heads(panel):
    return [column.heading for column in panel.columns]


def named(panel):
    return [(line.name, line.notes) for line in panel.lines]


def with_rows(*rows):
    """These rows as a frame of the first board's."""
    more = [one | {"board": "halueval-closed-world", "slice": schemas.pairs(**one["slice"])} for one in rows]
    return schemas.frame(schemas.Row, more)


def test_pattern_counts_are_lines_with_schemes_across():
    rows = [row("dataset", "n_by_pattern", n, task="qa", pattern=name, **more) for name in ("inference", "comprehension")
            for n, more in ((9, {}), (5, {"scheme": "one-pass"}), (4, {"scheme": "conversational"}))]  # fmt: skip
    (panel,) = panels(rows, TEXTS[-1])
    assert heads(panel) == ["All", "One-pass", "Conversational"] and panel.groups == ()
    assert named(panel) == [("Comprehension", ("QA",)), ("Inference", ("QA",))]
    assert panel.head == "Pattern" and not panel.has_kinds and panel.is_small


def test_lines_of_no_model_are_named_by_their_slice():
    units = [
        row("labels", "fleiss_kappa", 0.8, subject="annotators", task="summarization", unit=unit)
        for unit in ("text", "word")
    ]
    assert [name for name, _ in named(panels(units, TEXTS[1])[0])] == ["Whole texts", "Words"]
    rows = [row("dataset", "n_samples", 5, task="qa"), row("dataset", "hallucinated_rate", 0.5, task="qa")]
    assert named(panels(rows, TEXTS[0])[0]) == [("QA", ())]


def test_schemes_are_groups_of_the_leading_table():
    schemes = ("one-pass", "conversational")
    rows = [row("recognition", "accuracy", 0.5, task="qa", scheme=scheme, ranks=(1, 2)) for scheme in schemes]
    groups = [column.group for column in panels(rows, LEADING)[0].columns]
    assert groups == ["QA, one-pass", "QA, conversational"]


def test_more_figures_have_one_line_per_subject_and_slice():
    rows = [row("candidates", "n_candidates", 3, subject="a", kind="model", task=task, scheme="one-pass", pattern=pattern)
            for task in ("qa", "dialogue") for pattern in ("x", "y")]  # fmt: skip
    ((title, block),) = others(rows, page_of("halueval"))
    (panel,) = block["panels"]
    assert title == "Candidates: usable candidates, by pattern and scheme"
    assert heads(panel) == ["QA", "Dialogue"] and len(panel.lines) == 2


def test_the_audit_names_length_and_the_strongest_and_says_where_labels_are_uneven():
    board = tiny_tables().boards[0]
    pairwise = (("words", 0.9, "one-pass"), ("answer-ngrams", 0.95, "one-pass"))
    rows = [
        row("audit", "shortcut_pairwise", value, subject=name, task="qa", scheme=scheme)
        for name, value, scheme in pairwise
    ]
    rows += [row("audit", "shortcut_pairwise", 0.92, subject="words", task="qa")]
    rows += [row("audit", "shortcut_accuracy", 0.82, subject="majority", task="general")]
    rows += [row("audit", "shortcut_balanced_accuracy", 0.6, subject="overlap", task="general")]
    first, second = findings(tiny_tables(), audit_rows(board, rows), board.vocabulary)
    assert [one["subject"] for one in first["pairs"]] == ["words", "answer-ngrams"] and first["is_flagged"]
    assert (second["base"], second["is_flagged"], second["pairs"]) == (0.82, False, [])


def test_what_a_board_tells_of_its_replies_and_models_stands_on_its_page():
    """A model that answered under another name, one that is asked nothing, one that rests on few texts; only where it is so."""
    tables, whole = tiny_tables(), tiny_site()[BOARD]
    board = tables.boards[0]
    attributes = schemas.pairs(served="<b>.gguf")
    reply = schemas.generation_row(
        generation_id="g", item_id="i", purpose="recognise", model="elm", text="Yes", attributes=attributes
    )
    changed = dataclasses.replace(
        board,
        generations=schemas.frame(schemas.Generation, [reply]),
        idle=("board 'b' asks model 'm<' nothing as subjects",),
    )
    assert accounts(changed)["other_names"] == [{"model": "elm", "served": "<b>.gguf", "n": 1}]
    assert accounts(board)["other_names"] == []
    is_thin = (pl.col("metric") == board.track_card.ranks.metric) & (pl.col("subject") == "elm")
    rows = tables.rows.filter(board=board.name)
    page = site_of(changed, rows=rows.with_columns(n=pl.when(is_thin).then(1).otherwise("n").cast(pl.Int64)))[
        BOARD
    ]
    for text in (
        "<code>&#60;b&#62;&#46;gguf</code> wrote 1 of its replies",
        "asks model",
        "m&#60;",
        "texts, but of elm 1",
    ):
        assert text in page and text not in whole


def test_accounts_sum_to_what_was_asked():
    board = tiny_tables().boards[0]
    found = accounts(board)
    total = found["total"]
    assert total["n_in"] == board.counts["n_in"].sum() and len(found["lines"]) == 10
    assert total["n_in"] == sum(total[name] for name in ("n_ok", "n_dead", "n_abstained", "n_unparsed"))


def test_accounts_tell_which_replies_end_at_their_limit_whatever_was_made_of_them():
    board = tiny_tables().boards[0]
    line = accounts(board)["lines"][0]
    outcomes = (
        ("ok", None, "length"),
        ("dead", "length", None),
        ("ok", None, "stop"),
        ("dead", "empty", None),
    )
    of = {"purpose": line["step"], "model": line["model"], "attributes": []}
    rows = [
        of | {"status": status, "reason": reason, "finish_reason": end} for status, reason, end in outcomes
    ]
    told = accounts(dataclasses.replace(board, generations=schemas.frame(schemas.Generation, rows)))
    assert (told["total"]["n_cut"], told["lines"][0]["n_cut"]) == (2, 2)
    assert {one["n_cut"] for one in told["lines"][1:]} == {accounts(board)["total"]["n_cut"]} == {0}


def test_a_topic_without_words_is_left_out():
    tables = tiny_tables()
    empty = {"task": "qa", "topic": 0, "words": [], "judge": "elm", "n": 5, "rate": 0.1}
    assert topics(tables, dataclasses.replace(tables.boards[0], topics=[empty])) == []
    assert [part["task"] for part in topics(tables, tables.boards[0])] == ["qa", "dialogue"]


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
    tables = tiny_tables()
    boards = [
        dataclasses.replace(board, is_simulated=flag)
        for board, flag in zip(tables.boards, flags, strict=False)
    ]
    pages = render_site(dataclasses.replace(tables, boards=tuple(boards), max_samples=1), SITE)
    marked = {name for name, page in pages.items() if "tr-banner" in page and name.endswith(".md")}
    mixed = {"index.md", "models.md", "detectors.md", "samples.md", BOARD}
    mixed |= {f"models/{name}.md" for name in models_of(dataclasses.replace(tables, boards=tuple(boards)))}
    mixed |= {name for name in pages if name.startswith("detectors/")}  # each judges on a closed board
    wanted = {
        (False, False): set(),
        (True, False): mixed,
        (True, True): mixed | {"boards/halueval-published.md", "data.md"},
    }
    assert marked - {"ledger.md"} == wanted[flags]
    if flags == (True, False):
        assert "Boards on the closed world are a demonstration" in pages["index.md"]


def test_no_ranked_model_of_the_makers_family_is_one_sentence():
    page = site_of(dataclasses.replace(tiny_tables().boards[0], roles={"generator": "quill"}), max_samples=1)[
        BOARD
    ]
    before, after = page.split("## Missed")
    assert (
        "No ranked model belongs to the family that wrote or filtered the texts" in before
        and "⚑" not in before
    )
    assert "same family" in Elements(after).text


def test_pictures_stay_out_of_the_pages():
    assert not [name for name in tiny_site() if name.endswith(".png")]


def test_the_page_draws_and_says_what_guessing_gets():
    where = {"kind": "model", "ranks": (1, 2), "task": "qa", "variant": "contrast"}
    rows = with_rows(*(row("contrast", "accuracy_both_orders", 0.3, subject=name, **where) for name in "ab"))
    page = site_of(n=1, rows=rows, max_samples=1)[BOARD]
    assert "thin tick: guessing, 25 %" in page and "guessing, 50 %" not in page
    # an axis of 84 from 20 to 40 % that begins at 4: a quarter of the way
    assert '<line class="chance" x1="25.0"' in page
    assert "thin tick: guessing, 50 %" in tiny_site()[BOARD]


def asked(subject, value, *tasks, metric="accuracy"):
    """Rows of a model in its own words on these tasks, ranked where it has a value."""
    ranks = (1, 1) if value is not None and metric == "accuracy" else (None, None)
    how = {"subject": subject, "kind": "model", "variant": "plain", "ranks": ranks}
    return [row("recognition", metric, value, task=task, **how) for task in tasks]


def silent(subject, *tasks):
    """Rows of a model that never answered these tasks."""
    return asked(subject, None, *tasks) + asked(subject, 200.0, *tasks, metric="no_answers")


def test_who_never_answered_stands_below_without_a_rank():
    rows = [*silent("nobody", "qa", "general"), *asked("aster", 0.6, "qa", "general")]
    (panel,) = panels([*rows, *asked("half", 0.7, "qa"), *silent("half", "general")], LEADING)
    assert heads(panel) == ["Accuracy", "Accuracy"] and panel.lines[-1].subject == "nobody"
    ranks = {line.subject: [cell.rank for cell in line.cells] for line in panel.lines}
    assert ranks == {"half": ["1", "no answers"], "aster": ["1", "1"], "nobody": ["no answers", "no answers"]}
    (alone,) = panels(silent("nobody", "qa"), LEADING)  # where nothing is ranked it is said below the name
    assert alone.lines[0].notes == ("no answers",)


def test_the_page_and_the_csv_say_no_answers():
    pages = site_of(
        n=1, rows=pl.concat([tiny_tables().rows, with_rows(*silent("nobody", "qa"))]), max_samples=1
    )
    assert '">no answers</td>' in pages[BOARD] and "More figures: no answers" not in pages[BOARD]
    header, *lines = pages[BOARD.replace(".md", ".csv")].splitlines()
    assert header.endswith(",note")
    (line,) = [line for line in lines if line.endswith(",no answers")]
    assert ",nobody," in line and ",accuracy," in line


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


def test_the_paper_s_tables_say_where_they_stand_and_what_they_need():
    rows = [row("recognition", "accuracy", 0.5, subject="aster", kind="model", task="qa", variant="plain")]
    how = {"headings": ["Recognition", "Topics"], "there": ["samples"], "elsewhere": {}}
    lines = {line["name"]: line for line in paper_lines("halueval", rows, **how)}
    six, figure = lines["Table 6"], lines["Figures 2 and 3"]
    assert (six["n"], six["n_wanted"], six["headings"]) == (1, 4, ["Recognition"]) and "Needs models" in six[
        "why"
    ]
    assert not figure["is_made"] and figure["shown"] == "" and figure["why"].startswith("Needs models")
    assert lines["Table 1"]["shown"] == "samples" and lines["Tables 11 to 16"]["why"].startswith(
        "Prompts are our own words"
    )
    assert "Table 9" in tiny_site()["boards/halueval-closed-world.md"]
    # what HalluDial's judge does on HaluEval's texts stands on that board
    judge = [
        row(
            "recognition",
            "accuracy",
            0.5,
            subject="hallujudge",
            kind="baseline",
            task="dialogue",
            variant="plain",
        )
    ]
    for boards, named, n in (({}, "", 0), ({"none": rows, "abroad": judge}, "abroad", 1)):
        four = {line["name"]: line for line in paper_lines("halludial", rows, **how | {"elsewhere": boards})}[
            "Table 4"
        ]
        assert (four["board"], four["n"]) == (named, n) and four["why"].startswith("Needs a board") != bool(n)


@pytest.mark.parametrize("track", records.NAMES)
def test_the_sections_of_the_paper_s_tables_stand_on_the_page(track):
    headings = {section.heading for section in page_of(track).sections}
    named = {heading for table in paper_of(track) for heading in table.sections}
    assert named <= headings
    assert all(
        table.sections for table in paper_of(track) if table.cells and "learns_from" not in table.needs
    )
