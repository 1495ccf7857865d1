"""Publishing through failures of the Hub, beside other publishers, and until death: the old version or the
new one, never a mixture.
"""

import multiprocessing
import os
import signal
import time
from dataclasses import replace

import pytest

from truerate.core.errors import TruerateError
from truerate.hub.push import publish
from truerate.hub.release import Target

from .drafts import DAY, LATER, REPO, A, B, asked, content, put, refused, same_but_history

# ---- faults ------------------------------------------------------------------------------------------------
STEPS = {
    "look": ("GET", f"/api/datasets/{REPO}$"),
    "tree": ("GET", "/tree/"),
    "mark": ("GET", "/resolve/.*truerate.json"),
    "refs": ("GET", "/refs$"),
    "card": ("POST", "/validate-yaml"),
    "preupload": ("POST", "/preupload/"),
    "batch": ("POST", "/objects/batch"),
    "put": ("PUT", "/objects/"),
    "verify": ("POST", "/objects/verify"),
    "commit": ("POST", "/commit/"),
    "tag": ("POST", "/tag/"),
    "settings": ("PUT", "/settings"),
}
FAULTS = {
    "500": {"kind": "error", "status": 500},
    "503": {"kind": "error", "status": 503},
    "429": {"kind": "429", "retry_after": 7},
    "drop": {"kind": "drop"},
    "lost": {"kind": "lost"},
    "truncate": {"kind": "truncate"},
}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_passing_fault_at_any_step_changes_nothing(hub_here, step, fault):
    put()
    method, path = STEPS[step]
    waits = []
    hub_here.fault(method=method, path=path, times=3 if step in ("put", "commit") else 1, **FAULTS[fault])
    commit = put(B, tag="v1.0", public=True, today=LATER, waits=waits)
    met = len(hub_here.faults.played)
    assert met and (waits or fault in ("lost", "truncate"))
    if fault == "429":
        assert all(7 <= wait <= 8 for wait in waits)
    assert len(hub_here.commits(REPO)) == 3 and hub_here.commits(REPO)[0] == commit
    assert same_but_history(content(hub_here), B, dated=LATER)
    assert hub_here.tags(REPO) == {"v1.0": commit} and not hub_here.is_private(REPO)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_passing_fault_while_a_repository_is_made(hub_here, fault):
    hub_here.fault(path="/repos/create", **FAULTS[fault])
    put(tag="v1.0")
    assert len(hub_here.faults.played) == 1
    assert (
        same_but_history(content(hub_here), A)
        and len(hub_here.commits(REPO)) == 2
        and hub_here.is_private(REPO)
    )


@pytest.mark.parametrize(
    "step", [step for step in STEPS if step != "verify"]
)  # an object that is stored is not asked for again
@pytest.mark.parametrize("fault", ["503", "drop"])
def test_a_fault_that_stays_ends_in_one_line_with_a_whole_version(hub_here, step, fault):
    old = put()
    method, path = STEPS[step]
    hub_here.fault(method=method, path=path, times=None, **FAULTS[fault])
    line = refused("gave up after 6 tries", B, tag="v1.0", public=True)
    assert "run it again" in line
    is_new = step in ("tag", "settings")
    assert same_but_history(content(hub_here), B if is_new else A)
    assert hub_here.commits(REPO)[-2] == old
    hub_here.faults.clear()
    put(B, tag="v1.0", public=True)
    assert len(hub_here.commits(REPO)) == 3 and same_but_history(content(hub_here), B)
    assert hub_here.tags(REPO) == {"v1.0": hub_here.commits(REPO)[0]} and not hub_here.is_private(REPO)


def test_a_fault_that_stays_while_a_repository_is_made(hub_here):
    hub_here.fault(path="/repos/create", times=None)
    refused(f"creating {REPO}: gave up after 6 tries")
    assert not hub_here.exists(REPO)


def test_an_unreachable_server_is_named(hub_here):
    hub_here.stop()
    assert hub_here.url in refused("no answer from")


def test_a_very_long_wait_is_told_not_sat_through(hub_here):
    put()
    hub_here.fault(path="/preupload/", kind="429", retry_after=3600)
    waits = []
    refused(r"asks to wait 3600 s; run it again after \d{4}-\d\d-\d\d \d\d:\d\d UTC", B, waits=waits)
    assert waits == [] and same_but_history(content(hub_here), A)


def test_waits_are_random_and_grow_to_a_bound(hub_here):
    hub_here.fault(method="GET", path=f"/api/datasets/{REPO}$", times=None)
    waits = []
    refused("gave up", waits=waits)
    assert len(waits) == 5 and len(set(waits)) == 5
    assert all(0 <= wait <= 2**index for index, wait in enumerate(waits))


def test_uploads_that_get_on_are_not_given_up(hub_here):
    many = replace(A, seeds=tuple(range(20)))
    for _ in range(15):  # more faults than tries in a row, with something stored between them
        hub_here.fault(method="PUT", path="/objects/.*", kind="error", status=500)
    put(many)
    assert same_but_history(content(hub_here), many)


def test_an_expired_address_is_asked_for_anew(hub_here):
    hub_here.fault(method="PUT", path="/objects/", kind="error", status=403)
    put()
    assert same_but_history(content(hub_here), A)


@pytest.mark.parametrize("path", ["/commit/", "/tag/", "/preupload/"])
def test_an_answer_that_makes_no_sense_is_asked_for_again(hub_here, path):
    hub_here.fault(path=path, kind="corrupt", times=1)
    put(tag="v1.0")
    assert same_but_history(content(hub_here), A) and len(hub_here.commits(REPO)) == 2


def test_a_file_that_arrives_damaged_is_read_again(hub_here):
    put()
    hub_here.fault(method="GET", path="/resolve/.*CHANGELOG.md", kind="corrupt")
    waits = []
    put(today=LATER, waits=waits)
    assert len(waits) == 1 and len(hub_here.commits(REPO)) == 2


# ---- others at the same time -------------------------------------------------------------------------------
def test_somebody_else_commits_in_between(hub_here):
    put()

    def meddle(files):
        hub_here.put_repo(REPO, files=content(hub_here) | {"theirs.txt": b"x"})

    assert refused("nothing of ours was written; run it again", B, check=meddle).startswith(
        f"{REPO} was changed while publishing"
    )
    assert same_but_history(
        {path: data for path, data in content(hub_here).items() if path != "theirs.txt"}, A
    )
    put(B)
    assert content(hub_here)["theirs.txt"] == b"x" and len(hub_here.commits(REPO)) == 4


def test_somebody_else_publishes_another_release_while_the_first_is_made(hub_here):
    refused("nothing of ours was written; run it again", A, check=lambda files: put(B))
    assert same_but_history(content(hub_here), B)


def test_somebody_else_publishes_the_same(hub_here):
    commits = []
    put(check=lambda files: commits.append(put()))
    assert hub_here.commits(REPO)[0] == commits[0] and len(hub_here.commits(REPO)) == 2
    put(B, check=lambda files: commits.append(put(B)))
    assert hub_here.commits(REPO)[0] == commits[1] and len(hub_here.commits(REPO)) == 3


def test_of_publishers_at_the_same_time_one_wins(hub_here):
    hub_here.put_repo(REPO, files={}, private=True)
    forked = multiprocessing.get_context("fork")  # nothing has to be imported anew
    barrier, words = forked.Barrier(3), forked.SimpleQueue()

    def publish_once(seed):
        try:
            put(replace(A, seeds=(seed,)), check=lambda files: barrier.wait(20))
            words.put(seed)
        except TruerateError as error:
            words.put(str(error))

    started = [forked.Process(target=publish_once, args=(seed,)) for seed in (11, 12, 13)]
    for process in started:
        process.start()
    for process in started:
        process.join(60)
    ends = [words.get() for _ in started]
    lost = f"{REPO} was changed while publishing; nothing of ours was written; run it again"
    (winner,) = [end for end in ends if end != lost]
    assert len(hub_here.commits(REPO)) == 3 and same_but_history(
        content(hub_here), replace(A, seeds=(winner,))
    )


# ---- death -------------------------------------------------------------------------------------------------
DEATHS = ["preupload", "batch", "put", "commit", "tag"]


@pytest.mark.parametrize("step", DEATHS)
@pytest.mark.parametrize(
    "fault", ["drop", "slow"]
)  # the Hub does not do what it was asked by a publisher who died, or does it all the same
def test_a_publisher_that_is_killed_leaves_the_old_version_or_the_new(hub_here, step, fault):
    put(tag="v1.0")
    hub_here.requests.clear()
    method, path = STEPS[step]
    hub_here.fault(method=method, path=path, kind=fault)
    kill_when_met(hub_here)
    is_new = step == "tag" or (step, fault) == ("commit", "slow")
    assert same_but_history(content(hub_here), B if is_new else A, dated=LATER if is_new else DAY)
    put(B, tag="v2.0", today=LATER)
    assert len(hub_here.commits(REPO)) == 3 and same_but_history(content(hub_here), B, dated=LATER)
    assert hub_here.tags(REPO)["v2.0"] == hub_here.commits(REPO)[0]
    assert len(asked(hub_here, "POST", path="/commit/")) == (2 if (step, fault) == ("commit", "drop") else 1)


def kill_when_met(hub) -> None:
    """Publish B in a process of its own and kill that when the fault is met; return when the Hub has nothing
    more to do.
    """
    publisher = os.fork()
    if not publisher:
        try:
            publish(
                B,
                Target(REPO, "dataset", tag="v2.0"),
                dry_run=False,
                check=id,
                say=id,
                today=LATER,
                pause=lambda _: time.sleep(60),
            )
        finally:
            os._exit(0)
    wait_until(lambda: hub.faults.played)
    os.kill(publisher, signal.SIGKILL)
    assert os.WIFSIGNALED(os.waitpid(publisher, 0)[1])
    _, method, path = hub.faults.played[0]
    wait_until(lambda: any(visited[:2] == (method, path) for visited in hub.requests))


def wait_until(is_so, *, seconds: float = 20) -> None:
    """Look every few milliseconds until something is so."""
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.002)
