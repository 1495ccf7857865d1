"""A stage whose steps Snakemake runs: its code, and what it says last."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.warm import warm
from truerate.config.layout import Layout
from truerate.core.errors import TruerateError
from truerate.pipeline import causes
from truerate.pipeline.run_tools import build, check_stages

ROOT = Path(__file__).parents[2]
RULES = 'rule made:\n    output: "made"\n    shell: "touch made"\nrule not_made:\n    output: "not-made"\n    shell: "exit 2"\n'


def here() -> dict[str, str]:
    """The environment of commands of this checkout, run by processes that have imported their packages already."""
    path = f"{warm().folder}{os.pathsep}{os.environ['PATH']}"
    return os.environ | {"PYTHONPATH": str(ROOT / "src"), "PATH": path}


def make(folder: Path, target: str, **environment: str) -> subprocess.CompletedProcess:
    (folder / "x.smk").write_text(RULES)
    shutil.copy(ROOT / "params.yaml", folder)
    own = here() | environment
    command = [warm().python, "-m", "truerate", "make", "x.smk", target]
    (folder / "profiles").mkdir(exist_ok=True)
    if not (folder / "profiles/default").exists():
        (folder / "profiles/default").symlink_to(ROOT / "profiles/default")
    return subprocess.run(command, cwd=folder, env=own, capture_output=True, text=True, timeout=60)


def test_what_others_rest_on_without_saying_so_is_built_first(tmp_path, monkeypatch):
    """dvc.yaml holds no edge between the two, and the one that needs the other comes first in it."""
    monkeypatch.setenv("DVC_NO_ANALYTICS", "1")
    stages = {"judge": "test -f learned && touch judged", "train": "touch learned"}
    text = "".join(f"  {name}: {{cmd: {cmd}, outs: [{cmd.split()[-1]}]}}\n" for name, cmd in stages.items())
    (tmp_path / "dvc.yaml").write_text(f"stages:\n{text}")
    subprocess.run([warm().python, "-m", "dvc", "init", "--no-scm", "-q"], cwd=tmp_path, check=True)
    assert build(folder=str(tmp_path), first=["train"]) == 0
    assert (tmp_path / "judged").is_file()
    assert build(["train"], folder=str(tmp_path), first=["lost"]) == 0


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nope", "stage 'nope' is not in dvc.yaml; there are: annotate, audit, "),
        ("leaderbord", "; did you mean 'leaderboard'?; there are: "),
        ("halueval-closed-world", "; its data set is `dataset@halueval-closed-world`; there are: "),
        ("dataset@nope", "board 'nope' is not declared in params.yaml; declared: "),
    ],
)
def test_a_name_that_is_no_stage_is_one_line(monkeypatch, name, said):
    monkeypatch.chdir(ROOT)
    with pytest.raises(TruerateError) as refused:
        check_stages([name], Layout.load())
    assert said in str(refused.value) and "\n" not in str(refused.value)


def test_stages_of_dvc_and_paths_of_what_they_write_are_left_to_it(monkeypatch):
    monkeypatch.chdir(ROOT)
    check_stages(["sources", "score@mfava-closed-world", "data/leaderboard", "metrics"], Layout.load())


def built(folder: Path) -> subprocess.CompletedProcess:
    """A build of the stage `made` of a folder's dvc.yaml, in a process of its own."""
    own = here() | {"DVC_NO_ANALYTICS": "1"}
    subprocess.run([warm().python, "-m", "dvc", "init", "--no-scm", "-q"], cwd=folder, check=True)
    code = "import sys; from truerate.pipeline.run_tools import build; sys.exit(build(['made']))"
    command = [warm().python, "-c", code]
    return subprocess.run(command, cwd=folder, env=own, capture_output=True, text=True, timeout=60)


def test_what_is_made_is_made_without_a_word_more(tmp_path):
    done = make(tmp_path, "made")
    assert done.returncode == 0 and (tmp_path / "made").is_file() and "truerate:" not in done.stderr


def test_the_last_line_of_a_stage_that_stopped_says_what_to_do(tmp_path):
    done = make(tmp_path, "not-made", DVC_STAGE="dataset@x")
    last = done.stderr.splitlines()[-1]
    assert done.returncode == 1 and last.startswith("truerate: stage 'dataset@x' stopped")
    assert "run it again" in last and "no reply that came is paid twice" in last


def test_the_build_that_runs_a_stage_has_the_last_word(tmp_path):
    """DVC's own lines come after those of the stage, so who started DVC says what to do, once."""
    (tmp_path / "dvc.yaml").write_text("stages: {made: {cmd: python -m truerate boards, outs: [made]}}")
    done = built(tmp_path)
    *above, before, last = done.stderr.splitlines()
    assert done.returncode == 2 and before.startswith("truerate: the build stopped; mend what follows")
    assert "no reply that came is paid twice" in before
    assert last.startswith("truerate: ") and "params.yaml" in last
    assert last in above and above[-1] != last, "DVC says more behind the cause"
    assert "Traceback" not in done.stderr and (done.stdout + done.stderr).count("paid twice") == 1


def test_a_build_whose_stage_left_no_cause_points_at_the_lines_above(tmp_path):
    (tmp_path / "dvc.yaml").write_text("stages: {made: {cmd: exit 3, outs: [made]}}")
    done = built(tmp_path)
    assert done.stderr.splitlines()[-1].startswith("truerate: the build stopped; see to what the lines above")


def test_causes_are_said_once_each_and_the_first_few(tmp_path, monkeypatch):
    monkeypatch.setenv(causes.BUILD, str(tmp_path / "causes"))
    for why in ("a", "b\nb", "a", "c", "d"):
        causes.leave_cause(why)
    assert causes.causes_in(tmp_path / "causes") == ["a", "b\nb", "c"]
    monkeypatch.setenv(causes.BUILD, "1")  # a build that reads what its stages print
    causes.leave_cause("a")
    monkeypatch.setenv(causes.BUILD, str(tmp_path / "none" / "causes"))
    causes.leave_cause("a")
