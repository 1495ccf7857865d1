"""What publishing would change in a repository, and why it may not: names, visibility, owner, token."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from huggingface_hub import constants

from truerate.core.errors import EndpointError, TruerateError, listed
from truerate.hub.release import MARK, README, Files, Target, size_of
from truerate.hub.remote import State, Status, matches

TAG = re.compile(r"v[0-9]+\.[0-9]+(\.[0-9]+)?")
BARE = {".gitattributes", "LICENSE"}  # what the Hub may put into a repository that is new
CHANGES = ("added", "changed", "deleted", "unchanged")
SHOWN = 30  # paths of one kind in a plan; what is deleted is shown whole


@dataclass(frozen=True)
class Plan:
    """What one commit on `head` (None: the repository is not there) would do: bytes by path. Files that are
    neither among ours nor under our folders are not in a plan: they stay.
    """

    head: str | None
    added: Mapping[str, int]
    changed: Mapping[str, int]
    deleted: Mapping[str, int]
    unchanged: Mapping[str, int]

    @property
    def is_empty(self) -> bool:
        """Whether the repository holds already what would be put there."""
        return not (self.added or self.changed or self.deleted)

    @property
    def n_bytes(self) -> int:
        """Bytes of the files that go up."""
        return sum(self.added.values()) + sum(self.changed.values())


def plan_of(files: Files, state: State, *, prefixes: Sequence[str]) -> Plan:
    """Return the plan that makes a repository hold `files` and, below `prefixes` (folders), nothing else."""
    there, sizes = state.files, {path: size_of(content) for path, content in sorted(files.items())}
    same = {path for path, content in files.items() if path in there and matches(content, there[path])}
    folders = tuple(f"{prefix.rstrip('/')}/" for prefix in prefixes)
    stale = sorted(path for path in there if path not in files and path.startswith(folders))
    return Plan(
        state.commit,
        {path: size for path, size in sizes.items() if path not in there},
        {path: size for path, size in sizes.items() if path in there and path not in same},
        {path: there[path].size for path in stale},
        {path: size for path, size in sizes.items() if path in same},
    )


def lines(plan: Plan, target: Target, *, status: Status, is_tagged: bool = False) -> list[str]:
    """A plan in words: where it goes and who will see it, a line per file, and the sums."""
    is_private = status.is_private or (status.head is None and not target.is_public)
    visibility = "private, will be public" if status.is_private and target.is_public else "public"
    visibility = "private" if is_private and not target.is_public else visibility
    where, words = f"on {plan.head[:8]}" if plan.head else "new repository", CHANGES
    sums = ", ".join(f"{len(getattr(plan, word))} {word}" for word in words)
    whole = f"{sums}; {bytes_shown(plan.n_bytes)} to upload"
    shown_lines = [
        f"{target.repo} ({target.kind}, {visibility}; {where})",
        *_listed("+", plan.added, n_shown=SHOWN),
        *_listed("~", plan.changed, n_shown=SHOWN),
        *_listed("-", plan.deleted, n_shown=len(plan.deleted)),
        f"  {'nothing to commit: it holds this already' if plan.is_empty else whole}",
    ]
    if target.tag:
        stands = "stands at this content already" if is_tagged else "will be set"
        shown_lines.append(f"  tag {target.tag} {stands}")
    return shown_lines


def bytes_shown(n: int) -> str:
    """A number of bytes for people: 999 B, 1.5 kB, 12.0 MB, 3.1 GB."""
    for size, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if n >= size:
            return f"{n / size:.1f} {unit}"
    return f"{n} B"


def refuse_names(target: Target) -> None:
    """Raise TruerateError for a --to that is not org/name, or a --tag that is no version."""
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id

    try:
        if target.repo.count("/") != 1:
            raise HFValidationError("it has no organisation or more than one")
        if not target.repo.isascii():
            raise HFValidationError("letters are a to z")
        validate_repo_id(target.repo)
    except HFValidationError as error:
        problem = f"a repository is named org/name, as in 'my-lab/my-board': {' '.join(str(error).split())}"
        raise TruerateError(f"--to {target.repo!r}: {problem}") from None
    if target.tag is not None and not TAG.fullmatch(target.tag):
        raise TruerateError(f"--tag {target.tag!r}: a version is vX.Y or vX.Y.Z, as in 'v1.0'")


def refuse_public(target: Target, status: Status) -> None:
    """Raise TruerateError where a repository is public and nobody said that this may be."""
    if status.is_private is False and not target.is_public:
        advice = "say --public to publish into it, or make it private in its settings on the Hub"
        raise TruerateError(f"{target.repo} is public; {advice}")


def refuse_foreign(state: State, *, target: Target, name: str) -> None:
    """Raise TruerateError where a repository holds what truerate did not make of `name`.

    A repository is free where it holds nothing, or only what the Hub puts into a new one.
    """
    advice = f"publish into an empty repository or one that truerate made of {name!r}"
    if state.mark is None:
        others = sorted(set(state.files) - BARE - ({README} if is_automatic(state.readme) else set()))
        if others:
            names = ", ".join([*map(shown, others[:3]), *(["…"] if len(others) > 3 else [])])
            raise TruerateError(f"{target.repo} holds other content ({names}): {advice}")
    elif (state.mark.get("kind"), state.mark.get("name")) != (target.kind, name):
        content = f"{state.mark.get('kind')} {state.mark.get('name')!r}"
        raise TruerateError(f"{target.repo} holds another release ({content[:80]}, by its {MARK}): {advice}")


def is_automatic(readme: str) -> bool:
    """Return whether a README.md is the Hub's own of a new repository: front matter and no more than a
    heading.
    """
    rest = re.sub(r"\A\ufeff?---\s*\n.*?^---\s*$", "", readme, count=1, flags=re.DOTALL | re.MULTILINE)
    words = [line for line in rest.splitlines() if line.strip("\ufeff \t")]
    return not words or (len(words) == 1 and words[0].startswith("# "))


def shown(path: str) -> str:
    """A path of a repository for a terminal: names with control characters are escaped."""
    return path if path.isprintable() else ascii(path)


def _listed(sign: str, files: Mapping[str, int], *, n_shown: int) -> list[str]:
    listed = [f"  {sign} {shown(path)}  {bytes_shown(size)}" for path, size in list(files.items())[:n_shown]]
    return listed + ([f"  {sign} … and {len(files) - n_shown} more"] if len(files) > n_shown else [])


# ---- may this token write? ---------------------------------------------------------------------------------
MAY_WRITE = ("write", "contributor", "admin")  # roles in an organisation, or in one of its resource groups
WRITES = {"repo.write", "repo.content.write"}  # permissions of a fine-grained token
READS, FINE = "read", "fineGrained"


def refuse_reader(who: Mapping, target: Target, *, doing: str, is_there: Callable[[], bool]) -> None:
    """Raise TruerateError that begins with `doing` where the token of this `whoami` may not write to the
    target.

    `is_there` says whether the repository exists: a scope of one repository makes none.
    """
    namespace, account = target.repo.partition("/")[0], str(who.get("name") or "?")
    auth = who.get("auth")
    token = auth.get("accessToken") if isinstance(auth, Mapping) else None
    token = token if isinstance(token, Mapping) else {}
    advice = f"set HF_TOKEN to one that may ({constants.ENDPOINT}/settings/tokens), or name another --to"
    if token.get("role") == READS:
        raise EndpointError(f"{doing}: this token of {account!r} may not write: its role is 'read'; {advice}")
    if token.get("role") == FINE and isinstance(token.get(FINE), Mapping):
        scopes = list(_scopes(token[FINE]))
        if not any(_covers(kind, name, target, is_there=is_there) for kind, name in scopes):
            allowed = listed(f"{kind} {name}" for kind, name in scopes)
            problem = f"this fine-grained token of {account!r} may not write there"
            raise EndpointError(f"{doing}: {problem}; it may write to: {allowed}; {advice}")
        return
    orgs = {str(org.get("name")).casefold(): org for org in _mappings(who.get("orgs"))}
    if namespace.casefold() in (account.casefold(), "?") or "name" not in who:
        return
    own_org = orgs.get(namespace.casefold())
    if own_org is None:
        may = listed([account, *(org["name"] for org in orgs.values() if _role(org) is None)])
        there = f"{target.repo} is there and not yours: " if is_there() else ""
        problem = f"{there}{account!r} is neither {namespace!r} nor a member of it"
        raise EndpointError(f"{doing}: {problem}; it may write to: {may}; {advice}")
    if role := _role(own_org):
        problem = f"{account!r} may not write in organisation {namespace!r}: its role there is {role!r}"
        raise EndpointError(f"{doing}: {problem}; {advice}")


def _scopes(answer: Mapping) -> Iterator[tuple[str, str]]:
    """(kind, name) of the users, organisations and repositories that a fine-grained token may write to."""
    for scope in _mappings(answer.get("scoped")):
        entity, granted = scope.get("entity"), scope.get("permissions")
        if isinstance(entity, Mapping) and isinstance(granted, list) and any(map(granted.count, WRITES)):
            yield str(entity.get("type")), str(entity.get("name"))


def _covers(kind: str, name: str, target: Target, *, is_there: Callable[[], bool]) -> bool:
    if kind in ("user", "org"):
        return name.casefold() == target.repo.partition("/")[0].casefold()
    return kind == target.kind and name.casefold() == target.repo.casefold() and is_there()


def _role(org: Mapping) -> str | None:
    """The role in an organisation that forbids writing there; None if it or a resource group's allows it."""
    roles = [org.get("roleInOrg"), *(group.get("role") for group in _mappings(org.get("resourceGroups")))]
    return None if any(role is None or role in MAY_WRITE for role in roles) else str(roles[0])


def _mappings(answer: object) -> list[Mapping]:
    """The mappings in a list of an answer; none where it is no list."""
    return [entry for entry in answer if isinstance(entry, Mapping)] if isinstance(answer, list) else []
