"""One record per metric of a track, of each metric that its code emits and of no other."""

import ast
from pathlib import Path

import pytest

from tests.records import NAMES, SHARED, card, records
from truerate.core.schemas import NO_ANSWERS
from truerate.leaderboard import audit
from truerate.site.registry import page_of
from truerate.tracks.protocol import metrics_of_track

SRC = Path(__file__).parents[2] / "src"
EMITTED = {  # the metrics of each board of the closed world
    "halueval": """
        accuracy accuracy_both_orders accuracy_matched accuracy_one_side accuracy_parsed
        candidate_failure_rate cleaned_rate cut_rate f1 f1_right failure_rate
        filter_disagreement_rate filter_first_position_rate filter_unparsed_rate first_position_rate
        flagged_rate_after flagged_rate_after_judge flagged_rate_before fleiss_kappa general_rate hallucinated_rate is_identified
        length_rule_broken_rate macro_f1
        n_annotators_passed n_by_pattern n_candidates n_samples percent_agreement precision
        precision_right probe_rate recall recall_right refined_contains_rate refined_same_rate response_similarity tnr tpr
        unchanged_rate unparsed_rate
    """,
    "halludial": """
        accuracy accuracy_both_orders accuracy_one_side accuracy_parsed annotator_accuracy
        annotator_kappa annotator_span_f1 annotator_tnr annotator_tpr balanced_accuracy bin_p
        bin_rate bleu broken_rate continued_rate ece f1 f1_right first_position_rate fleiss_kappa
        gold_minus_self gold_minus_self_p hallucinated_rate hallucination_rate is_identified
        macro_f1 marked_rate meta_accuracy meta_kappa meta_unparsed_rate n_annotators_passed n_by_kind
        n_dialogues n_samples n_turns not_located_rate percent_agreement precision precision_right
        rate_by_judge rationale_similarity recall recall_right restated_rate rouge_l screening_agreement
        shared_context_rate shared_dialogue_rate sibling_rate span_f1 span_precision span_recall tnr
        token_f1 too_long_rate tpr turns_per_dialogue unchanged_rate unparsed_rate unread_rate
        words_per_response
    """,
    "labelled_replies": """
        balanced_accuracy detector_rate files_rate hallucination_rate is_identified judged_rate label_rate own_judge_rate
        tnr tpr youden_j
    """,
    "mfava": """
        answerable_rate cohen_kappa cohen_kappa_typed cut_rate detected_per_reply dont_know_rate
        hallucinated_token_rate hallucination_rate hallucination_rate_std iou is_identified
        mean_difference n_annotators_passed n_articles n_detected n_labelled n_points n_queries n_rejected
        n_replies n_spans n_texts n_tokens p_value pearson_r percent_agreement percent_agreement_typed
        plausibility_rate point_x point_y rejected_rate repeats_rate screening_agreement silver_gold_agreement
        silver_gold_kappa silver_gold_kappa_typed span_rate spearman stratum_fpr stratum_recall token_auroc token_average_precision
        token_f1 token_f1_std token_fpr token_precision
        token_precision_std token_recall token_recall_by_type token_recall_std tokens_per_reply
        wrong_language_rate
    """,
    "wildhallucinations": """
        batch_agreement batch_kappa calls_per_generation cut_rate duplicate_fact_rate entity_unambiguous_rate
        error_rate facts_per_response factscore_length fleiss_kappa n_labelled_facts n_labelled_replies funnel_n funnel_precision
        funnel_recall krippendorff_alpha n_entities n_facts n_pages n_rejected n_responses no_fact_rate
        page_relevant_rate pages_per_entity percent_agreement probe_false_alarm_rate probe_miss_rate
        rank_change responding_rate retrieved_rate review_correction tie_rate title_fact_rate unparsed_fact_rate
        unreadable_rate verifier_accuracy verifier_fpr verifier_kappa verifier_tpr wikipedia_rate
        wildfactscore wildfactscore_dedup wildfactscore_strict wildfactscore_strict_paper words_per_entity words_per_response
    """,
}
MORE = {  # those that only other settings or other sources give
    "halueval": "no_answers accuracy_std",
    "labelled_replies": "",
    "halludial": "no_answers no_verdicts labelled_rate",
    "mfava": "no_answers n_categories sensitivity_low sensitivity_high iou_with_page spearman_with_page token_f1_typed "
    "token_f1_by_type windowed_rate with_page_rate",
    "wildhallucinations": "no_answers verifier_no_answers",
}
# tables that a page makes of others
DERIVED = {"leading", "leader", "by-domain", "by-kind", "errors-by-model", "estimates"}


@pytest.mark.parametrize("track", NAMES)
def test_each_metric_has_one_record_and_each_record_a_metric(track):
    names = [one.name for one in metrics_of_track(track)]
    assert sorted(names) == sorted([*EMITTED[track].split(), *MORE[track].split()])


def test_the_shared_records_are_those_of_the_audit_and_clash_with_no_tracks():
    assert tuple(one.name for one in SHARED) == audit.METRICS
    assert not {one.name for one in SHARED} & {name for track in NAMES for name in records(track)}


@pytest.mark.parametrize("track", NAMES)
def test_no_record_of_a_metric_that_no_code_emits(track):
    """Each name stands in the code that makes scores: as a text, a function's name, or two texts put together."""
    folders = [f"truerate/tracks/{track}", "truerate/metrics", f"truerate_world/{track}"]
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
    own = records(track)
    assert own[card(track).ranks.metric].direction in ("up", "down")
    assert card(track).asked is None or card(track).asked in own


@pytest.mark.parametrize("track", NAMES)
def test_a_record_tells_the_whole_in_a_sentence(track):
    for one in records(track).values():
        assert one.definition.endswith(".") and len(one.definition) < 300, one.name
        assert one.label[:1].isupper() or not one.label[0].isascii() or one.label in ("p", "± over runs"), (
            one.name
        )
        assert one.definition.split()[0] not in ("The", "Their") or "same" not in one.definition, one.name


@pytest.mark.parametrize("track", NAMES)
def test_a_view_shows_metrics_that_stand_in_its_table(track):
    own, page = records(track), page_of(track)
    views = [view for section in page.sections for view in section.views]
    views += [view for view in (page.leading, page.detectors) if view]
    told = [
        (view.table, name)
        for view in views
        for name in (*view.metrics, *view.extra)
        if view.table not in DERIVED
    ]
    assert told and [(table, own[name].table, name) for table, name in told if own[name].table != table] == []


def test_chance_of_a_pair_in_both_orders_is_a_quarter():
    own = records("halueval")
    assert (own["accuracy"].chance, own["accuracy_both_orders"].chance) == (0.5, 0.25)


DOWN = {  # of which less is better
    "halueval": """failure_rate unparsed_rate candidate_failure_rate length_rule_broken_rate
        filter_disagreement_rate filter_unparsed_rate cut_rate""",
    "halludial": """unparsed_rate ece hallucination_rate meta_unparsed_rate shared_context_rate shared_dialogue_rate
        sibling_rate unread_rate too_long_rate continued_rate restated_rate not_located_rate
        unchanged_rate broken_rate labelled_rate""",
    "labelled_replies": "hallucination_rate detector_rate judged_rate",
    "mfava": "hallucination_rate stratum_fpr token_fpr repeats_rate cut_rate wrong_language_rate rejected_rate",
    "wildhallucinations": """verifier_fpr no_fact_rate unreadable_rate unparsed_fact_rate duplicate_fact_rate
        title_fact_rate tie_rate probe_false_alarm_rate probe_miss_rate cut_rate""",
}


@pytest.mark.parametrize("track", NAMES)
def test_directions(track):
    """A share of a kind of error has none: of `the verdict holds` more is better, of the others less."""
    own = records(track)
    assert {name for name, one in own.items() if one.direction == "down"} == set(DOWN[track].split())
    assert {own[name].direction for name in ("error_rate", "responding_rate") if name in own} <= {""}
