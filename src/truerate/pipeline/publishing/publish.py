"""`truerate publish`: a board or a trained detector, put on the Hub in one commit once checks pass."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from truerate.config.layout import Layout
from truerate.config.stage_settings import stages
from truerate.core.errors import TruerateError, listed
from truerate.core.process.terminal import announced_wait, say
from truerate.core.schemas import Sample, load
from truerate.hub import push
from truerate.hub.plan import refuse_names
from truerate.hub.provenance.envelope import KEY, private_key
from truerate.hub.release import Draft, Files, Target
from truerate.hub.scan import refuse, scan
from truerate.pipeline.judges.judging import is_judge, judges_of, trained_judge
from truerate.pipeline.publishing.author import say_open_questions, with_author
from truerate.pipeline.publishing.board_facts import audit_of
from truerate.pipeline.publishing.release import (
    attested,
    board_draft,
    detector_draft,
    judge_draft,
    site_draft,
)
from truerate.pipeline.trained import members_of, trained

PAGES = "site"  # the stage that makes nothing which goes out with a board; its pages go out under this name

UNSIGNED = (
    f"{KEY} names no key: the statement of this release is unsigned, unless the Hub holds the same signed"
)


def publish(
    config: Layout,
    name: str,
    *,
    to: str,
    is_public: bool,
    tag: str | None,
    dry_run: bool,
    replace_card: bool = False,
    more: Callable[[Draft], Files] | None = None,
) -> None:
    """Show the plan, then put a board (data set), a detector (model) or the site (static Space) on the Hub; a
    dry run stops after the plan. `more`: further files of it. Raises TruerateError, before writing, for texts without rights, secrets, and
    tables that were not audited or that dvc.lock does not name.
    """
    kind, board = kind_of(config, name)
    target = Target(to, kind, is_public=is_public, tag=tag)
    refuse_names(target)
    if kind == "dataset" and Path(config.labels(board, "samples")).exists():  # what is not built is refused
        config = with_author(config, board, may_ask=not dry_run)
    member = name.partition("@")[0]
    check = partial(_check, config, kind, board)
    how = {"dry_run": dry_run, "maker": maker(), "replace_card": replace_card}
    with TemporaryDirectory(prefix="truerate-release-") as scratch:
        with announced_wait(f"making the files of {name!r}"):
            if kind == "space":
                draft = site_draft(config)
            elif kind == "dataset":
                draft = board_draft(config, board, repo=to, folder=Path(scratch))
            else:
                draft = (judge_draft if is_judge(config, member) else detector_draft)(
                    config, member, board=board, repo=to
                )
            draft = replace(draft, fixed={**draft.fixed, **more(draft)}) if more else draft
        key = signing_key()
        commit = push.publish(attested(config, draft, board, key=key), target, check=check, say=print, **how)
    if key is None:
        say(UNSIGNED)
    if kind == "dataset":
        say_open_questions(config, board)
    if not dry_run:
        print(
            f"{to} holds {name} at commit {commit}{f', tagged {tag}' if tag else ''}\n{push.address(target)}"
        )


def signing_key() -> object:
    """The private key that signs the statement of a release, from the file that the environment names; None
    where it names none. Raises TruerateError for a file that is no such key.
    """
    path = os.environ.get(KEY)
    return private_key(Path(path)) if path else None


def maker() -> str:
    """Versions of truerate and, in a git checkout, of the settings behind a release, with changed files."""
    program = f"truerate {version('truerate')}"
    words = ["git", "describe", "--always", "--dirty=, with changes", "--abbrev=12", "--exclude=*"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, errors="replace")
    except OSError:
        return program
    commit = done.stdout.strip() if done.returncode == 0 else ""
    return program + (f" at commit {commit}" if commit else "")


def kind_of(config: Layout, name: str) -> tuple[str, str]:
    """Return what a name stands for (`dataset`, `model` or `space`), and its board; empty for the site.
    `detector@board` names a detector's board; alone it is of the first board that trained it.
    """
    if name in config.p.boards:
        return "dataset", name
    if name == PAGES:
        return "space", ""
    member, _, board = name.partition("@")
    networks = {
        (name_of_member, of)
        for of, _, name_of_member in members_of(config)
        if name_of_member in config.p.backbones
    }
    if (member, board) in networks or (
        not board and member in {name_of_member for name_of_member, _ in networks}
    ):
        return "model", board or trained(config, member)[0]
    judges = {(name_of_member, of) for of, _, name_of_member in judges_of(config)}
    if (member, board) in judges or (not board and is_judge(config, member)):
        return "model", board or trained_judge(config, member)[0]
    networks_named, judges_named = (
        listed({f"{name_of_member}@{of}" for name_of_member, of in some}) for some in (networks, judges)
    )
    raise TruerateError(
        f"publishing {name!r}: no board, network, judge or {PAGES!r}; boards: {listed(config.p.boards)}; "
        "networks: "
        f"{networks_named}; judges: {judges_named}"
    )


# ---- what must hold before anything goes out ---------------------------------------------------------------
def _check(config: Layout, kind: str, board: str, files: Files) -> None:
    """Refuse secrets and local paths in files, boards that were not audited, and tables unlike dvc.lock."""
    from huggingface_hub import constants, get_token

    sought = {"environment": os.environ, "secrets": config.p.secrets(), "values": filter(None, [get_token()])}
    places = [os.getcwd(), str(Path.home()), tempfile.gettempdir(), constants.HF_HOME]
    with announced_wait("looking for secrets in the files"):
        refuse(
            scan(
                files,
                **sought,
                places=places,
                allow_emails=config.p.hub.allow_emails,
                allow_paths=config.p.hub.allow_paths,
            )
        )
    if kind == "dataset":
        refuse_unaudited(config, board)
    refuse_changed(config, board or None)


def refuse_unaudited(config: Layout, board: str) -> None:
    """Raise TruerateError where the shortcut audit of a board looked at other samples than those of now."""
    from truerate.leaderboard.audit import LOOKED_AT, inputs_of, slices
    from truerate.pipeline.evaluate import looked_at

    samples = load(Sample, config.labels(board, "samples"), columns=LOOKED_AT)
    current = {inputs_of(looked_at(config, board))} if slices(samples) else set()
    if set(audit_of(config, board)["inputs"]) != current:
        hint = f"run `dvc repro audit@{board}`"
        raise TruerateError(
            f"publishing board {board!r}: its shortcut audit is of other samples than those of now; {hint}"
        )


def refuse_changed(config: Layout, board: str | None) -> None:
    """Raise TruerateError if tables, code or settings are not those of dvc.lock. `board` None: the site."""
    from truerate.pipeline.guard import is_edited

    what = f"board {board!r}" if board else "the site"
    behind = [
        stage
        for stage in stages(config.p)
        if board is None or (stage.board in (None, board) and stage.name != PAGES)
    ]
    asked = [sys.executable, "-m", "dvc", "status", "--json", *(stage.address for stage in behind)]
    with announced_wait("dvc holds the tables against dvc.lock"):
        done = subprocess.run(asked, capture_output=True, text=True, errors="replace")
    hint = "run `dvc repro`"
    if done.returncode:
        line = " ".join((done.stderr.strip().splitlines() or ["it said nothing"])[-1].split())[:200]
        raise TruerateError(f"publishing {what}: `dvc status` ended with {done.returncode}: {line}; {hint}")
    if changed := {
        *json.loads(done.stdout or "{}"),
        *(stage.address for stage in behind if is_edited(config, stage)),
    }:
        raise TruerateError(f"publishing {what}: not as dvc.lock has it: {_some(changed)}; {hint}")


def _some(names: Iterable[str], n: int = 3) -> str:
    """The first few of many names, and how many more there are."""
    ordered = sorted(names)
    return ", ".join(ordered[:n]) + (f" and {len(ordered) - n} more" if len(ordered) > n else "")
