"""A stage whose steps Snakemake runs: its code, and what it says last."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
RULES = 'rule made:\n    output: "made"\n    shell: "touch made"\nrule not_made:\n    output: "not-made"\n    shell: "exit 2"\n'


def make(folder: Path, target: str, **environment: str) -> subprocess.CompletedProcess:
    (folder / "x.smk").write_text(RULES)
    shutil.copy(ROOT / "params.yaml", folder)
    own = os.environ | {"PYTHONPATH": str(ROOT / "src")} | environment
    command = [sys.executable, "-m", "truerate", "make", "x.smk", target]
    (folder / "profiles").mkdir(exist_ok=True)
    if not (folder / "profiles/default").exists():
        (folder / "profiles/default").symlink_to(ROOT / "profiles/default")
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
    own = {"PYTHONPATH": str(ROOT / "src"), "DVC_NO_ANALYTICS": "1"}
    (tmp_path / "dvc.yaml").write_text("stages: {made: {cmd: python -m truerate boards, outs: [made]}}")
    subprocess.run([sys.executable, "-m", "dvc", "init", "--no-scm", "-q"], cwd=tmp_path, check=True)
    code = "import sys; from truerate.flow.making import build; sys.exit(build(['made']))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=os.environ | own,
        capture_output=True,
        text=True,
        timeout=60,
    )
    *above, last = done.stderr.splitlines()
    assert (
        done.returncode == 2
        and last.startswith("truerate: the build stopped; ")
        and "no reply that came is paid twice" in last
    )
    assert any("params.yaml" in line for line in above) and "Traceback" not in done.stderr
    assert (done.stdout + done.stderr).count("paid twice") == 1
