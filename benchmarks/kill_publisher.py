"""Kill a publisher at random moments and look at what everybody sees: the old version or the new one, never a
mixture.

    python benchmarks/kill_publisher.py [--kills 50] [--seed 1] [--write FILE]

A strict Hub runs as a process of its own with its state on disk. For each kill a repository holds version A
(tag v1.0); a forked publisher moves it to B (tag v2.0) and is killed (SIGKILL) at a moment drawn from the
length of an undisturbed run. Then every file of main, read through the API, must be that of A or that of B;
and publishing again must end in B with its tag. `--write` puts the table between the markers `<!--
bench:kills -->` and `<!-- /bench:kills -->` of a file.
"""

import argparse
import logging
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).parents[1]
DAY, LATER = "2026-01-01", "2026-02-02"
PHASES = [  # the last request that a publisher began, by what its line in the client's log holds
    ("/api/validate-yaml", "card"),
    ("/preupload/", "preupload"),
    ("/objects/batch", "batch"),
    ("/objects/verify", "verify object"),
    ("PUT ", "upload"),
    ("/commit/", "commit"),
    ("/tag/", "tag"),
]


def main() -> None:
    """Run the kills, print the table, and fail where anything but A or B was seen."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--kills", type=int, default=50)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--write", help="file whose marked block is replaced")
    given = options.parse_args()
    sys.path.insert(0, str(ROOT))
    with tempfile.TemporaryDirectory() as scratch:
        server = served(Path(scratch))
        try:
            table = kills(given.kills, chance=random.Random(given.seed))
        finally:
            server.kill()
            server.wait()
    print(table)
    if given.write:
        from truerate.results.markers import write_between

        write_between(Path(given.write), "bench:kills", table)


def served(scratch: Path) -> subprocess.Popen:
    """Start the Hub and turn this process towards it, before the client is imported."""
    from tests.hub.server.accounts import WRITE_TOKEN

    words = [sys.executable, "-m", "tests.hub.server"]
    server = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    own = {
        "HF_ENDPOINT": server.stdout.readline().strip(),
        "HF_TOKEN": WRITE_TOKEN,
        "HF_HOME": str(scratch / "home"),
        "NO_PROXY": "127.0.0.1",
    }
    os.environ.update(own)
    return server


def kills(n: int, *, chance: random.Random) -> str:
    """Kill n publishers; a table of what was seen by the phase in which they died. Raises SystemExit at the
    first mixture.
    """
    old, new = versions()
    length = statistics.median(undisturbed(f"org/whole-{i}", old, new) for i in range(3))
    seen: Counter = Counter()
    for i in range(n):
        repo = f"org/killed-{i}"
        release(old, repo, tag="v1.0", today=DAY)
        phase = killed(new, repo, after=chance.uniform(0, 1.1 * length))
        found = what_stands(repo, old, new)
        release(new, repo, tag="v2.0", today=LATER)
        again = what_stands(repo, old, new)
        seen[phase, found] += 1
        print(f"\r{i + 1} of {n} kills", end="", file=sys.stderr, flush=True)
        if found == "mixture" or again != "B" or not is_tagged(repo):
            raise SystemExit(
                f"\n{repo}: killed in {phase!r}: {found}, after publishing again: {again}, tagged: {is_tagged(repo)}"
            )
    print(file=sys.stderr)
    return shown(seen, length=length)


def versions():
    """Two drafts of one board: B has fewer shards, of which some are new."""
    from tests.hub.drafts import SmallDraft

    old = SmallDraft(seeds=tuple(range(12)), n_bytes=300_000)
    return old, replace(old, seeds=(*range(4), *range(20, 26)), summary="10 shards, 6 of them new")


def release(draft, repo: str, *, tag: str, today: str) -> str:
    """Publish to the end."""
    from truerate.hub.push import publish
    from truerate.hub.release import Target

    return publish(draft, Target(repo, "dataset", tag=tag), dry_run=False, check=id, say=id, today=today)


def undisturbed(repo: str, old, new) -> float:
    """Seconds that a forked publisher needs from its first request to B."""
    release(old, repo, tag="v1.0", today=DAY)
    publisher, log = begun(new, repo)
    start = time.monotonic()
    log.read()
    os.waitpid(publisher, 0)
    seconds = time.monotonic() - start
    assert what_stands(repo, old, new) == "B"
    return seconds


def begun(new, repo: str):
    """A forked publisher that has made its first request, and the log of its requests."""
    reading, writing = os.pipe()
    publisher = forked(new, repo, log=writing)
    os.close(writing)
    log = os.fdopen(reading)
    log.readline()
    return publisher, log


def killed(new, repo: str, *, after: float) -> str:
    """Kill a publisher so many seconds after its first request; the phase in which it died (`done` where it
    had ended).
    """
    publisher, log = begun(new, repo)
    time.sleep(after)
    os.kill(publisher, signal.SIGKILL)
    _, status = os.waitpid(publisher, 0)
    with log:
        asked = [line for line in log if line.startswith("Request ")]
    return phase_of(asked) if os.WIFSIGNALED(status) else "done"


def phase_of(asked: list[str]) -> str:
    """The phase of the last request: a named one, or reading before, after the commit, or after the tag."""
    named = [next((phase for words, phase in PHASES if words in line), "read") for line in asked]
    if named and named[-1] != "read":
        return named[-1]
    return "read after tag" if "tag" in named else "read after commit" if "commit" in named else "plan"


def forked(draft, repo: str, *, log: int) -> int:
    """Publish B in a fork of this warmed process, its requests noted in a pipe as they begin; its process id."""
    child = os.fork()
    if child:
        return child
    try:
        lines = logging.StreamHandler(os.fdopen(log, "w"))
        logger = logging.getLogger("huggingface_hub.utils._http")
        logger.addHandler(lines)
        logger.setLevel(logging.DEBUG)
        logger.propagate = False
        release(draft, repo, tag="v2.0", today=LATER)
    finally:
        os._exit(0)


def what_stands(repo: str, old, new) -> str:
    """`A` or `B` where main holds exactly that, byte by byte, as read through the API; `mixture` else."""
    from huggingface_hub import HfApi, get_session, hf_hub_url
    from huggingface_hub.hf_api import RepoFile
    from huggingface_hub.utils import build_hf_headers

    from truerate.hub.release import CHANGELOG

    api, headers, found = HfApi(), build_hf_headers(), {}
    for entry in api.list_repo_tree(
        repo, repo_type="dataset", recursive=True, revision=api.repo_info(repo, repo_type="dataset").sha
    ):
        if isinstance(entry, RepoFile) and entry.path != ".gitattributes":
            answer = get_session().get(
                hf_hub_url(repo, entry.path, repo_type="dataset"), headers=headers, follow_redirects=True
            )
            found[entry.path] = answer.raise_for_status().content
    history = found.pop(CHANGELOG, b"").decode()
    for name, draft, day in (("A", old, DAY), ("B", new, LATER)):
        wanted = {
            path: data for path, data in draft.files(dated=day, changelog="").items() if path != CHANGELOG
        }
        if found == wanted and history.count("\n## ") == (1 if name == "A" else 2):
            return name
    return "mixture"


def is_tagged(repo: str) -> bool:
    """Whether v2.0 stands at the head of main."""
    from huggingface_hub import HfApi

    refs = HfApi().list_repo_refs(repo, repo_type="dataset")
    heads = {branch.target_commit for branch in refs.branches if branch.name == "main"}
    return {tag.target_commit for tag in refs.tags if tag.name == "v2.0"} == heads


def shown(seen: Counter, *, length: float) -> str:
    """The table in Markdown."""
    order = ["plan", *(phase for _, phase in PHASES), "read after commit", "read after tag", "done"]
    phases = sorted({phase for phase, _ in seen}, key=order.index)
    rows = [
        f"| {phase} | {seen[phase, 'A']} | {seen[phase, 'B']} | {seen[phase, 'mixture']} |"
        for phase in phases
    ]
    sums = " | ".join(
        str(sum(n for (_, found), n in seen.items() if found == name)) for name in ("A", "B", "mixture")
    )
    head = ["| killed in | old version | new version | mixture |", "| --- | ---: | ---: | ---: |"]
    return "\n".join(
        [
            *head,
            *rows,
            f"| **all {sum(seen.values())}** | {sums} |",
            "",
            f"An undisturbed run took {length:.2f} s from its first request to its end.",
        ]
    )


if __name__ == "__main__":
    main()
