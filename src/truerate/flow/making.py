"""What starts the tools: `truerate build` DVC, `truerate make RULES TARGET` Snakemake for one stage.

Both end what they started when they are ended themselves, and say last what to do where it stopped. Lines of
DVC and of Snakemake follow what a command of a stage said, so a build says the cause once more at its end.
"""

import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from truerate.config.layout import Layout
from truerate.config.places import clear, made_by
from truerate.config.yaml_faults import settings_in
from truerate.core import parents, tools
from truerate.core.errors import SettingsError, listed, meant
from truerate.core.system_errors import FOLDERS, unwritable
from truerate.core.terminal import say

# Set by `truerate build`, which has the last word: the file in which commands of its stages leave why they ended.
BUILD = "TRUERATE_BUILD"
N_CAUSES = 3  # that a build says again; more follow from the first ones
FAILED = 255  # DVC's exit code where a stage failed; of every command of ours it is 2
GOES_ON = "it goes on from here, and no reply that came is paid twice"
AGAIN = f"see to what the lines above say, then run it again: {GOES_ON}"


def build(
    arguments: Sequence[str] = (),
    *,
    folder: str = ".",
    first: Sequence[str] = (),
    changed: Sequence[str] = (),
) -> int:
    """Have DVC build what is not up to date in a folder, by the Python of this process; its exit code, 2 where a
    stage failed. It ends when this process does.

    The stages `first` are built before the others, where no `arguments` name some: dvc.yaml does not hold that
    others rest on them (flow.learned). Sources that `changed` where DVC watches nothing are imported before all.
    """
    before: list[Sequence[str]] = []
    if changed:
        say(f"sources that changed since their import are imported again: {listed(changed)}")
        before += [["check"], ["--force", "--single-item", "sources"]]
    if first and not arguments:
        before.append(first)
    for stages in (*before, arguments):
        if code := _built(stages, folder):
            return code
    return 0


def check_stages(names: Sequence[str], at: Layout, file: str = "dvc.yaml") -> None:
    """Raise TruerateError, with what there is, for a name that is no stage of dvc.yaml, or `stage@board` of no board.
    Paths of what a stage writes, which DVC takes too, are left to it.
    """
    known = list(settings_in(file)["stages"])
    for name in names:
        stage, is_of_board, board = name.partition("@")
        if "/" in name or ":" in name or Path(name).exists():
            continue
        if stage not in known:
            hint = f"; its data set is `dataset@{name}`" if name in at.p.boards else meant(stage, known)
            raise SettingsError(f"stage {name!r} is not in {file}{hint}; there are: {listed(known)}")
        if is_of_board:
            at.p.board(board)


def _built(arguments: Sequence[str], folder: str) -> int:
    """The exit code of `dvc repro` with these arguments."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    command = tools.command_of("dvc", "repro", *arguments)
    with TemporaryDirectory(prefix="truerate-build-") as own:
        causes = Path(own, "causes")
        environment = os.environ | {BUILD: str(causes), "PATH": path}
        code = tools.run(command, cwd=folder, env=environment)
        told = (
            _causes(causes) or unwritable(*(os.path.normpath(f"{folder}/{one}") for one in FOLDERS))
            if code
            else []
        )
    if code == parents.INTERRUPTED:
        say(f"the build was interrupted; run it again: {GOES_ON}")
    elif code and told:
        say(f"the build stopped; mend what follows, then run it again: {GOES_ON}")
        for line in told:
            say(line)
    elif code:
        say(f"the build stopped; {AGAIN}")
    return 2 if code == FAILED else code


def leave_cause(why: str) -> None:
    """Leave why a command of a stage ended to the build that runs it; nothing outside of one."""
    place = Path(os.environ.get(BUILD, ""))
    if place.is_absolute():
        with suppress(OSError), place.open("a", encoding="utf-8") as file:  # on another host it is not there
            file.write(json.dumps(why) + "\n")


def _causes(place: Path) -> list[str]:
    """What commands left, each once, the first N_CAUSES."""
    lines = place.read_text("utf-8").splitlines() if place.is_file() else []
    return list(dict.fromkeys(json.loads(line) for line in lines))[:N_CAUSES]


def make(rules: str, target: str) -> int:
    """Have Snakemake make a target of a rules file anew; its exit code. It and its jobs end when this process
    or DVC does.
    """
    at = Layout.load()
    stage = made_by(at, target)
    if stage and stage.board and stage.name == "dataset":
        from truerate.flow.weights import refuse_absent

        refuse_absent(at, stage.board)
    if stage and os.path.isfile(rules):
        clear(at, stage)
    command = tools.command_of("snakemake", "-s", rules, target)
    if stage and stage.board:  # of the rules for steps, those of its track alone
        command += ["--config", f"track={at.p.board(stage.board).track}"]
    code = tools.run(command)
    if code:
        say_stopped()
    return code


def say_stopped() -> None:
    """Say what to do about a stage that stopped, where nobody says it of the build that runs it."""
    if parents.is_in_stage() and BUILD not in os.environ:
        say(f"stage {os.environ[parents.STAGE]!r} stopped; {AGAIN}")
