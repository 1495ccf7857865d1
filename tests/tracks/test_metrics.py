"""The records of a track's metrics: of each that its code emits (a build refuses others) and of no other."""

import ast
from pathlib import Path

import pytest

from tests.records import NAMES, SHARED, card, records
from truerate.core.schemas import NO_ANSWERS
from truerate.leaderboard import audit
from truerate.site.registry import page_of
from truerate.tracks.protocol import metrics_of_track

SRC = Path(__file__).parents[2] / "src"
# tables that a page makes of others
DERIVED = {"leading", "leader", "by-domain", "by-kind", "errors-by-model", "estimates"}


def test_names_are_unique_and_shared_ones_are_made_in_one_place_and_clash_with_no_tracks():
    of_thinking = {record.name for record in SHARED if record.table == "thinking"}
    assert {record.name for record in SHARED} - of_thinking == set(audit.METRICS)
    assert of_thinking <= _words(SRC / "truerate/tracks/thinking.py")
    assert all(len(metrics_of_track(track)) == len(records(track)) for track in NAMES)
    assert not {record.name for record in SHARED} & {name for track in NAMES for name in records(track)}


@pytest.mark.parametrize("track", NAMES)
def test_no_record_of_a_metric_that_no_code_emits(track):
    """Each name stands in the code that makes scores: as a text, a function's name, or two texts put
    together.
    """
    folders = [
        f"truerate/tracks/{track}",
        "truerate/metrics",
        "truerate/annotation",
        f"truerate_world/{track}",
    ]
    paths = [path for folder in folders for path in (SRC / folder).rglob("*.py")]
    paths += [SRC / f"truerate/site/{track}/rows.py"] if track == "mfava" else []  # it counts pages itself
    words = {NO_ANSWERS}.union(*(_words(path) for path in paths))
    assert {name for name in records(track) if not _is_made(name, words)} == set()


def _words(path):
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return texts | {node.name for node in nodes if isinstance(node, ast.FunctionDef)}


def _is_made(name, words):
    cuts = range(1, len(name))
    return name in words or any(
        name[:cut] in words and name[cut:] in words for cut in cuts if "_" in (name[cut - 1], name[cut])
    )


def test_a_name_that_nobody_makes_is_found_out():
    words = {"failure_rate", "hallucination_rate", "_std"}
    assert _is_made("hallucination_rate_std", words) and not _is_made("recognition_failure_rate", words)


@pytest.mark.parametrize("track", NAMES)
def test_what_a_board_ranks_has_a_direction_and_what_is_asked_a_record(track):
    records_of = records(track)
    assert records_of[card(track).ranks.metric].direction in ("up", "down")
    assert card(track).asked is None or card(track).asked in records_of


@pytest.mark.parametrize("track", NAMES)
def test_a_record_tells_the_whole_in_a_sentence(track):
    for record in records(track).values():
        assert record.definition.endswith(".") and len(record.definition) < 300, record.name
        assert (
            record.label[:1].isupper()
            or not record.label[0].isascii()
            or record.label in ("p", "± over runs")
        ), record.name
        assert record.definition.split()[0] not in ("The", "Their") or "same" not in record.definition, (
            record.name
        )


@pytest.mark.parametrize("track", NAMES)
def test_a_view_shows_metrics_that_stand_in_its_table(track):
    records_of, page = {record.name: record for record in SHARED} | records(track), page_of(track)
    views = [view for section in page.sections for view in section.views]
    views += [view for view in (page.leading, page.detectors) if view]
    definitions = [
        (view.table, name)
        for view in views
        for name in (*view.metrics, *view.extra)
        if view.table not in DERIVED
    ]
    elsewhere = [
        (table, records_of[name].table, name)
        for table, name in definitions
        if records_of[name].table != table
    ]
    assert definitions and elsewhere == []


def test_chance_of_a_pair_in_both_orders_is_a_quarter():
    records_of = records("halueval")
    assert (records_of["accuracy"].chance, records_of["accuracy_both_orders"].chance) == (0.5, 0.25)


DOWN = {  # of which less is better
    "halueval": """failure_rate unparsed_rate candidate_failure_rate length_rule_broken_rate
        filter_disagreement_rate filter_unparsed_rate cut_rate""",
    "halludial": """unparsed_rate ece hallucination_rate meta_unparsed_rate shared_context_rate shared_dialogue_rate
        sibling_rate unread_rate too_long_rate continued_rate restated_rate not_located_rate
        unchanged_rate broken_rate labelled_rate""",
    "labelled_replies": "hallucination_rate detector_rate judged_rate",
    "mfava": "hallucination_rate token_fpr repeats_rate cut_rate wrong_language_rate rejected_rate",
    "wildhallucinations": """verifier_fpr no_fact_rate unreadable_rate unparsed_fact_rate duplicate_fact_rate
        title_fact_rate contradicted_rate not_mentioned_rate tie_rate probe_false_alarm_rate probe_miss_rate cut_rate
        verifier_unread_rate unread_claim_rate no_page_claim_rate
        uncited_rate dangling_citation_rate""",
}


@pytest.mark.parametrize("track", NAMES)
def test_directions(track):
    """A share of a kind of error has none: of `the verdict holds` more is better, of the others less."""
    records_of = records(track)
    assert {name for name, record in records_of.items() if record.direction == "down"} == set(
        DOWN[track].split()
    )
    assert {
        records_of[name].direction for name in ("error_rate", "responding_rate") if name in records_of
    } <= {""}
