"""Detectors find planted hallucinations in wordings that none has met: of the closed world's held-out
passages, by token F1.

Trained here from nothing on passages as they are written in each language, in fewer steps than a board takes.
"""

from collections.abc import Sequence

import polars as pl
import pytest

from tests.detectors.fitting import fit_tokens
from truerate.config import Params, load_params
from truerate.core.schemas import SPANS, Judgement, scan
from truerate.core.spans.tags import parse_tags
from truerate.detectors.tokens.family import judge_tokens
from truerate.metrics.tokens import TokenCounts, token_counts, total, word_offsets
from truerate_world.mfava.models.entity_table import build
from truerate_world.mfava.models.reader import reader
from truerate_world.mfava.training import HELD_OUT, TRAINING, Wording, example

from .board import ROOT

pytestmark = [pytest.mark.proof, pytest.mark.slow, pytest.mark.xdist_group("recover-detection")]
LANGS = ("en", "tr", "zh")
MEMBERS = ("mark-all", "reference-blind", "tiny-plain", "tiny-prefix")
N_TRAIN, N_HELD_OUT, N_STEPS = 200, 60, 240


def settings() -> Params:
    """The project's own settings with shorter trainings."""
    values = load_params(ROOT / "params.yaml").model_dump()
    values["backbones"] = {name: one | {"max_steps": N_STEPS} for name, one in values["backbones"].items()}
    return Params.model_validate(values | {"profile": "demo"})


def passages(seed: int, wording: Wording, n: int) -> pl.DataFrame:
    """The first `n` labelled passages of each language, as they are written there."""
    known, rows = reader(build(seed)), []
    for lang in LANGS:
        for place in range(n):
            made = example(known, place, lang, wording=wording)
            found, name = parse_tags(made.marked), f"{wording.role}-{place:04d}"
            told = {"target_id": f"{name}-{lang}", "item_id": name, "group_id": name, "lang": lang}
            told |= {"task": "train"}
            rows.append(
                told
                | {
                    "text": found.text,
                    "spans": [{**span, "p": None} for span in found.spans],
                    "reference": made.reference,
                }
            )
    return pl.DataFrame(rows, schema_overrides={"spans": SPANS})


def f1(counted: Sequence[TokenCounts]) -> float:
    """Token F1 of texts."""
    found = total(counted)
    return 2 * found.both / (found.gold + found.detected)


@pytest.fixture(scope="module")
def found(tmp_path_factory) -> dict[tuple[str, str], float]:
    """Token F1 on held-out passages by (member, language)."""
    p, at = settings(), tmp_path_factory.mktemp("detectors")
    size, held = p.size["mfava"], passages(p.seed, HELD_OUT, N_HELD_OUT)
    fit_tokens(
        MEMBERS, passages(p.seed, TRAINING, N_TRAIN), p, size, folder=at / "fitted", scratch=at / "scratch"
    )
    texts = {row["target_id"]: row for row in held.iter_rows(named=True)}
    counts: dict[tuple[str, str], list[TokenCounts]] = {}
    files = judge_tokens(MEMBERS, held, p, size, folder=at / "fitted", kept=at / "judged")
    for row in scan(Judgement, files).collect().iter_rows(named=True):
        text = texts[row["target_id"]]
        gold, marked = (
            [(one["start"], one["end"]) for one in spans if one["p"] is None or one["p"] > 0.5]
            for spans in (text["spans"], row["spans"])
        )
        counts.setdefault((row["judge"], text["lang"]), []).append(
            token_counts(word_offsets(text["text"]), gold, marked)
        )
    return {key: f1(each) for key, each in counts.items()}


@pytest.mark.parametrize("lang", LANGS)
def test_reading_the_reference_is_what_finds_new_wordings(found, lang):
    """On a board it is .3 and more; here there is less to learn from."""
    assert found["tiny-prefix", lang] > 0.7
    assert found["tiny-prefix", lang] > found["reference-blind", lang] + 0.25


def test_a_network_that_is_not_told_what_matches_stays_behind(found):
    assert all(found["tiny-prefix", lang] > found["tiny-plain", lang] + 0.1 for lang in LANGS)


def test_marking_everything_is_no_way_out(found):
    """About .22 of the tokens are hallucinated: F1 = 2 · .22 / (1 + .22) = .36."""
    assert all(abs(found["mark-all", lang] - 0.36) < 0.08 for lang in LANGS)
