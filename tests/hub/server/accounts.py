"""Who may do what: tokens that write, read, or do so in one place alone; two users, one organisation."""

from dataclasses import dataclass

from .wire import Refusal, Request

WRITE_TOKEN = "hf_" + "WritesAsSomeone" * 2
READ_TOKEN = "hf_" + "ReadsAsSomeone" * 2
OTHER_TOKEN = "hf_" + "WritesAsStranger" * 2
GUEST_TOKEN = "hf_" + "WritesAsGuestOfOrg" * 2  # of an account that only reads in the organisation
FINE_TOKEN = "hf_" + "WritesInOrgAlone" * 2  # fine-grained


@dataclass(frozen=True)
class Account:
    """A token's owner, the organisations they write in, and whether this token may write.

    `reads_in`: organisations in which the account may only read. `scope`: the one organisation that a
    fine-grained token writes in.
    """

    user: str
    orgs: tuple[str, ...]
    may_write: bool
    reads_in: tuple[str, ...] = ()
    scope: str | None = None

    @property
    def namespaces(self) -> tuple[str, ...]:
        """Under which names this account may make repositories."""
        return (self.scope,) if self.scope else (self.user, *self.orgs)

    def described(self) -> dict:
        """What whoami answers."""
        roles = dict.fromkeys(self.orgs, "write") | dict.fromkeys(self.reads_in, "read")
        orgs = [
            {"type": "org", "id": f"id-{org}", "name": org, "fullname": org, "roleInOrg": role}
            for org, role in roles.items()
        ]
        role = "fineGrained" if self.scope else "write" if self.may_write else "read"
        token = {"displayName": f"{role} token", "role": role, "createdAt": "2026-01-01T00:00:00.000Z"}
        if self.scope:
            scoped = {
                "entity": {"_id": "id", "type": "org", "name": self.scope},
                "permissions": ["repo.content.read", "repo.write"],
            }
            token["fineGrained"] = {"canReadGatedRepos": False, "global": [], "scoped": [scoped]}
        return {
            "type": "user", "id": f"id-{self.user}", "name": self.user, "fullname": self.user, "email": f"{self.user}@example.org",
            "emailVerified": True, "canPay": False, "isPro": False, "periodEnd": None, "avatarUrl": "", "orgs": orgs,
            "auth": {"type": "access_token", "accessToken": token},
        }  # fmt: skip


ACCOUNTS = {
    WRITE_TOKEN: Account("someone", ("org",), may_write=True),
    READ_TOKEN: Account("someone", ("org",), may_write=False),
    OTHER_TOKEN: Account("stranger", (), may_write=True),
    GUEST_TOKEN: Account("guest", (), may_write=True, reads_in=("org",)),
    FINE_TOKEN: Account("someone", ("org",), may_write=True, scope="org"),
}


def account_of(request: Request) -> Account | None:
    """Who asks; None without a token; Refusal 401 for a token that nobody has."""
    header = request.headers.get("Authorization")
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    if scheme != "Bearer" or token not in ACCOUNTS:
        raise Refusal(401, "Invalid credentials in Authorization header")
    return ACCOUNTS[token]


def writer_of(request: Request) -> Account:
    """Who asks, if their token may write; Refusal 401 without one, 403 for a token that only reads."""
    account = account_of(request)
    if account is None:
        raise Refusal(401, "Invalid username or password.")
    if not account.may_write:
        raise Refusal(403, "Forbidden: you must use a write token to upload to a repository.")
    return account
