"""What a dry run says of a token that may not write where it is asked to: by hand-made answers, and from the
Hub itself.
"""

from pathlib import Path

import pytest
import yaml

from tests.hub.server.accounts import FINE_TOKEN, GUEST_TOKEN
from truerate.core.errors import TruerateError
from truerate.hub.plan import refuse_reader
from truerate.hub.release import Target

from .drafts import REPO, A, asked, put, refused

CASES = yaml.safe_load(Path(__file__).with_name("access.yaml").read_text("utf-8"))


def answer_of(case):
    """What the Hub says of a token; a user's own writes unless another role, or scopes, are named."""
    token = case.get("token", {"role": "write"})
    if "fine" in case:
        scoped = [
            {"entity": {"type": kind, "name": name}, "permissions": granted}
            for kind, name, granted in case["fine"]
        ]
        token = {"role": "fineGrained", "fineGrained": {"global": [], "scoped": scoped}}
    user = {"type": "user", "name": case.get("name", "someone")}
    orgs = [{"type": "org", "name": "org", **org} for org in case.get("orgs", [])]
    return case.get("answer", user | {"orgs": orgs, "auth": {"type": "access_token", "accessToken": token}})


def judged(answer, *, to=REPO, kind="dataset", is_there=True):
    """None where the token may write, else the line that says why not."""
    try:
        return refuse_reader(answer, Target(to, kind), doing="publishing", is_there=lambda: is_there)
    except TruerateError as error:
        line = str(error)
        assert "\n" not in line and len(line) < 500 and line.startswith("publishing: ") and "HF_TOKEN" in line
        return line


@pytest.mark.parametrize("case", CASES["may"], ids=str)
def test_a_token_that_may_write_or_of_which_nothing_is_known_passes(case):
    assert judged(answer_of(case)) is None


@pytest.mark.parametrize("case", CASES["may_not"], ids=str)
def test_a_token_that_may_not_write_is_one_line(case):
    assert case["why"] in judged(answer_of(case))


def test_a_scope_of_one_repository_makes_none():
    answer = answer_of({"fine": [["dataset", REPO, ["repo.write"]]]})
    assert judged(answer) is None and f"dataset {REPO}" in judged(answer, is_there=False)


# ---- by the Hub --------------------------------------------------------------------------------------------
def dry(**options):
    return refused(options.pop("match"), dry_run=True, **options)


@pytest.mark.parametrize("is_there", [False, True])
def test_a_dry_run_with_a_token_that_only_reads(hub_here, monkeypatch, is_there):
    head = put() if is_there else None
    monkeypatch.setenv("HF_TOKEN", hub_here.read_token)
    dry(match="this token of 'someone' may not write: its role is 'read'")
    assert (hub_here.commits(REPO)[0] if is_there else hub_here.exists(REPO)) == (head or False)


def test_a_dry_run_with_a_token_that_nobody_has(hub_here, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_" + "nobody" * 5)
    dry(match="does not know this token.*HF_TOKEN")
    assert not hub_here.exists(REPO)


def test_a_dry_run_without_a_token(anonymous):
    dry(match="no token of the Hub; set HF_TOKEN")
    assert not anonymous.exists(REPO)


def test_a_dry_run_into_the_names_of_others(hub_here, monkeypatch):
    dry(
        match="'someone' is neither 'strangers' nor a member of it; it may write to: org, someone",
        to="strangers/small",
    )
    head = put(public=True)
    monkeypatch.setenv("HF_TOKEN", hub_here.other_token)
    dry(
        match=f"{REPO} is there and not yours: 'stranger' is neither 'org' nor a member of it; it may write to: stranger",
        public=True,
    )
    monkeypatch.setenv("HF_TOKEN", GUEST_TOKEN)
    dry(match="'guest' may not write in organisation 'org': its role there is 'read'", public=True)
    assert hub_here.commits(REPO)[0] == head and not hub_here.exists("strangers/small")


def test_a_dry_run_with_a_fine_grained_token(hub_here, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", FINE_TOKEN)
    dry(
        match="this fine-grained token of 'someone' may not write there; it may write to: org org",
        to="someone/small",
    )
    assert put(dry_run=True) == "" and put() == hub_here.commits(REPO)[0]


def test_a_mirror_that_answers_no_such_question_is_told(hub_here):
    hub_here.fault(method="GET", path="whoami", status=404)
    words = []
    assert put(dry_run=True, lines=words) == ""
    assert "  whether this token may write there, the Hub does not say" in words


def test_the_question_is_asked_again_after_a_fault_that_passes_and_in_a_dry_run_alone(hub_here):
    hub_here.fault(method="GET", path="whoami", status=503, times=2)
    waits = []
    assert put(dry_run=True, waits=waits) == "" and len(waits) == 2
    hub_here.requests.clear()
    put(A)
    assert not asked(hub_here, "GET", path="whoami")
