"""Whether a token may write where a release is to go, by what the Hub says of it (`whoami-v2`): asked in a
dry run, before all else.

Three kinds of tokens are known. One of role `read` writes nowhere. One of role `write` writes wherever its
account may: under the account's own name, and in its organisations, unless the account may only read there. A
`fineGrained` one writes where one of its scopes says so. What the answer leaves out forbids nothing: the Hub
itself has the last word.
"""

from collections.abc import Callable, Iterator, Mapping

from huggingface_hub import constants

from truerate.core.errors import EndpointError, listed
from truerate.hub.release import Target

MAY_WRITE = ("write", "contributor", "admin")  # roles in an organisation, or in one of its resource groups
WRITES = {"repo.write", "repo.content.write"}  # permissions of a fine-grained token
READS, FINE = "read", "fineGrained"


def refuse_reader(who: Mapping, target: Target, *, doing: str, is_there: Callable[[], bool]) -> None:
    """Raise TruerateError, one line that begins with `doing`, where the token of this `whoami` may not write
    to the target.

    `is_there` says whether the repository exists: a scope of one repository makes none.
    """
    namespace, account, token = target.repo.partition("/")[0], str(who.get("name") or "?"), _token(who)
    again = f"set HF_TOKEN to one that may ({constants.ENDPOINT}/settings/tokens), or name another --to"
    if token.get("role") == READS:
        raise EndpointError(f"{doing}: this token of {account!r} may not write: its role is 'read'; {again}")
    if token.get("role") == FINE and isinstance(token.get(FINE), Mapping):
        scopes = list(_scopes(token[FINE]))
        if not any(_covers(kind, name, target, is_there=is_there) for kind, name in scopes):
            allowed = listed(f"{kind} {name}" for kind, name in scopes)
            raise EndpointError(
                f"{doing}: this fine-grained token of {account!r} may not write there; it may write to: {allowed}; {again}"
            )
        return
    orgs = {
        str(organisation.get("name")).casefold(): organisation for organisation in _mappings(who.get("orgs"))
    }
    if namespace.casefold() in (account.casefold(), "?") or "name" not in who:
        return
    own = orgs.get(namespace.casefold())
    if own is None:
        may = listed(
            [
                account,
                *(organisation["name"] for organisation in orgs.values() if _role(organisation) is None),
            ]
        )
        there = f"{target.repo} is there and not yours: " if is_there() else ""
        raise EndpointError(
            f"{doing}: {there}{account!r} is neither {namespace!r} nor a member of it; it may write to: {may}; {again}"
        )
    if role := _role(own):
        raise EndpointError(
            f"{doing}: {account!r} may not write in organisation {namespace!r}: its role there is {role!r}; {again}"
        )


def _token(who: Mapping) -> Mapping:
    auth = who.get("auth")
    token = auth.get("accessToken") if isinstance(auth, Mapping) else None
    return token if isinstance(token, Mapping) else {}


def _scopes(answer: Mapping) -> Iterator[tuple[str, str]]:
    """(kind, name) of the users, organisations and repositories that a fine-grained token may write to."""
    for scope in _mappings(answer.get("scoped")):
        entity, granted = scope.get("entity"), scope.get("permissions")
        if (
            isinstance(entity, Mapping)
            and isinstance(granted, list)
            and WRITES & {one for one in granted if isinstance(one, str)}
        ):
            yield str(entity.get("type")), str(entity.get("name"))


def _covers(kind: str, name: str, target: Target, *, is_there: Callable[[], bool]) -> bool:
    if kind in ("user", "org"):
        return name.casefold() == target.repo.partition("/")[0].casefold()
    return kind == target.kind and name.casefold() == target.repo.casefold() and is_there()


def _role(org: Mapping) -> str | None:
    """The role in an organisation that forbids writing there; None if it or that of a resource group allows it."""
    roles = [org.get("roleInOrg"), *(group.get("role") for group in _mappings(org.get("resourceGroups")))]
    return None if any(role is None or role in MAY_WRITE for role in roles) else str(roles[0])


def _mappings(answer: object) -> list[Mapping]:
    """The mappings in a list of an answer; none where it is no list."""
    return [one for one in answer if isinstance(one, Mapping)] if isinstance(answer, list) else []
