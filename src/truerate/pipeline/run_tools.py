"""What starts the tools: `truerate build` DVC, `truerate make RULES TARGET` the jobs of one stage.

Both end what they started when they are ended themselves, and say last what to do where it stopped. Lines of
DVC and of Snakemake follow what a command of a stage said, so a build says the cause once more at its end.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from truerate.config.faults import settings_in
from truerate.config.layout import Layout
from truerate.config.places import clear, made_by
from truerate.core.errors import SettingsError, listed, meant
from truerate.core.process import parents, repro, tools
from truerate.core.process.system_errors import FOLDERS, unwritable
from truerate.core.process.terminal import say
from truerate.pipeline.causes import BUILD, GOES_ON, HOW_TO_RERUN, causes_in, say_stopped

FAILED = 255  # DVC's exit code where a stage failed; of every command of ours it is 2


def build(
    arguments: Sequence[str] = (),
    *,
    folder: str = ".",
    first: Sequence[str] = (),
    changed: Sequence[str] = (),
    python: str | None = None,
) -> int:
    """Run `dvc repro` in a folder by this Python; its exit code, 2 if a stage failed. Without `arguments` the
    stages `first` are built before the others (pipeline.trained_elsewhere), and `changed` sources that DVC
    does not watch are imported. `python` is the folder of the one that stages start, this one's if None.
    """
    before: list[Sequence[str]] = []
    if changed:
        say(f"sources that changed since their import are imported again: {listed(changed)}")
        before += [["check"], ["--force", "--single-item", "sources"]]
    if first and not arguments:
        before.append(first)
    for stages in (*before, arguments):
        if code := _built(stages, folder, python):
            return code
    return 0


def check_stages(names: Sequence[str], config: Layout) -> None:
    """Raise TruerateError for a name that is no stage or `stage@board`; paths of outputs are left to DVC."""
    stages = list(settings_in("dvc.yaml")["stages"])
    for name in names:
        stage, is_of_board, board = name.partition("@")
        if "/" in name or ":" in name or Path(name).exists():
            continue
        if stage not in stages:
            hint = f"; its data set is `dataset@{name}`" if name in config.p.boards else meant(stage, stages)
            raise SettingsError(f"stage {name!r} is not in dvc.yaml{hint}; there are: {listed(stages)}")
        if is_of_board:
            config.p.board(board)


def _built(arguments: Sequence[str], folder: str, python: str | None) -> int:
    """The exit code of `dvc repro` with these arguments."""
    folders = [python, str(Path(sys.executable).parent), os.environ.get("PATH", "")]
    command = tools.command_of(repro.__name__, *arguments)
    with TemporaryDirectory(prefix="truerate-build-") as scratch:
        causes = Path(scratch, "causes")
        environment = os.environ | {BUILD: str(causes), "PATH": os.pathsep.join(filter(None, folders))}
        code = tools.run(command, cwd=folder, env=environment)
        reasons = (
            causes_in(causes)
            or unwritable(*(os.path.normpath(f"{folder}/{path_written}") for path_written in FOLDERS))
            if code
            else []
        )
    if code == parents.INTERRUPTED:
        say(f"the build was interrupted; run it again: {GOES_ON}")
    elif code and reasons:
        say(f"the build stopped; mend what follows, then run it again: {GOES_ON}")
        for line in reasons:
            say(line)
    elif code:
        say(f"the build stopped; {HOW_TO_RERUN}")
    return 2 if code == FAILED else code


def make(rules: str, target: str) -> int:
    """Make a target of a rules file anew, by forks or by Snakemake (`local_jobs`); returns an exit code."""
    config = Layout.load()
    stage = made_by(config, target) if os.path.isfile(rules) else None
    if stage and stage.name == "dataset" and stage.board:
        from truerate.pipeline.checks.weights import refuse_absent

        refuse_absent(config, stage.board)
    if stage:
        clear(config, stage)
    code = None
    if stage:
        from truerate.pipeline.local_jobs import jobs_of, n_local_jobs, run_jobs

        jobs = jobs_of(config, stage)
        code = None if (n_at_once := n_local_jobs()) is None else run_jobs(jobs, n_at_once)
    if code is None:
        command = tools.command_of("snakemake", "-s", rules, target)
        if stage and stage.board:  # of the rules for steps, those of its track alone
            command += ["--config", f"track={config.p.board(stage.board).track}"]
        code = tools.run(command)
    if code:
        say_stopped()
    return code
