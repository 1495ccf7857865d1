"""A detector of ours that learned elsewhere: trained in a moment, published over a Hub on loopback and into a
folder, and asked of texts that it never saw.
"""

import json

import numpy as np
import polars as pl
import pytest
import torch

from tests.detectors.judges.dialogues import responses
from tests.hub.detectors_made import facts_of
from tests.hub.drafts import laid
from truerate.config import Published
from truerate.core.errors import TruerateError
from truerate.core.schemas import Judgement, validate
from truerate.detectors.published.family import judge_published, network
from truerate.detectors.tokens.network import load
from truerate.detectors.tokens.pretrained import TokenDetector
from truerate.hub.detector import detector_draft as draft_of
from truerate.hub.push import publish
from truerate.hub.release import Target

REPO = "org/small"


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    torch.set_num_threads(1)


@pytest.fixture
def fitted_judge(learned_judge):
    """The folder of a judge that learned about towns, and what its board made it say of other ones."""
    folder, asked, judged = learned_judge
    return folder / "out/judge/multi-binary-42", asked, judged


def shares(text, gold, marked):
    """P of the characters that are hallucinated, and of the others."""
    p, is_gold = np.zeros(len(text)), np.zeros(len(text), dtype=bool)
    for item in marked:
        p[item["start"] : item["end"]] = item["p"]
    for item in gold:
        is_gold[item["start"] : item["end"]] = True
    return p[is_gold], p[~is_gold]


def plain(asked):
    """Responses as another board has them: each with its knowledge alone."""
    return asked.with_columns(history=pl.lit(None, dtype=pl.String), question=pl.lit(None, dtype=pl.String))


def test_a_fitted_judge_says_elsewhere_what_it_says_at_home(fitted_judge):
    weights, asked, at_home = fitted_judge
    judged = judge_published({"judge": Published(weights=str(weights))}, asked)
    validate(Judgement, judged, where="here")
    columns = ("target_id", "verdict", "p", "spans", "rationale")
    assert judged.select(columns).equals(at_home.select(columns))
    assert {"key": "adapter", "value": "truerate"} in judged["attributes"][0].to_list()


def test_what_was_published_judges_another_board_without_training(fitted_judge, hub_here, tmp_path):
    weights, asked, _ = fitted_judge
    network = load(weights / "network", device="cpu")
    draft = draft_of(
        facts_of(
            network,
            tmp_path / "network",
            settings={"scope": "multi", "labels": "binary", "seed": 42, "lang": None},
        ),
        repo=REPO,
    )
    quiet = {"dry_run": False, "check": lambda files: None, "say": lambda line: None, "today": "2026-11-22"}
    publish(draft, Target(REPO, "model", tag="v1.0"), **quiet)
    commit = hub_here.tags(REPO, kind="model")["v1.0"]
    other = plain(asked)
    hub = judge_published({"d": Published(weights=REPO, revision=commit, adapter="truerate")}, other)
    folder = laid(
        {path: content for path, content in hub_here.files(REPO, kind="model").items()}, tmp_path / "copy"
    )
    here = judge_published({"d": Published(weights=str(folder))}, other)
    columns = ("target_id", "verdict", "p", "spans")
    assert hub.select(columns).equals(here.select(columns))
    joined = asked.join(here.select("target_id", found="spans"), on="target_id")
    parts = [shares(*row) for row in joined.select("text", "spans", "found").rows()]
    inside, outside = (np.concatenate([part[index] for part in parts]) for index in (0, 1))
    assert inside.mean() > outside.mean() + 0.4, "it learned towns, and these are new ones"
    item = other.row(1, named=True)
    marked = TokenDetector.from_pretrained(folder).mark(item["text"], item["knowledge"])
    assert here.filter(target_id=item["target_id"])["spans"][0].to_list() == marked


def test_a_published_detector_judges_with_the_threshold_that_it_chose_or_was_given(fitted_judge, tmp_path):
    weights, asked, _ = fitted_judge
    load(weights / "network", device="cpu").save(tmp_path / "d")
    other, settings = plain(asked), json.loads((tmp_path / "d/network.json").read_text())
    by_half = judge_published({"d": Published(weights=str(tmp_path / "d"))}, other)
    chosen = by_half["p"].max()  # above which nothing lies
    assert by_half["verdict"].to_list() == (by_half["p"] > 0.5).to_list()
    given = judge_published({"d": Published(weights=str(tmp_path / "d"), threshold=chosen)}, other)
    (tmp_path / "d/network.json").write_text(json.dumps({**settings, "threshold": chosen}))
    network.cache_clear()
    for judged in (given, judge_published({"d": Published(weights=str(tmp_path / "d"))}, other)):
        assert judged["p"].to_list() == by_half["p"].to_list()
        assert judged["verdict"].to_list() == (judged["p"] > chosen).to_list() != by_half["verdict"].to_list()
        values = {item["key"]: item["value"] for item in judged["attributes"][0].to_list()}
        assert float(values["threshold"]) == pytest.approx(chosen, abs=1e-6)


def test_a_reference_beyond_the_window_is_read_in_windows(fitted_judge):
    weights, asked, _ = fitted_judge
    row = asked.row(0, named=True)
    far = " ".join([*(f"The town of Number{k} was founded in 1{k:03}." for k in range(60)), row["knowledge"]])
    long = plain(asked[:1]).with_columns(knowledge=pl.lit(far))
    judged = judge_published({"d": Published(weights=str(weights))}, long)
    values = {item["key"]: item["value"] for item in judged["attributes"][0].to_list()}
    assert int(values["n_windows"]) > 3 and judged["status"][0] == "ok"


def test_a_folder_that_only_looks_like_one_is_one_line(tmp_path):
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "network.json").write_text("{}")
    with pytest.raises(TruerateError, match="damaged, download or copy it again") as raised:
        judge_published({"d": Published(weights=str(tmp_path))}, plain(responses(1)))
    assert "\n" not in str(raised.value)
