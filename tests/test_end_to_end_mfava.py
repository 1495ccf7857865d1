"""A tiny run of mFAVA by the real commands: translate-train, silver and gold, detectors, rates beside the planted ones, a page."""

import json
import shutil

import polars as pl
import pytest
from house import CALLS, House, claims_no_certainty, copied, lines_of_error
from published import loaded, publish, read_back, running

from tests.warm import anew
from truerate.core.schemas import pair

BOARD = "mfava-closed-world"
OWN = ("labels-alone", "ppi", "prediction-powered")  # estimators by labels of the very replies
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("built-mfava")]


@pytest.fixture(scope="module")
def house(tmp_path_factory, built_mfava) -> House:
    return copied(built_mfava, tmp_path_factory.mktemp("copy"))


def scores(house: House, metric: str) -> pl.DataFrame:
    found = house.table(f"data/scores/{BOARD}/scores.parquet").filter(pl.col("metric") == metric)
    return found.with_columns(
        *(pair("slice", key) for key in ("lang", "estimator", "calibration", "against", "replies"))
    )


def test_the_page_and_every_part_of_the_data_are_built(house):
    page = (house.folder / f"build/site/boards/{BOARD}.html").read_text("utf-8")
    assert 'id="heat-map"' in page and "aster" in page
    samples = house.table(f"data/labels/{BOARD}/samples.parquet")
    parts = set(samples.select("task", "label_source", "lang").iter_rows())
    wanted = {
        ("train", "silver"),
        ("held-out", "silver"),
        ("silver", "silver"),
        ("silver", "gold"),
        ("wild", "gold"),
    }
    assert parts == {(*part, lang) for part in wanted for lang in ("en", "zh")}


def test_no_interval_claims_certainty(house):
    assert claims_no_certainty(house.table("data/leaderboard/rows.parquet"))


def test_no_prompt_was_strange_to_the_models(house):
    assert "unrecognised" not in house.tasks_of_calls() and len(house.tasks_of_calls()) >= 6


def test_every_reply_has_one_outcome_and_every_rejected_row_a_reason(house):
    counts, generations = (
        house.table(f"data/datasets/{BOARD}/{name}.parquet") for name in ("counts", "generations")
    )
    assert counts["n_in"].sum() == generations.height > 0
    assert house.table(f"data/datasets/{BOARD}/rejects.parquet")["reason"].null_count() == 0


def test_no_detector_learned_from_what_it_judges(house):
    samples = house.table(f"data/labels/{BOARD}/samples.parquet")
    taught = set(samples.filter(pl.col("task") == "train")["group_id"])
    judged = set(house.table(f"data/judgements/{BOARD}/tokens.parquet")["target_id"])
    asked = samples.filter(pl.col("sample_id").is_in(judged))
    assert {"held-out", "silver"} <= set(asked["task"]) and not taught & set(asked["group_id"])


def test_the_seeds_of_the_subsets_are_apart(house):
    generations = house.table(f"data/datasets/{BOARD}/generations.parquet").filter(
        pl.col("purpose") == "answer"
    )
    known = generations.with_columns(pair("attributes", "subset"), pair("attributes", "subset_seed"))
    assert known.group_by("item_id").agg(pl.col("subset").n_unique())["subset"].max() == 1
    assert set(known.select("subset", "subset_seed").unique()["subset_seed"]) <= {
        "42",
        "43",
        "44",
        "47",
        "49",
    }
    assert known.select("subset", "subset_seed").unique().height == known["subset"].n_unique() > 1


def test_estimates_stand_beside_what_was_planted(house):
    found = scores(house, "hallucination_rate")
    assert {"raw", "hr_est", "rogan-gladen", *OWN} <= set(found["estimator"])
    by_texts = found.filter(pl.col("estimator").is_in(["hr_est", "rogan-gladen"]))
    assert set(by_texts["calibration"]) == {"silver", "gold", "natural"}
    assert set(found.filter(pl.col("estimator").is_in(OWN))["calibration"]) == {"natural"}
    headline = found.filter(pl.col("estimator") == "prediction-powered", pl.col("replies") == "all")
    assert set(headline["lang"]) == {"en", "zh", "all"} and not headline["value"].has_nulls()
    truth = house.table(f"data/truth/{BOARD}.parquet").filter(pl.col("metric") == "hallucination_rate")
    assert set(truth["subject"]) == {"aster", "elm"} and truth["value"].is_between(0, 1).all()


def test_models_are_ranked_by_the_headline_alone(house):
    rows = house.table("data/leaderboard/rows.parquet").with_columns(estimator=pair("slice", "estimator"))
    ranked = rows.filter(pl.col("table") == "rates", pl.col("rank_low").is_not_null())
    assert set(ranked["estimator"]) == {"prediction-powered"} and set(ranked["subject"]) == {"aster", "elm"}


def test_baselines_stand_beside_the_networks(house):
    for against in ("held-out", "silver"):
        f1 = scores(house, "token_f1").filter((pl.col("lang") == "all") & (pl.col("against") == against))
        assert {"mark-all", "mark-none", "token-lr", "tiny-prefix"} == set(f1["subject"])


def test_a_text_of_ones_own_is_checked(house):
    (house.folder / "reference.txt").write_text(
        "The town of Aldor was founded in 1204. It lies on the River Mal.", "utf-8"
    )
    (house.folder / "answer.txt").write_text("Aldor was founded in 1893.", "utf-8")
    done = house.run(
        "truerate",
        "check",
        "--reference",
        "reference.txt",
        "--answer",
        "answer.txt",
        "--detector",
        "token-lr",
        "--json",
    )
    assert '"spans"' in done.stdout


MARKED = """
import json, sys
from truerate.detectors.tokens.pretrained import TokenDetector
detector = TokenDetector.from_pretrained(sys.argv[1], revision=sys.argv[2] or None)
logits = detector.logits(["Aldor was founded in 1893.", "It lies on the Mal."], "Aldor was founded in 1204.")
print(json.dumps([one.tolist() for one in logits]))
"""


@pytest.mark.proof
def test_the_board_and_its_network_are_published_and_load(house, tmp_path):
    trained = house.folder / f"data/detectors/{BOARD}/tokens/tiny-prefix/multi-binary-42/network"
    with running(tmp_path) as hub:
        publish(house, hub, BOARD, "--to", "org/mfava", "--tag", "v1.0")
        rows = loaded(hub, "org/mfava", "v1.0")
        assert {"train", "held-out", "silver", "wild", "documents"} <= set(rows)
        publish(house, hub, "tiny-prefix", "--to", "org/detector", "--tag", "v1.0")
        card = hub.files("org/detector", "v1.0", "model")["README.md"].decode("utf-8")
        assert "mark-all" in card and "pipeline_tag: token-classification" in card
        there, here = (
            hub.run(MARKED, *place).stdout for place in (("org/detector", "v1.0"), (str(trained), ""))
        )
        assert there == here and len(json.loads(there)) == 2
        unknown = publish(house, hub, "tiny-prefixx", "--to", "org/detector", check=False)
        assert unknown.returncode == 2 and f"tiny-prefix@{BOARD}" in unknown.stderr
        assert len(lines_of_error(unknown)) == 1


@pytest.mark.proof
def test_what_is_published_gives_the_same_scores_of_detection(house, tmp_path, monkeypatch):
    """The labelled passages and replies come back. Replies without a label do not, nor what each annotator said: rates
    of models and agreement stand in the published scores alone.
    """
    rules = {"tracks": ["mfava"], "members": ["mark-all", "mark-none", "token-lr"]}
    own = {
        "detectors": {"tokens": rules},
        "detector": {"member": "token-lr", "scope": "multi", "labels": "binary"},
    }
    first, again = read_back(house, BOARD, tmp_path, monkeypatch, **own)
    of_detection = {
        "token_f1",
        "token_precision",
        "token_recall",
        "token_fpr",
        "token_auroc",
        "iou",
        "spearman",
    }
    of_detection |= {"token_recall_by_type", "span_rate", "n_spans", "n_texts", "hallucinated_token_rate"}
    wanted = {
        key: value for key, value in first.items() if key[0] in of_detection and key[1] != "tiny-prefix"
    }
    assert {key: again.get(key) for key in wanted} == wanted and {
        metric for metric, *_ in wanted
    } == of_detection
    assert not [key for key in again if key[0] == "hallucination_rate"]


@pytest.mark.proof
def test_data_deleted_come_back_byte_for_byte_without_a_call(house):
    made = [
        f"data/{part}" for part in ("sources", "datasets", "annotations", "labels", "detectors", "judgements")
    ]
    before, calls = house.bytes_under(*made), (house.folder / CALLS).read_bytes()
    for folder in ("data", ".dvc/cache", f"build/{BOARD}"):
        shutil.rmtree(house.folder / folder)
    anew()  # where strings are hashed otherwise
    house.run("dvc", "repro", "--no-run-cache", f"judge@{BOARD}")
    assert house.bytes_under(*made) == before
    assert (house.folder / CALLS).read_bytes() == calls
