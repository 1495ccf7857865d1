"""Publishing: look, plan, check, one commit, verify, tag; safe to run again after any failure."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import NamedTuple

from huggingface_hub import constants, get_token
from huggingface_hub.errors import HfHubHTTPError

from truerate.core.errors import TruerateError
from truerate.core.invisible import visible
from truerate.hub.client import FAILURES, Retries, quiet_client, refusal
from truerate.hub.kept import Release, added, kept_of, refuse_edited
from truerate.hub.plan import Plan, lines, plan_of, refuse_foreign, refuse_names, refuse_public, refuse_reader
from truerate.hub.provenance.envelope import same_but_signed
from truerate.hub.release import CHANGELOG, README, STATEMENT, Draft, Files, Stamp, Target
from truerate.hub.remote import Repository, State, Status

MOVED = "changed while publishing; nothing of ours was written; run it again"


class _Release(NamedTuple):
    """The files that are to stand there, what that changes, and the commit that its tag holds already, or
    None.
    """

    files: Files
    plan: Plan
    tagged: str | None


def publish(
    draft: Draft,
    target: Target,
    *,
    dry_run: bool,
    check: Callable[[Files], None],
    say: Callable[[str], None],
    today: str | None = None,
    maker: str = "",
    replace_card: bool = False,
    pause: Callable[[float], None] = time.sleep,
) -> str:
    """Bring a draft to the Hub and return the commit that holds it.

    The plan goes to `say`, line by line; `check` sees the very files before anything is written and raises to
    stop it. A draft whose content has not changed keeps its date: then nothing is committed. All changes come
    with one commit on the head that the plan was made for, so that a reader meets the old version or the new
    one. A tag that holds other content is refused before anything is written. People's part of the card on
    the Hub stays (`hub.kept`); edits elsewhere in it are refused unless `replace_card`. `today` (ISO 8601) is
    the day in UTC unless given, `maker` the version of truerate.

    A dry run only reads, and asks whether the token may write there; it returns the head, or '' without a
    repository. Raises TruerateError, one line, for everything that the Hub, the disk or another publisher
    puts in the way.
    """
    refuse_names(target)
    doing = f"publishing {draft.name!r} to {target.repo}"
    try:
        refuse_surroundings(doing)
        with quiet_client() as traffic:
            to = Repository(target, Retries(pause=pause, progress=lambda: traffic.n_stored))
            who = to.whoami() if dry_run else {}
            refuse_reader(who, target, doing=doing, is_there=lambda: to.status().head is not None)
            stamp = Stamp(today or f"{datetime.now(UTC):%Y-%m-%d}", maker)
            status, release = _planned(draft, to, stamp=stamp, replace_card=replace_card)
            for line in lines(release.plan, target, status=status, is_tagged=bool(release.tagged)):
                say(line)
            for line in draft.notes:
                say(f"  {visible(line)}")
            if release.tagged and release.tagged != status.head:
                main = "main holds another release and is left as it is"
                say(f"{target.tag} stands at commit {release.tagged[:8]}; {main}")
            check(release.files)
            if dry_run and not who:
                say("  whether this token may write there, the Hub does not say")
            return (status.head or "") if dry_run else _write(draft, to, status=status, release=release)
    except OSError as error:
        raise refusal(doing, error) from None


def address(target: Target) -> str:
    """The page of a repository on the Hub."""
    folder = {"dataset": "datasets/", "space": "spaces/", "model": ""}[target.kind]
    return f"{constants.ENDPOINT}/{folder}{target.repo}"


def refuse_surroundings(doing: str) -> None:
    """Raise TruerateError if this process has no usable token or no Hub to publish to."""
    token = get_token()
    if not token:
        raise TruerateError(f"{doing}: no token of the Hub; set HF_TOKEN or run `hf auth login`")
    if not (token.isascii() and token.isprintable()):
        problem = "HF_TOKEN holds a character that no token has; set it to the token alone"
        raise TruerateError(f"{doing}: {problem}")
    if not constants.ENDPOINT.startswith(("http://", "https://")):
        problem = "it must begin with https:// or http://, or not be set"
        raise TruerateError(f"{doing}: HF_ENDPOINT is {constants.ENDPOINT!r}; {problem}")


def _planned(draft: Draft, to: Repository, *, stamp: Stamp, replace_card: bool) -> tuple[Status, _Release]:
    """Return what stands there, and what is to. Raises TruerateError if visibility, tag or edits forbid it."""
    status = to.status()
    refuse_public(to.target, status)
    state = to.state(status.head)
    refuse_foreign(state, target=to.target, name=draft.name)
    tagged = _tagged(draft, to) if to.target.tag and status.head else None
    if tagged:
        files = _as_there(draft, tagged)
        return status, _Release(files, plan_of(files, tagged, prefixes=draft.prefixes), tagged.commit)
    if state.mark and not replace_card:
        refuse_edited(state.readme, state.mark.get("card"), where=to.name)
    files = _dated(draft, state, to.target, stamp=stamp)
    return status, _Release(files, plan_of(files, state, prefixes=draft.prefixes), None)


def _tagged(draft: Draft, to: Repository) -> State | None:
    """Return what the tag holds, which is this draft; None if there is no such tag. A tag is never moved."""
    tag = to.target.tag
    commit = to.tags().get(tag)
    if commit is None:
        return None
    state = to.state(commit)
    # the change log tells of later releases, too
    content = _but_log(_as_there(draft, state)) if state.mark else {}
    if state.mark and plan_of(content, state, prefixes=draft.prefixes).is_empty:
        return state
    problem = f"tag {tag!r} holds other content (commit {commit[:8]}) and is never moved"
    raise TruerateError(f"{to.name}: {problem}; choose another --tag")


def _as_there(draft: Draft, state: State) -> Files:
    """The files of a draft with the date, the maker, the history and the kept parts of what stands there, and
    its signature where there is no key to sign with.
    """
    assert state.mark is not None
    stamp = Stamp(state.mark["dated"], state.mark.get("maker", ""))
    files = draft.files(stamp=stamp, changelog=state.changelog, kept=kept_of(state.readme))
    ours = files.get(STATEMENT)
    return files | {STATEMENT: same_but_signed(ours, state.statement)} if isinstance(ours, bytes) else files


def _dated(draft: Draft, state: State, target: Target, *, stamp: Stamp) -> Files:
    """The files as they stand there if the content is the same, else today's with a change-log entry."""
    if state.mark:
        same = _as_there(draft, state)
        if plan_of(same, state, prefixes=draft.prefixes).is_empty:
            return same
    kept = kept_of(state.readme)
    whole = draft.files(stamp=stamp, changelog=state.changelog, kept=kept)
    plan = plan_of(_but_log(whole), state, prefixes=draft.prefixes)
    counts = (len(plan.added), len(plan.changed), len(plan.deleted))
    entry = Release(target.tag, stamp.dated, draft.summary, *counts)
    return draft.files(stamp=stamp, changelog=added(state.changelog, entry), kept=kept)


def _but_log(files: Files) -> Files:
    return {path: file for path, file in files.items() if path != CHANGELOG}


def _write(draft: Draft, to: Repository, *, status: Status, release: _Release) -> str:
    """Make the repository what the plan says; the commit that holds the release."""
    commit = release.tagged
    if commit is None:
        commit = release.plan.head
        if not commit or not release.plan.is_empty:
            commit = _committed(draft, to, release=release)
        if to.target.tag:
            to.make_tag(to.target.tag, commit)
    if to.target.is_public and status.is_private:
        to.make_public()
    return commit


def _committed(draft: Draft, to: Repository, *, release: _Release) -> str:
    """One commit, tried until it stands, then verified object by object; its id."""
    if README in release.files:
        card = release.files[README]
        to.check_card((card if isinstance(card, bytes) else card.read_bytes()).decode("utf-8"))
    if release.plan.head is None:
        to.create()
    plan = release.plan if release.plan.head else _first(draft, to, release.files)
    changes = {path: release.files[path] for path in [*plan.added, *plan.changed]}
    message = " ".join(f"{to.target.tag + ': ' if to.target.tag else ''}{draft.summary}".split())

    def attempt() -> str:
        """The id of the commit, also of one that landed although its answer was lost."""
        adding = to.upload(changes)
        try:
            return to.commit_once(adding, list(plan.deleted), parent=plan.head, message=message)
        except FAILURES as error:
            landed = _landed(draft, to, files=release.files, plan=plan, error=error)
            if landed is None:
                raise
            return landed

    commit = plan.head if plan.is_empty else to.retries.call(f"committing to {to.name}", attempt)
    assert commit is not None  # an empty plan is one against a commit that is there
    _verify(draft, to, files=release.files, commit=commit)
    return commit


def _first(draft: Draft, to: Repository, files: Files) -> Plan:
    """The plan for a repository just created: the Hub has put files there, or somebody was faster."""
    status = to.status()
    if status.is_private is None:
        hidden = "is there already, hidden from this token or written with other capitals"
        raise TruerateError(f"{to.name} {hidden}; name another one by --to")
    refuse_public(to.target, status)
    state = to.state(status.head)
    refuse_foreign(state, target=to.target, name=draft.name)
    plan = plan_of(files, state, prefixes=draft.prefixes)
    if state.mark and not plan.is_empty:
        raise TruerateError(f"{to.name} was {MOVED}")
    return plan


def _landed(draft: Draft, to: Repository, *, files: Files, plan: Plan, error: Exception) -> str | None:
    """Return the id of a commit whose answer was lost or refused, if it stands; None if nothing moved and it
    may be retried.

    Only where the Hub says that the parent was no longer the head is it sure that nothing of ours was
    written.
    """
    head = to.status().head
    if head == plan.head:
        return None
    if head and plan_of(files, to.state(head), prefixes=draft.prefixes).is_empty:
        return head
    if isinstance(error, HfHubHTTPError) and error.response.status_code == 412:
        raise TruerateError(f"{to.name} was {MOVED}") from None
    raise TruerateError(f"{to.name} was changed by somebody else while publishing; run it again") from None


def _verify(draft: Draft, to: Repository, *, files: Files, commit: str) -> None:
    """Compare every object of the commit with what was sent. Raises TruerateError if one differs."""
    for _ in range(2):  # a listing may lag behind or arrive damaged: it is asked for once more
        left = plan_of(files, State(commit, to.files(commit)), prefixes=draft.prefixes)
        if left.is_empty:
            return
    wrong = [*left.added, *left.changed, *left.deleted]
    problem = f"does not hold what was sent ({len(wrong)} files, first {wrong[0]!r}); it is not tagged"
    raise TruerateError(f"{to.name}: commit {commit[:8]} {problem}; run it again")
