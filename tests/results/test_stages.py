"""The stages of boards of public files: one per board, and the steps of four boards in this process."""

import json
from pathlib import Path

import pytest
import yaml
from house import ROOT

from truerate.config.layout import Layout
from truerate.core.schemas import Outcome, Score, load
from truerate.pipeline import dataset, detect, evaluate, sources
from truerate.results.sets import boards_in
from truerate.results.stages import STEPS, joined
from truerate.results.work_folder import declare

PIPELINE = yaml.safe_load((ROOT / "dvc.yaml").read_text("utf-8"))


def outs(stage):
    """The outs of a stage, with a board's source under the board's own name, as `real` declares it."""
    places = [next(iter(out)) if isinstance(out, dict) else out for out in stage.get("do", stage)["outs"]]
    return {"${paths.sources}/${key}" if out == "${paths.sources}" else out for out in places}


def test_one_stage_writes_what_the_stages_of_a_board_write():
    stages = joined(PIPELINE)["stages"]
    assert list(stages) == ["check", "board", "leaderboard", "site"], (
        "check, and what follows the boards, stay"
    )
    assert outs(stages["board"]) == set().union(*(outs(PIPELINE["stages"][name]) for name in STEPS))


def test_it_watches_their_code_and_none_of_its_own_outs():
    deps = joined(PIPELINE)["stages"]["board"]["do"]["deps"]
    code = {
        dep
        for name in STEPS
        for dep in (PIPELINE["stages"][name].get("do") or PIPELINE["stages"][name])["deps"]
        if dep.startswith(("src/", "rules/"))
    }
    assert code <= set(deps) and len(deps) == len(set(deps))
    assert not any(
        dep.startswith("${paths.") and "/settings/" not in dep for dep in deps if ".digest" not in dep
    )
    assert "${paths.inputs}/${key}.digest" in deps and "${paths.build}/settings/sources.json" not in deps, (
        "another set that is found, or a file of it that changes, makes no other board again"
    )


# ---- Boards of labelled replies out of public files: the steps of a board in this process, on made-up sets

ROOT = Path(__file__).parents[2]
NAMES = ("faithjudge", "ragtruth", "faithbench", "evouna")
JUDGED = "vectara__FaithJudge"


def _verdicts(model: str, task: str, labels: list[str]) -> dict[str, str]:
    rows = [
        {"task": task, "source_id": str(n), "candidate_text": "", "prompt": "", "evaluation_response": ""}
        | {"classification": label}
        for n, label in enumerate(labels)
    ]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    return {f"{JUDGED}/eval_results/acme/{model}/{task}_hallucination_eval.txt": lines}


def _sets() -> dict[str, str]:
    """The files of four sets, a few rows each."""
    answers = [{"response": "A river.", "model": name, "labels": []} for name in "ab"]
    sliced = [{"source_id": n, "source": f"Town {n} has a river.", "responses": answers} for n in range(4)]
    summaries = [
        {
            "sample_id": 2 * n + k,
            "source": f"Town {'xyz'[n]} has a river.",
            "summary": " A river.",
            "annotations": [],
        }
        | {"metadata": {"summarizer": "ab"[k], "hhem-2.1": 0.3 + 0.4 * k}}
        for n in range(3)
        for k in range(2)
    ]
    questions = [
        {"question": f"Where is {n}?", "golden_answer": "Oster", "improper": False}
        | {"answer_fid": "In Oster.", "judge_fid": True, "answer_gpt4": "In Lund.", "judge_gpt4": n > 2}
        for n in range(4)
    ]
    return {
        **_verdicts("one", "ragtruth-qa", ["Consistent"] * 6),
        **_verdicts("two", "ragtruth-qa", ["Inconsistent"] * 6),
        f"{JUDGED}/eval_data/ragtruth_summary.jsonl": "".join(json.dumps(row) + "\n" for row in sliced),
        "vectara__FaithBench/data_for_release/batch_1.json": json.dumps({"samples": summaries}),
        "wangcunxiang__QA-Eval/EVOUNA/TQ.json": json.dumps(questions),
    }


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The layout of a work folder in which the four boards were scored."""
    data, work = (tmp_path_factory.mktemp(name) for name in ("public", "work"))
    for name, text in _sets().items():
        (data / name).parent.mkdir(parents=True, exist_ok=True)
        (data / name).write_text(text, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        declare(work, boards_in(Layout.load("params.yaml"), data), data)
        params = yaml.safe_load((work / "params.yaml").read_text("utf-8"))
        params["statistics"]["n_bootstrap"] = 100
        (work / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False), "utf-8")
        (work / "src").symlink_to(ROOT / "src")
        patch.chdir(work)
        at = Layout.load("params.yaml")
        for board in NAMES:
            sources.import_source(at, board)
            dataset.export(at, board, at.dataset(board, "card.json"), [])
            for step in (evaluate.label, detect.train, detect.judge, evaluate.audit, evaluate.score):
                step(at, board)
        yield at


def _rates(config: Layout, board: str) -> dict[str, float]:
    scores = load(Score, config.scores(board, "scores")).filter(metric="hallucination_rate")
    whole = scores.filter(scores["slice"].list.len() == 0)
    return dict(whole.select("subject", "value").iter_rows())


def test_four_sets_are_boards_of_their_own(built):
    assert _rates(built, "faithjudge") == {"one": 0.0, "two": 1.0}
    assert _rates(built, "ragtruth") == {"a": 0.0, "b": 0.0}
    assert _rates(built, "faithbench") == {"a": 0.0, "b": 0.0}
    assert _rates(built, "evouna") == {"FiD": 0.0, "GPT-4": 0.75}


def test_shortcuts_are_not_held_against_their_labels(built):
    assert all(load(Score, built.audit(board)).is_empty() for board in NAMES)


def test_the_units_that_ranks_rest_on_bear_the_publishers_names(built):
    outcomes = load(Outcome, built.scores("faithjudge", "outcomes"))
    assert sorted(outcomes["unit_id"].unique()) == [f"ragtruth-qa/{n}" for n in range(6)]
    assert outcomes["cluster_id"].n_unique() == 6
