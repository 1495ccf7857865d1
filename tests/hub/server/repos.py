"""Repositories as wholes: who am I, make, delete, settings, what they are, branches and tags."""

from urllib.parse import unquote

from .accounts import account_of, writer_of
from .cards import front_matter
from .names import KINDS, PAGES, check_ref, check_repo_name
from .site import ATTRIBUTES, REPO, Site, commit_at, find, find_for_files, find_for_writing
from .state import Commit, Repo
from .wire import Answer, Refusal, Request, of_json


def whoami(site: Site, request: Request) -> Answer:
    """Whose token it is; Refusal 401 without one."""
    account = account_of(request)
    if account is None:
        raise Refusal(401, "Invalid username or password.")
    return of_json(account.described())


def create(site: Site, request: Request) -> Answer:
    """Make a repository; 409 where its name is taken, whatever the case of its letters."""
    asked, account = request.json(), writer_of(request)
    kind, namespace = asked.get("type", "model"), asked.get("organization") or account.user
    if kind not in KINDS.values():
        raise Refusal(400, f"Invalid repo type: {kind!r}")
    if kind == "space" and asked.get("sdk") not in ("static", "docker", "gradio"):
        raise Refusal(400, f"Invalid sdk of a space: {asked.get('sdk')!r}")
    visibility = asked.get("visibility", "public")
    if visibility not in ("public", "private"):
        raise Refusal(400, f"Invalid visibility: {visibility!r}")
    if namespace not in account.namespaces:
        raise Refusal(403, f'You don\'t have the rights to create a {kind} under the namespace "{namespace}"')
    name = f"{namespace}/{check_repo_name(asked.get('name'))}"
    with site.state.lock:
        if any(repo.kind == kind and repo.name.lower() == name.lower() for repo in site.state.repos()):
            raise Refusal(409, f"You already created this {kind} repo: {name}", url=address(site, kind, name))
        repo = site.state.create(kind, name, visibility=visibility, attributes=ATTRIBUTES.encode())
    return of_json({"url": address(site, kind, name), "name": name, "id": repo.record["id"]})


def delete(site: Site, request: Request) -> Answer:
    """Take a repository away with all it holds."""
    asked = request.json()
    kinds = f"{asked.get('type', 'model')}s"
    if kinds not in KINDS:
        raise Refusal(400, f"Invalid repo type: {asked.get('type')!r}")
    namespace = asked.get("organization") or writer_of(request).user
    with site.state.lock:
        repo, _ = find_for_writing(site, request, kinds, f"{namespace}/{asked.get('name')}")
        site.state.delete(repo)
    return Answer(200, b"OK")


def settings(site: Site, request: Request, kinds: str, name: str) -> Answer:
    """Change who sees a repository, or who reads its files."""
    asked, changes = request.json(), {}
    if unknown := sorted(set(asked) - {"visibility", "private", "gated"}):
        raise Refusal(400, f"Unknown settings: {', '.join(unknown)}")
    if "visibility" in asked or "private" in asked:
        visibility = asked.get("visibility", "private" if asked.get("private") else "public")
        if visibility not in ("public", "private"):
            raise Refusal(400, f"Invalid visibility: {visibility!r}")
        changes["private"] = visibility == "private"
    if "gated" in asked:
        if asked["gated"] not in ("auto", "manual", False):
            raise Refusal(400, f"Invalid gated mode: {asked['gated']!r}")
        changes["gated"] = asked["gated"]
    with site.state.lock:
        repo, _ = find_for_writing(site, request, kinds, name)
        repo.update(**changes)
    return of_json({"private": repo.record["private"], "gated": repo.record["gated"]})


def info(site: Site, request: Request, kinds: str, name: str, revision: str = "main") -> Answer:
    """What a repository is at a revision: its files, its card's data, its rights."""
    repo, _ = find(site, request, kinds, name)
    return of_json(described(repo, commit_at(repo, revision), with_blobs=request.is_asked("blobs")))


def described(repo: Repo, commit: Commit, *, with_blobs: bool) -> dict:
    """The fields that dataset_info and model_info read."""
    record, readme = repo.record, commit.tree.get("README.md")
    card = front_matter(repo.content(readme).decode("utf-8", "replace"))[0] if readme else None
    siblings = [{"rfilename": path} for path in commit.tree]
    for sibling in siblings if with_blobs else ():
        entry = commit.tree[sibling["rfilename"]]
        sibling |= {"size": entry.size, "blobId": entry.oid}
        if entry.sha256:
            sibling["lfs"] = {"sha256": entry.sha256, "size": entry.size, "pointerSize": len(entry.pointer)}
    return {
        "_id": record["id"], "id": repo.name, "author": repo.name.partition("/")[0], "sha": commit.oid, "lastModified": commit.date,
        "createdAt": record["created"], "private": record["private"], "gated": record["gated"], "disabled": False, "downloads": 0,
        "likes": 0, "tags": tags_of(card or {}), "siblings": siblings, "cardData": card,
        "usedStorage": sum(entry.size for entry in commit.tree.values()),
    }  # fmt: skip


def tags_of(card: dict) -> list[str]:
    """The labels by which the Hub finds a repository, from its card."""
    results = [str(tag) for tag in card.get("tags") or []]
    for key in ("license", "language", "size_categories", "task_categories"):
        value = card.get(key) or []
        results += [f"{key}:{each}" for each in (value if isinstance(value, list) else [value])]
    return [*results, "region:us"]


def refs(site: Site, request: Request, kinds: str, name: str) -> Answer:
    """Branches and tags with their commits."""
    repo, _ = find(site, request, kinds, name)
    record = repo.record
    branches = [
        {"name": key, "ref": f"refs/heads/{key}", "targetCommit": oid}
        for key, oid in record["branches"].items()
    ]
    tags = [
        {"name": key, "ref": f"refs/tags/{key}", "targetCommit": tag["oid"]}
        for key, tag in record["tags"].items()
    ]
    return of_json({"branches": branches, "tags": tags, "converts": [], "pullRequests": []})


def create_tag(site: Site, request: Request, kinds: str, name: str, revision: str) -> Answer:
    """Name a commit for good; 409 where the name is taken: a tag never moves."""
    asked = request.json()
    tag = check_ref(asked.get("tag"), what="tag")
    with site.state.lock:
        repo, _ = find_for_writing(site, request, kinds, name)
        record, commit = repo.record, commit_at(repo, revision)
        if tag in record["tags"]:
            raise Refusal(409, f"Tag reference exists already: refs/tags/{tag}")
        record["tags"][tag] = {"oid": commit.oid, "message": asked.get("message", "")}
        repo.save(record)
    return of_json({"ref": f"refs/tags/{tag}"})


def create_branch(site: Site, request: Request, kinds: str, name: str, branch: str) -> Answer:
    """A second line of commits; 409 where its name is taken."""
    named = check_ref(unquote(branch), what="branch")
    with site.state.lock:
        repo, _ = find_for_writing(site, request, kinds, name)
        record = repo.record
        if named in record["branches"]:
            raise Refusal(409, f"Reference already exists: refs/heads/{named}")
        record["branches"][named] = commit_at(repo, request.json().get("startingPoint", "main")).oid
        repo.save(record)
    return of_json({"ref": f"refs/heads/{named}"})


def delete_ref(site: Site, request: Request, kinds: str, name: str, what: str, ref: str) -> Answer:
    """Take a tag or a branch away; never main."""
    with site.state.lock:
        repo, _ = find_for_writing(site, request, kinds, name)
        record, among = repo.record, {"tag": "tags", "branch": "branches"}[what]
        if unquote(ref) not in record[among]:
            raise Refusal(404, f"Reference does not exist: {unquote(ref)}", "RevisionNotFound")
        if what == "branch" and unquote(ref) == "main":
            raise Refusal(403, "The default branch cannot be deleted")
        del record[among][unquote(ref)]
        repo.save(record)
    return Answer(200, b"OK")


def may(site: Site, request: Request, kinds: str, name: str, write: str | None = None) -> Answer:
    """Whether whoever asks may read the files, or write."""
    (find_for_writing if write else find_for_files)(site, request, kinds, name)
    return of_json({"status": "ok"})


def address(site: Site, kind: str, name: str) -> str:
    """A repository's page."""
    return f"{site.url}/{PAGES[kind]}{name}"


ROUTES = [
    ("GET", r"/api/whoami-v2", whoami), ("POST", r"/api/repos/create", create),
    ("DELETE", r"/api/repos/delete", delete), ("PUT", REPO + r"/settings", settings), ("GET", REPO, info),
    ("GET", REPO + r"/revision/(?P<revision>[^/]+)", info), ("GET", REPO + r"/refs", refs),
    ("GET", REPO + r"/auth-check(?P<write>/write)?", may),
    ("POST", REPO + r"/tag/(?P<revision>[^/]+)", create_tag),
    ("POST", REPO + r"/branch/(?P<branch>[^/]+)", create_branch),
    ("DELETE", REPO + r"/(?P<what>tag|branch)/(?P<ref>[^/]+)", delete_ref),
]  # fmt: skip
