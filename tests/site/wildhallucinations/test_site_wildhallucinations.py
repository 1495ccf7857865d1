"""WildHallucinations' pages: what stands where, planted truth beside estimates, replies cut into facts, texts that attack, empty parts."""

import dataclasses
import json

import polars as pl
import pytest
from opened_scripts import values_of
from test_site_render import SITE, Elements
from tiny_rows import generation
from tiny_site import tables_of, tiny_site
from tiny_tables import tiny_tables
from tiny_wildhallucinations import (
    ENTITIES,
    HOSTILE_TEXT,
    HOSTILE_URL,
    MODELS,
    NAME,
    row,
    wildhallucinations_board,
    wildhallucinations_rows,
)

from tests.records import others, panels
from truerate.core.schemas import Generation, Row, frame, pairs, unpaired
from truerate.site import render_site
from truerate.site.board import context
from truerate.site.registry import page_of
from truerate.site.rights import QUOTED, quoted
from truerate.site.samples.browser import scripts
from truerate.site.samples.facts import compare, cut, passages, records, targets, web_address
from truerate.site.wildhallucinations.funnel import distribution, evidence, funnel
from truerate.site.wildhallucinations.rows import recovered

PAGE = page_of("wildhallucinations")
LEADING = PAGE.leading
PLAIN = [row | {"slice": unpaired(row["slice"])} for row in frame(Row, wildhallucinations_rows()).to_dicts()]
BOARD = wildhallucinations_board()


@pytest.fixture(scope="module")
def rows() -> list[dict]:
    return PAGE.derive(PLAIN, BOARD)


@pytest.fixture(scope="module")
def page() -> str:
    return tiny_site()[f"boards/{NAME}.md"]


def found(metric, rows, **where):
    return [row for row in rows if row["metric"] == metric and where.items() <= row["slice"].items()]


def heads(panel):
    return [column.heading for column in panel.columns]


def view(heading):
    """The first table of a section."""
    return next(section for section in PAGE.sections if section.heading == heading).views[0]


# ---- the leading table and the views -----------------------------------------------------------------------


def test_the_leading_table_ranks_by_the_raw_score_of_all_entities(rows):
    (panel,) = panels(rows, LEADING)
    shown = [column.heading for column in panel.columns if not column.is_extra]
    assert shown == ["WildFactScore", "Corrected", "Strict", "Responding"]
    assert [column.is_ranked for column in panel.columns][:4] == [True, False, False, False]
    assert [line.subject for line in panel.lines] == list(MODELS) and panel.lines[2].cells[0].rank == "3–4"
    assert panel.lines[0].cells[0].row["value"] == pytest.approx(0.88)  # planted .91 less the verifier's bias
    assert [cell.planted for cell in panel.lines[0].cells[:4]] == [0.91, 0.91, round(0.91**4 + 0.02, 4), 0.74]


def test_views_stand_side_by_side_with_the_places_gained(rows):
    (panel,) = panels(rows, PAGE.sections[1].views[0])
    views = ["Common subset", "Deduplicated", "Length-penalised", "Strict", "Strict, common subset"]
    assert heads(panel) == ["WildFactScore", "Corrected", *views]
    moved = {line.subject: [cell.moved for cell in line.cells] for line in panel.lines}
    assert moved["aster"] == [None, 0, -1, 0, 0, -1, None] and moved["birch"][2] == 1 and panel.has_moves


def test_the_page_says_what_its_figures_are(page):
    text = Elements(page).text
    for said in (
        *(
            "Sorted by WildFactScore",
            "▼1, loses 1 place",
            "The paper’s phrases",
            "Held-out probes",
            "False alarms",
        ),
        *(f"Entities{len(ENTITIES)}", "Replies35 2 abstain", "Verified byquill", "% not supported"),
    ):
        assert said in text


def test_a_setting_makes_panels_of_its_own():
    whole = [
        row for row in found("wildfactscore", PLAIN, estimator="raw", set="all") if len(row["slice"]) == 2
    ]
    rows = [row | {"slice": row["slice"] | {"setting": name}} for name in ("zero-context", "noisy-context")
            for row in whole if row["kind"] == "model"]  # fmt: skip
    assert [panel.title for panel in panels(PAGE.derive(rows, BOARD), LEADING)] == [
        "Noisy context",
        "Zero context",
    ]


# ---- parts, abstention, verifier, errors -------------------------------------------------------------------


def test_parts_are_lines_with_models_across_and_darker_is_worse(rows):
    (domains,), kinds = (panels(rows, view) for view in PAGE.sections[2].views)
    assert [line.name for line in domains.lines][:2] == ["Computing-related", "Culture & entertainment"]
    powers = [f"Perplexity 10{power}" for power in ("²", "³", "⁴", "¹⁰")]
    assert [line.name for line in kinds[0].lines] == ["Not on Wikipedia", "On Wikipedia", *powers]
    assert heads(domains) == list(MODELS) and domains.is_turned
    assert domains.heat(0.95) < domains.heat(0.35) and domains.has_planted


def test_a_planted_part_that_nobody_measured_makes_no_table(rows):
    strict = found("wildfactscore_strict", rows)
    assert not [row for row in strict if row["table"] == "by-domain"]
    assert [row for row in found("wildfactscore_strict", PLAIN) if "domain" in row["slice"]]


def test_what_is_counted_on_the_common_subset_alone_does_not_double_a_column(rows):
    (panel,) = panels(rows, view("Facts"))
    assert heads(panel)[2:4] == ["Duplicates", "Restate the name"] and len(panel.columns) == 8


def test_detectors_and_the_verifier_stand_in_one_table_best_first(rows):
    (panel,) = panels(rows, PAGE.detectors)
    subjects = [(line.subject, line.kind) for line in panel.lines]
    assert subjects[:2] == [("quill", "model"), ("token-overlap", "baseline")]


def test_kinds_of_error_are_said_in_words_for_both_verdicts(rows):
    (panel,) = panels(rows, view("Error analysis"))
    assert heads(panel) == ["Not supported", "Supported"] and len(panel.lines) == 7
    assert [line.name for line in panel.lines[:2]] == ["The verdict holds", "Retrieval"]
    assert panel.lines[1].notes == ("the passages shown do not hold what decides it",)


# ---- funnel, evidence, recovery ----------------------------------------------------------------------------


def test_each_stage_names_why_others_went_and_truth_stands_beside(rows):
    made = funnel(rows, BOARD)
    assert [line["n"] for line in made["lines"]] == [412, 368, 291, 262, 214, 208, 60]
    assert made["lines"][3]["gone"] == [("private person", 26), ("asked to be left out", 3)]
    planted = [made["whole"]["precision"], made["whole"]["recall"], made["eligible"]]
    assert [row["value"] for row in planted] == [0.967, 0.943, 246]
    assert funnel([], BOARD) is None


def test_entities_are_told_by_domain_and_by_rarity_in_its_order():
    groups = [("domain", "visual", 4), ("domain", "medical", 16)]
    groups += [("rarity", name, n) for name, n in (("unknown", 1), ("10^6+", 2), ("10^1", 9), ("10^0", 8))]
    rows = [{"metric": "n_entities", "slice": {part: name}, "value": float(n)} for part, name, n in groups]
    domains, rarity = distribution(rows, BOARD)["tables"]
    lengths = [(one["n"], one["length"], one["share"]) for one in domains["lines"]]
    assert lengths == [(16, 1, 0.8), (4, 0.25, 0.2)]
    assert [one["n"] for one in rarity["lines"]] == [8, 9, 2, 1] and rarity["total"] == 20
    assert distribution([], BOARD) is None


def test_pages_are_told_by_outcome_the_kept_ones_first(rows):
    made = evidence(rows, BOARD)
    assert made["total"] == 334 and [line["name"] for line in made["lines"]][:2] == [
        "Kept",
        "Robots not welcome",
    ]
    assert made["figures"][0] == ("Pages per entity", "4.7", "")
    assert made["figures"][2] == ("With a Wikipedia page", "52.0 %", "48.0 to 56.0")
    assert evidence([], BOARD) is None


def test_the_correction_is_held_against_the_truth_and_comes_nearer(rows):
    made = recovered(rows, BOARD)
    errors = {(one["title"], one["beside"]): one for one in made["estimators"]}
    raw, corrected, _, parts = errors.values()
    over = "all entities"
    assert list(errors) == [("Raw", over), ("Corrected", over), ("Strict", over), ("Raw", "parts of them")]
    assert raw["bias"] == pytest.approx(-0.03) and raw["coverage"] == 0
    assert corrected["error"] < raw["error"] and corrected["coverage"] == 1
    assert parts["n"] == 55  # 5 models x (5 domains + 2 + 4 rarities)
    assert recovered([row for row in rows if row["kind"] != "planted"], BOARD) is None


# ---- boards that have less ---------------------------------------------------------------------------------


def test_sections_without_rows_do_not_appear():
    metrics = ("wildfactscore", "verifier_accuracy")
    some = [row for row in wildhallucinations_rows() if row["metric"] in metrics and row["kind"] != "planted"]
    tables = tables_of(BOARD, rows=frame(Row, some))
    headings = [one["heading"] for one in context(tables, BOARD)["sections"]]
    assert headings == ["WildFactScore", "Views", "What is asked about", "The verifier’s own error"]
    text = Elements(render_site(tables, SITE)[f"boards/{NAME}.md"]).text
    assert "Abstention" not in text and "planted" not in text.split("Caveats")[0]


def test_every_row_has_a_place(rows):
    assert others(rows, PAGE) == []


# ---- from a number to the replies behind it ----------------------------------------------------------------


def test_a_number_leads_to_the_replies_behind_it(rows):
    read = {
        (row["table"], row["metric"]): row["read"]
        for row in rows
        if row.get("read") and row["subject"] in ("elm", "quill", "replies")
    }
    assert read["leading", "wildfactscore"] == f"board={NAME}&generator=elm"
    assert read["facts", "duplicate_fact_rate"] == f"board={NAME}&generator=elm&verdict=duplicate"
    assert read["by-domain", "wildfactscore"] == f"board={NAME}&generator=elm&domain=organism"
    assert read["verification", "verifier_fpr"] == f"board={NAME}&judge=quill&outcome=x"


def test_nothing_leads_to_texts_that_may_not_be_shown():
    closed = wildhallucinations_board(source_card={"redistribution": "no"})
    assert not [row for row in PAGE.derive(PLAIN, closed) if row.get("read")]
    assert dict(scripts(tiny_tables(), closed)) == {}


# ---- records -----------------------------------------------------------------------------------------------


def test_a_record_is_a_reply_with_its_sentences_facts_and_evidence():
    made, index = records(BOARD, 100)
    assert index["n"] == index["n_all"] == 35 and index["form"] == "facts" and index["leader"] == "quill"
    one = next(record for record in made if record["id"] == "r0birch")
    assert [part[1] for part in one["text"] if isinstance(part, list)] == [0, 1, 2]
    assert one["text"][0] == "Here is what I know. "
    assert [fact[0] for fact in one["facts"]] == [0, 1, 2] and one["facts"][2][3] == ["duplicate"]
    assert one["facts"][2][4] == [] and one["facts"][0][4] == [0]  # references to nothing are left out
    assert one["pages"][0][1:] == ["http://almanac0.invalid/0", "almanac0.invalid", True]
    assert one["passages"][0][2] is False


def test_silence_and_replies_without_facts_are_records_too():
    made, index = records(BOARD, 100)
    kinds = {record["id"]: record["_reply"] for record in made}
    assert (kinds["r1aster"], kinds["r5dogwood"]) == ("abstained", "no-fact")
    assert ["abstained", "Abstains"] in index["columns"]["reply"]["values"]


def test_what_people_and_other_judges_say_stands_with_the_fact():
    made, index = records(BOARD, 100)
    wrong = [fact for record in made for fact in record["facts"] if fact[6] == "n"]
    assert wrong and all(fact[7] == "retrieval" for fact in wrong)
    assert {judge for fact in wrong for judge, _ in fact[5]} == {"quill · one by one", "token-overlap"}
    assert set(index["judges"]) == {"quill", "quill · one by one", "token-overlap"}


def test_the_choice_keeps_entities_whole_and_takes_turns_over_domains():
    made, index = records(BOARD, 12)
    assert (index["n"], index["n_all"]) == (10, 35) and len({record["domain"] for record in made}) == 2
    assert sorted({record["by"] for record in made}) == sorted(MODELS)
    assert records(BOARD, 12)[0] == made


def test_facts_that_could_not_be_written_are_said_so():
    lost = generation("w", "ent5", "write_facts", "quill", "", status="unparsed", reason="no_line")
    lost["attributes"] = pairs(generation="r5dogwood")
    generations = pl.concat([BOARD.generations, frame(Generation, [lost])])
    made, _ = records(dataclasses.replace(BOARD, generations=generations), 100)
    one = next(record for record in made if record["id"] == "r5dogwood")
    assert one["status"] == one["_reply"] == "not-written"


def test_a_reply_is_cut_at_its_sentences_and_loses_no_character():
    text = "One. Two. One. 𠮷🦜."
    parts = [["One.", 0], " Two. ", ["One.", 2], " ", ["𠮷🦜.", 3]]
    assert cut(text, [(0, "One."), (2, "One."), (3, "𠮷🦜.")]) == parts
    assert cut("a b", [(0, "gone"), (1, "")]) == ["a b"] and cut("", []) == []


STRANGE = ("data:text/html,x", "//host/x", "http://", "http://[x", 'https://a/"onclick=1', "a b", None, "")


@pytest.mark.parametrize("url", (HOSTILE_URL, *STRANGE))
def test_only_addresses_of_the_web_become_links(url):
    assert web_address(url) == ("", "")
    assert web_address("https://Example.org/a?b=1#c") == ("https://Example.org/a?b=1#c", "example.org")


def test_a_page_of_unknown_rights_is_quoted_and_no_more():
    page = {"title": "t", "url": None, "licence": "not stated", "is_wikipedia": False, "text": "word " * 200}
    (_, ((_, text, is_cut),), _) = passages(["d:0-1000"], {"d": page}, is_open=False)
    assert is_cut and len(text) <= QUOTED and not text.endswith("wor")
    assert quoted("x" * 999, "CC BY-SA 4.0") == ("x" * 999, False)
    assert passages(["d:0-1000"], {"d": page}, is_open=True)[1][0][2] is False


@pytest.mark.parametrize(
    ("letter", "verdicts"),
    (
        ("a", [("s", "s"), ("n", "n"), ("u", "n"), (None, "s")]),
        ("m", [("s", "n")]),
        ("x", [("n", "s")]),
        ("b", [("n", "s"), ("s", "n")]),
        ("-", [("s", None)]),
        ("-", []),
    ),
)
def test_a_judge_against_people_is_one_letter(letter, verdicts):
    assert compare(verdicts) == letter


def test_hostile_texts_stay_data(page):
    made = values_of(scripts(tiny_tables(), BOARD))
    assert list(made) == [f"samples/{NAME}/{name}.js" for name in ("0", "words/0", "ids", "index")]
    shard = made[f"samples/{NAME}/0.js"]
    assert HOSTILE_TEXT in [record["name"] for record in shard] and HOSTILE_URL not in json.dumps(shard)
    assert "onerror" not in page


def test_who_never_answered_stands_in_the_leading_table_without_a_rank():
    cells = (
        ("wildfactscore", None, {"estimator": "raw", "set": "all"}),
        ("responding_rate", None, {"rule": "measured"}),
        ("no_answers", 60.0, {}),
    )
    more = [row("scores", "nobody", "model", metric, value, n=0, **where) for metric, value, where in cells]
    more = [one | {"slice": unpaired(one["slice"])} for one in more]
    (panel,) = panels(PAGE.derive([*PLAIN, *more], BOARD), LEADING)
    assert panel.lines[-1].subject == "nobody" and panel.lines[-1].cells[0].rank == "no answers"
    assert "no_answers" not in {column.measure.name for column in panel.columns}


def test_the_head_of_the_page_tells_the_three_states_apart():
    """Silent replies, those without a fact, and those that did not come are three numbers, the ones of the tables."""
    statuses = ["ok"] * 4 + ["abstained"] * 3 + ["dead"]
    replies = frame(
        Generation,
        [{"generation_id": f"{k}", "purpose": "generate", "status": of} for k, of in enumerate(statuses)],
    )
    shares = [{"table": "facts", "metric": "no_fact_rate", "kind": "model", "slice": where, "value": value, "n": n}
              for where, value, n in (({}, 0.5, 4), ({"set": "common"}, 1.0, 2), ({"domain": "d"}, 1.0, 2))]  # fmt: skip
    figures = PAGE.figures(shares, dataclasses.replace(BOARD, generations=replies))
    assert ("Replies", 8, "1 did not come, 3 abstain, 2 without a fact") in figures


@pytest.mark.parametrize(("status", "rule"), (("abstained", "paper"), ("ok", "measured")))
def test_responding_in_the_leading_table_is_by_the_rule_that_decided(status, rule):
    """Under `abstention: paper` the scores leave out what that rule flags; the rate beside them is that rule's."""
    marks = pairs(abstained_measured="false", abstained_paper="true")
    reply = {"generation_id": "g", "purpose": "generate", "status": status, "attributes": marks}
    rows = PAGE.derive(PLAIN, dataclasses.replace(BOARD, generations=frame(Generation, [reply])))
    shown = [
        row["value"]
        for row in found("responding_rate", rows)
        if (row["table"], row["kind"]) == ("leading", "model")
    ]
    assert shown == [
        row["value"] for row in found("responding_rate", PLAIN, rule=rule) if row["kind"] == "model"
    ]


@pytest.mark.parametrize("n_max", [1, len(MODELS), 1000])
def test_records_are_made_of_the_verdicts_on_their_targets_alone(n_max):
    shown = targets(dataclasses.replace(BOARD, judgements=BOARD.judgements.clear()), n_max)
    first = BOARD.judgements.unique("judge", keep="first", maintain_order=True)["judgement_id"]
    is_shown = pl.col("target_id").is_in(sorted(shown)) | pl.col("judgement_id").is_in(first.implode())
    judgements = BOARD.judgements.filter(is_shown)
    few = dataclasses.replace(BOARD, judgements=judgements, facts=BOARD.facts.lazy())
    assert records(few, n_max) == records(BOARD, n_max)
    assert (judgements.height < BOARD.judgements.height) == (n_max < 1000)
