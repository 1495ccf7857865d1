"""An author's first real run: raw files in their published layouts, two models with the manners of real ones, and
every reply accounted for as what its model meant.
"""

import json
import zlib
from collections import Counter
from dataclasses import dataclass
from subprocess import CompletedProcess

import polars as pl
import pytest
from house import House, move_in

from tests.manners import OPEN, REFUSALS, TEXTS, VERDICTS, Author, Told, asked
from tests.raw_files import lay_out
from tests.stub import serving
from truerate.core.schemas import pair
from truerate.llm.store.responses import Store

BOARD = "halueval-raw"
SIZES = {"qa": 6, "dialogue": 6, "summarization": 4, "general": 4, "general_pool": 6}
FAILED = {name: "refusal" for name in REFUSALS} | {
    "thought cut": "dead",
    "right restated": "right-restated",
    "right again": "same_as_right",
    "acknowledges": "no-answer",
}
FACTS = ("task", "scheme", "variant", "stage", "attempt", "reasked", "verdict", "choice", "first", "position")
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("first-run")]


@dataclass(frozen=True)
class Run:
    """A board that was probed and built: its house, the model, its prompts by the key of their request, the
    probe, and which prompts were asked by then.
    """

    house: House
    author: Author
    prompts: dict[str, str]
    probe: CompletedProcess
    probed: frozenset[str]

    def told(self, key: str) -> Told:
        return self.author.told[self.prompts[key]]

    def table(self, name: str) -> pl.DataFrame:
        return self.house.table(f"data/datasets/{BOARD}/{name}.parquet")

    def replies(self, *purposes: str) -> list[tuple[dict, Told]]:
        """The Generation rows of some purposes, with the facts of each, beside what its model meant."""
        rows = self.table("generations").filter(pl.col("purpose").is_in(purposes))
        rows = rows.with_columns(*(pair("attributes", name).alias(name) for name in FACTS))
        return [(row, self.told(row["prompt_key"])) for row in rows.iter_rows(named=True)]

    def scores(self, metric: str) -> list[tuple[str, dict, float]]:
        rows = self.house.table(f"data/scores/{BOARD}/scores.parquet").filter(metric=metric)
        return [
            (row["subject"], {one["key"]: one["value"] for one in row["slice"]}, row["value"])
            for row in rows.iter_rows(named=True)
        ]


def settings(params: dict, address: str) -> None:
    """What the guide writes into params.yaml, and that board alone."""
    both = ["writer", "reader"]
    roles = {"dataset_generator": "writer", "filter_judge": "writer", "responder": "writer"}
    params["sources"] = {"raw": {"reader": "seed_files", "path": "inputs/raw", "split": "validation"}}
    params["endpoints"]["mine"] = {"base_url": address, "api_key_env": "MY_KEY", "concurrency": 8}
    for name in both:
        params["models"][name] = {"endpoint": "mine", "model": f"my-org/{name}", "family": name}
    params["boards"] = {
        BOARD: {
            "track": "halueval",
            "source": "raw",
            "title": "HaluEval from raw files",
            "settings": {"generators": both, "subjects": both, **roles},
            "sizes": SIZES,
        }
    }
    params["detectors"]["baselines"] |= {"members": ["always", "length"], "only": {}}


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Run:
    """The probe of one model, then the build."""
    house = move_in(tmp_path_factory.mktemp("first") / "truerate")
    lay_out(house.folder / "inputs/raw")
    author = Author()
    with serving(author) as address:
        house.edit(lambda params: settings(params, address))
        key = {"MY_KEY": "the-key-of-my-server", "NO_COLOR": "1"}
        house.run("truerate", "build", "sources", **key)
        probe = house.run("truerate", "probe", "writer", "--json", check=False, **key)
        probed = frozenset(author.told)
        house.run("truerate", "build", "leaderboard", **key)
    return Run(house, author, prompts(house), probe, probed)


def prompts(house: House) -> dict[str, str]:
    """What each reply in the store followed from, by the key of its request."""
    with Store(house.folder.parent / "store.sqlite", is_read_only=True) as store:
        kept = store.query("SELECT key, request FROM response UNION ALL SELECT key, request FROM dead")
        requests = {key.hex(): json.loads(zlib.decompress(request)) for key, request in kept}
    return {
        key: asked(one["identity"], one["messages"], one["params"].get("seed"))
        for key, one in requests.items()
    }


def test_every_manner_was_met(run):
    met = {(one.kind, one.manner) for one in run.author.told.values()}
    assert len({manner for kind, manner in met if kind == "sample"}) > 0.8 * len(TEXTS)
    assert {manner for kind, manner in met if kind == "verdict"} == {*VERDICTS, *OPEN}


def test_a_sample_is_the_very_text_that_was_meant(run):
    samples = run.table("samples").filter("is_hallucinated")
    meant = {row["generation_id"]: told.meant for row, told in run.replies("sample")}
    texts = samples.select(pair("attributes", "candidate"), "text").rows()
    assert texts and [text for _, text in texts] == [meant[candidate] for candidate, _ in texts]
    marks = (
        "#",
        "**",
        "<think",
        "Sure",
        "follows",
        "“",
        "Explanation",
        "hallucinated",
        "false",
        "falsch",
        "Refused",
    )
    assert not [text for _, text in texts for mark in marks if mark in text]


def test_failures_of_candidates_are_those_of_the_model_by_reason(run):
    expected, n_of = Counter(), Counter()
    for row, told in run.replies("sample"):
        place = (row["model"], row["task"])
        n_of[place] += 1
        if told.manner in FAILED:
            expected[*place, FAILED[told.manner]] += 1
            expected[*place, None] += 1
    scored = {
        (model, where["task"], where.get("reason")): value
        for model, where, value in run.scores("candidate_failure_rate")
        if where.keys() <= {"task", "reason"}
    }
    assert {place: round(value * n_of[place[:2]], 3) for place, value in scored.items() if value} == expected
    assert {place[2] for place in expected} == {*FAILED.values(), None}


def test_every_reply_has_one_outcome_and_none_was_asked_twice(run):
    counts = run.table("counts")
    outcomes = pl.sum_horizontal("n_ok", "n_dead", "n_abstained", "n_unparsed")
    assert counts.filter(pl.col("n_in") != outcomes).is_empty()
    assert counts["n_in"].sum() == run.table("generations").height > 330
    again = counts.filter(pair("slice", "attempt") == "2")
    assert (
        again["n_in"].sum() == sum(row["attempt"] == "2" for row, _ in run.replies("recognise", "filter")) > 0
    )
    first = [row for row, _ in run.replies("recognise", "filter") if row["attempt"] is None]
    hedged = [row for row in first if run.told(row["prompt_key"]).manner.startswith("hedges")]
    assert sum(row["reasked"] == "yes" for row in first) == len(hedged) == again["n_in"].sum()
    assert run.author.stats()["most_per_prompt"] == 1


def test_no_verdict_is_turned_invented_or_lost(run):
    kinds = set()
    for row, told in run.replies("recognise", "filter"):
        if row["purpose"] == "recognise" and row["variant"] != "contrast":
            assert row["verdict"] == told.meant, (row["text"], told)
        else:
            place = row["position"]
            if row["variant"] == "contrast" and row["choice"] is not None:
                place = "1" if row["choice"] == row["first"] else "2"
            assert place == told.meant, (row["text"], told)
        assert row["status"] == ("dead" if told.is_cut else "ok" if told.meant else "unparsed")
        kinds.add(told.kind)
    assert kinds == {"verdict", "chain of thought", "contrast", "filter"}


def test_the_unparsed_share_is_what_stayed_open_after_asking_again(run):
    is_open: dict[tuple, list[bool]] = {}
    for row, told in run.replies("recognise"):
        if row["reasked"] is None and row["stage"] is None:
            is_open.setdefault((row["model"], row["task"], row["variant"]), []).append(told.meant is None)
    scored = {
        (model, where["task"], where["variant"]): value
        for model, where, value in run.scores("unparsed_rate")
        if where.keys() == {"task", "variant"} and model in ("writer", "reader")
    }
    shares = {place: pytest.approx(sum(held) / len(held), abs=1e-6) for place, held in is_open.items()}
    assert {place: value for place, value in shares.items() if place[1] != "general"} == {
        place: value for place, value in scored.items() if place[1] != "general"
    }
    assert any(scored.values())


def test_a_rewritten_text_is_the_one_that_was_meant_or_an_abstention(run):
    replies = run.replies("refine")
    for row, told in replies:
        is_refusal = told.manner == "refuses"
        assert (row["status"], row["text"] == told.meant) == (
            ("abstained", False) if is_refusal else ("ok", True)
        )
    assert {row["status"] for row, _ in replies} == {"ok", "abstained"}


def test_the_probe_names_what_the_model_does_badly(run):
    assert run.probe.returncode == 1
    advice = "\n".join(json.loads(run.probe.stdout)["advice"])
    assert "sample" in advice and "the model declines" in advice and "cannot be used (" in advice
    assert "recognise" in advice and "nothing could be read (ambiguous)" in advice
    assert "thought took all 1024 tokens" in advice and "`tracks.halueval.recognition.max_tokens`" in advice


def test_the_build_paid_nothing_for_what_was_probed(run):
    replies = json.loads(run.probe.stdout)["replies"]
    assert not any(one["is_stored"] for one in replies)
    found = {key for key in run.table("generations")["prompt_key"] if run.prompts[key] in run.probed}
    # some texts are chosen by replies that the probe assumed: the build chooses others
    assert len(found) > 0.75 * sum(one["is_own_prompt"] for one in replies) > 50
    assert run.author.stats()["most_per_prompt"] == 1
