"""Replies, faults of writer and translator, and people's labels of mFAVA's boards are as often as planted."""

from dataclasses import replace
from itertools import product

import numpy as np
import polars as pl
import pytest

from truerate.core.schemas import Score, frame, pair
from truerate.core.spans.tags import REPLACED, TYPES
from truerate.metrics.intervals import Interval
from truerate.metrics.rates import mean_of_intervals
from truerate.metrics.score_writer import ScoreWriter
from truerate.tracks.mfava.scores import rejected_rows
from truerate_world.encyclopedia import build as build_world
from truerate_world.manners import manners_of
from truerate_world.mfava import annotate
from truerate_world.mfava.models.planted import PROFILES, rates
from truerate_world.models import COVERAGE

from ..cells import Cell, holds, missed, pooled
from ..mfava_board import BOARD, EVEN, LANGS, SUBJECTS, expected_kappa, flat, p_marked
from ..misreading import readings, recorded

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("recover-mfava")]
WRONG_LANGUAGE = {
    "tr": 1.7,
    "zh": 1.3,
}  # how much oftener a language with less is left; English is left for languages not declared here
FLAWS = ("repeats", "dont_know", "cut", "wrong_language")
PLACES = list(product(SUBJECTS, LANGS))


def cell(board, metric: str, subject: str, k: int, n: int, planted: float, **where: str) -> Cell:
    return Cell(metric, subject, tuple(sorted(where.items())), board.at.p.seed, k, n, planted)


# ---- replies in the wild -----------------------------------------------------------------------------------


def sentence_cells(board) -> list[Cell]:
    """Hallucinated sentences of replies without a flaw, by model and language, and of each type, by model."""
    made, of_type = [], {}
    for alias, lang in PLACES:
        rows = [
            row
            for row in board.answers
            if (row["model"], row["lang"]) == (alias, lang) and not any(row.get(f) for f in FLAWS)
        ]
        claims = [claim for row in rows for claim in board.known.read(row["text"], lang)]
        types = [
            board.known.false_in(claim)[0]["type"] if board.known.false_in(claim) else None
            for claim in claims
        ]
        known = rates(board.at.p.models[alias].model, lang)
        made.append(
            cell(
                board,
                "false_sentences",
                alias,
                len(types) - types.count(None),
                len(types),
                sum(known.values()),
                lang=lang,
            )
        )
        for kind in TYPES:
            of_type.setdefault((alias, kind), []).append((types.count(kind), len(types), known[kind]))
    for (alias, kind), found in of_type.items():
        k, n = sum(one[0] for one in found), sum(one[1] for one in found)
        made.append(
            cell(
                board, "sentences_of_type", alias, k, n, sum(one[1] * one[2] for one in found) / n, type=kind
            )
        )
    return made


def flaw_cells(board, scores: list[dict]) -> list[Cell]:
    """Flaws that the track counts, by model and language, beside what is planted."""
    made = []
    for row in scores:
        flaw, lang = row["metric"].removesuffix("_rate"), row.get("lang")
        factor = WRONG_LANGUAGE.get(lang) if flaw == "wrong_language" else 1.0
        if flaw in FLAWS and lang in LANGS and factor:
            planted = getattr(PROFILES[board.at.p.models[row["subject"]].model], flaw) * factor
            made.append(
                cell(
                    board, flaw, row["subject"], round(row["value"] * row["n"]), row["n"], planted, lang=lang
                )
            )
    return made


def test_replies_hold_the_planted_sentences(boards):
    cells = [one for board in boards for one in sentence_cells(board)]
    assert len(cells) == len(boards) * (len(PLACES) + len(SUBJECTS) * len(TYPES)) and not missed(cells)
    assert not missed(pooled(cells))


def test_flaws_are_found_as_often_as_planted(boards, scored):
    cells = [one for board in boards for one in flaw_cells(board, scored[EVEN, board.at.p.seed][0])]
    assert len(cells) == len(boards) * len(SUBJECTS) * (3 * len(LANGS) + len(WRONG_LANGUAGE))
    assert not missed(cells) and not missed(pooled(cells))


def test_flaws_that_are_not_looked_for_are_missed(boards, scored):
    cells = [
        replace(one, k=0) for board in boards for one in flaw_cells(board, scored[EVEN, board.at.p.seed][0])
    ]
    assert {line.split(" of ")[0] for line in missed(pooled(replace(one, where=()) for one in cells))} == set(
        FLAWS
    )


# ---- writer and translator ---------------------------------------------------------------------------------


def reject_cells(board) -> list[Cell]:
    """Replies of the writer and the translator that were rejected, by reason, beside the faults that lead there.

    A fault of a translation changes nothing where there is nothing to spoil: of passages without tags, or
    tags of one type to swap.
    """
    generations = board.made["generations"].with_columns(
        *(pair("attributes", name).alias(name) for name in ("lang", "type", "sample")),
        bad=pl.col("reason").fill_null(""),
    )
    spans = {
        name: [one["type"] for one in found]
        for name, found in board.tables.samples.select("sample_id", "spans").iter_rows()
    }
    profile, made = PROFILES["sim-quill"], []
    for lang in LANGS:
        inserts = generations.filter(purpose="insert", lang=lang)
        added = inserts.filter(
            ~pl.col("type").is_in(REPLACED)
        )  # a name or words to replace may be lacking, too
        planted = {"malformed": (added, profile.unclosed), "nothing-inserted": (added, profile.nothing)}
        planted |= {"altered": (inserts, profile.altered), "refusal": (inserts, profile.refuses)}
        planted |= {"thought_only": (inserts, manners_of("sim-quill").unfinished)}
        for reason, (rows, rate) in planted.items():
            made.append(
                cell(
                    board,
                    "insert",
                    "quill",
                    (rows["bad"] == reason).sum(),
                    rows.height,
                    rate,
                    lang=lang,
                    reason=reason,
                )
            )
        passages = generations.filter(purpose="translate", lang=lang).select("bad", "sample").rows()
        for reason, least, rate in (
            ("tag-count", 1, profile.dropped + profile.doubled),
            ("tag-order", 2, profile.swapped),
        ):
            rows = [
                bad for bad, name in passages if len(spans[name] if least == 1 else set(spans[name])) >= least
            ]
            made.append(
                cell(
                    board, "translate", "quill", rows.count(reason), len(rows), rate, lang=lang, reason=reason
                )
            )
    return [one for one in made if one.n]


def test_faults_of_writer_and_translator_become_rejects(boards):
    cells = [one for board in boards for one in reject_cells(board)]
    assert len(cells) == len(boards) * (5 * len(LANGS) + 2 * (len(LANGS) - 1)) and not missed(cells)
    assert not missed(pooled(cells))


def test_the_boards_rejected_rates_are_those_counts(boards):
    for board in boards:
        writer = ScoreWriter(BOARD, "", board.at.p.statistics, board.at.p.seed)
        rows = flat(frame(Score, rejected_rows(board.made["generations"], writer)))
        told = {
            (row["step"], row["lang"], row["reason"]): row["value"]
            for row in rows
            if row["metric"] == "n_rejected"
        }
        found = [one for one in reject_cells(board) if one.metric == "translate"]
        assert found and all(
            told.get(("translate", one.slice["lang"], one.slice["reason"]), 0) == one.k for one in found
        )


def test_faults_that_pass_are_missed(boards):
    cells = [replace(one, k=0) for board in boards for one in reject_cells(board)]
    by_step = pooled(replace(one, where=()) for one in cells)
    assert len(missed(by_step)) == len(by_step) == 2


# ---- people ------------------------------------------------------------------------------------------------


def people_of(board) -> dict[str, annotate.Annotator]:
    return annotate.profiles({name for task in board.tasks for name in task["annotators"]})


def people_cells(board, people) -> list[Cell]:
    """Spans that an annotator passes or gives another type, and true sentences that they mark, in the labels
    as they were read.
    """
    texts = {task["task_id"]: annotate.text_of(board.known, task) for task in board.tasks}
    counts: dict[tuple[str, str], list[bool]] = {}
    for judge, name, spans in board.labelled.judgements.select("judge", "target_id", "spans").iter_rows():
        for false in texts[name].spans:
            found = [one for one in spans if one["start"] < false["end"] and false["start"] < one["end"]]
            counts.setdefault((judge, "missing"), []).append(not found)
            if found:
                counts.setdefault((judge, "mistyping"), []).append(
                    all(one["type"] != false["type"] for one in found)
                )
        for start, end in texts[name].true:
            inside = any(
                start <= one["start"] and one["end"] <= end for one in spans
            )  # a border that was shifted comes from outside
            counts.setdefault((judge, "alarm"), []).append(inside)
    return [
        cell(board, error, judge, sum(said), len(said), getattr(people[judge], error))
        for (judge, error), said in counts.items()
    ]


def kappas(board, people) -> list[tuple[float, Interval]]:
    """Cohen's κ that the annotators who are heard should have in each language, and what the track found,
    with its interval.
    """
    rows = [
        row for row in flat(board.labelled.scores) if row["metric"] == "cohen_kappa" and row["lang"] in LANGS
    ]
    heard = sorted(people)[:-1]
    found = []
    for row in rows:
        shared = [task for task in board.tasks if task["lang"] == row["lang"] and len(task["annotators"]) > 1]
        texts = [annotate.text_of(board.known, task) for task in shared]
        expected = expected_kappa([[p_marked(text, people[name]) for name in heard] for text in texts])
        found.append((expected, Interval(row["value"], row["low"], row["high"])))
    return found


def test_people_err_as_planted(boards):
    cells = [one for board in boards for one in people_cells(board, people_of(board))]
    assert len(cells) == len(boards) * 5 * 3 and not missed(cells) and not missed(pooled(cells))


def test_agreement_is_what_their_errors_make_it(boards):
    found = [one for board in boards for one in kappas(board, people_of(board))]
    assert len(found) == len(boards) * len(LANGS)
    assert all(holds(interval, expected) for expected, interval in found)
    assert holds(
        mean_of_intervals([interval for _, interval in found]), np.mean([expected for expected, _ in found])
    )


def test_worse_people_are_seen_in_agreement(boards):
    """As if all of them were to pass a tenth more of what is false than they do."""
    worse = [
        {name: replace(one, missing=one.missing + 0.1) for name, one in people_of(board).items()}
        for board in boards
    ]
    found = [one for board, people in zip(boards, worse, strict=True) for one in kappas(board, people)]
    assert not holds(
        mean_of_intervals([interval for _, interval in found]), np.mean([expected for expected, _ in found])
    )


def test_the_careless_one_is_not_heard(boards):
    for board in boards:
        careless = sorted(people_of(board))[-1]
        rejected = board.labelled.rejects.filter(reason="screened_out")
        assert rejected["target_id"].unique().to_list() == [careless] and rejected.height == len(LANGS)


# ---- what is read of them ----------------------------------------------------------------------------------


def test_no_reply_is_misread(boards, store):
    """Every prompt of the boards, put to every model: what is read is what a careful person reads."""
    world = build_world(boards[0].at.p.seed, tuple(boards[0].at.p.languages))
    found = list(readings(world, list(recorded(store))[:: len(boards)], COVERAGE))
    assert {one.purpose for one in found} == {"write", "insert"}
    assert len({one.manner for one in found}) >= 8
    assert not [one for one in found if one.kind != "right"]
