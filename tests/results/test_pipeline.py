"""The stages of a board of public files as one: it writes what they write, and watches what they watch."""

import yaml
from house import ROOT

from truerate.results.stages import STEPS, joined

PIPELINE = yaml.safe_load((ROOT / "dvc.yaml").read_text("utf-8"))


def outs(stage):
    """The outs of a stage, with a board's source under the board's own name, as `real` declares it."""
    places = [next(iter(out)) if isinstance(out, dict) else out for out in stage.get("do", stage)["outs"]]
    return {"${paths.sources}/${key}" if place == "${paths.sources}" else place for place in places}


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
