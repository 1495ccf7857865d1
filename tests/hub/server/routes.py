"""What the first port answers: accounts, repositories, their files, and the commit that shows all at once."""

import base64
import hashlib
import json
from glob import escape
from urllib.parse import quote, unquote

from .accounts import account_of, writer_of
from .cards import faults_of, front_matter, warnings_of
from .objects import signed
from .repos import (
    KINDS,
    PAGES,
    Commit,
    Entry,
    Repo,
    Site,
    check_path,
    check_repo_name,
    commit_at,
    large,
    regular,
)
from .wire import Answer, Refusal, Request, of_json, ranged

# how the address of a repository begins
REPO = r"/api/(?P<kinds>models|datasets|spaces)/(?P<name>[^/]+/[^/]+)"
AT = r"/(?P<revision>[^/]+)"
RESOLVE = r"/(?P<page>datasets/|spaces/)?(?P<name>[^/]+/[^/]+)/resolve/(?P<revision>[^/]+)/(?P<path>.+)"
MOVED = "A commit has happened since. Please refresh and try again."


# ---- repositories ------------------------------------------------------------------------------------------
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
    if kind not in KINDS.values() or (kind == "space" and asked.get("sdk") != "static"):
        raise Refusal(400, f"Invalid repo type or sdk: {kind!r}, {asked.get('sdk')!r}")
    if namespace not in account.namespaces:
        raise Refusal(403, f'You don\'t have the rights to create a {kind} under the namespace "{namespace}"')
    name = f"{namespace}/{check_repo_name(asked.get('name'))}"
    address = f"{site.url}/{PAGES[kind]}{name}"
    with site.lock:
        if (kind, name.lower()) in {(kind, name.lower()) for kind, name in site.repos}:
            raise Refusal(409, f"You already created this {kind} repo: {name}", url=address)
        site.repos[kind, name] = Repo(kind, name, is_private=asked.get("visibility") == "private")
    return of_json({"url": address, "name": name})


def settings(site: Site, request: Request, kinds: str, name: str) -> Answer:
    """Change who sees a repository."""
    asked = request.json()
    if set(asked) - {"visibility", "private"}:
        raise Refusal(400, f"Unknown settings: {', '.join(asked)}")
    repo, _ = site.find_for_writing(request, kinds, name)
    repo.is_private = "private" in (asked.get("visibility"), *(["private"] if asked.get("private") else []))
    return of_json({"private": repo.is_private})


def info(site: Site, request: Request, kinds: str, name: str, revision: str = "main") -> Answer:
    """What a repository is at a revision: its files, its card's data, its rights."""
    repo, _ = site.find(request, kinds, name)
    commit = commit_at(repo, revision)
    readme = commit.tree.get("README.md")
    card = front_matter(readme.content.decode("utf-8", "replace"))[0] if readme else None
    siblings = [
        {"rfilename": path, "size": entry.size, "blobId": entry.oid} | entry.lfs
        for path, entry in commit.tree.items()
    ]
    rights = {"private": repo.is_private, "gated": "auto" if repo.is_gated else False, "disabled": False}
    return of_json(
        {
            "_id": repo.name,
            "id": repo.name,
            "author": repo.name.partition("/")[0],
            "sha": commit.oid,
            "lastModified": commit.date,
            "createdAt": repo.commits[0].date,
            "downloads": 0,
            "likes": 0,
            "tags": [str(tag) for tag in (card or {}).get("tags") or []],
            "siblings": siblings,
            "cardData": card,
        }
        | rights
    )


def refs(site: Site, request: Request, kinds: str, name: str) -> Answer:
    """Main and the tags with their commits."""
    repo, _ = site.find(request, kinds, name)
    main = [{"name": "main", "ref": "refs/heads/main", "targetCommit": repo.head.oid}]
    tags = [{"name": tag, "ref": f"refs/tags/{tag}", "targetCommit": oid} for tag, oid in repo.tags.items()]
    return of_json({"branches": main, "tags": tags, "converts": [], "pullRequests": []})


def create_tag(site: Site, request: Request, kinds: str, name: str, revision: str) -> Answer:
    """Name a commit for good; 409 where the name is taken: a tag never moves."""
    with site.lock:
        repo, _ = site.find_for_writing(request, kinds, name)
        tag, commit = request.json()["tag"], commit_at(repo, revision)
        if tag in repo.tags:
            raise Refusal(409, f"Tag reference exists already: refs/tags/{tag}")
        repo.tags[tag] = commit.oid
    return of_json({"ref": f"refs/tags/{tag}"})


def validate(site: Site, request: Request) -> Answer:
    """The check that a client asks for before it commits a card: 400 with the errors, else 200 with the
    warnings.
    """
    asked = request.json()
    text, kind = asked["content"], asked.get("repoType", "model")
    errors, warnings = faults_of(text, kind=kind), warnings_of(text, kind=kind)
    lines = {"errors": errors, "warnings": warnings}
    answer = {key: [{"message": line} for line in words] for key, words in lines.items()}
    return of_json(answer, status=400 if errors else 200)


# ---- files -------------------------------------------------------------------------------------------------
def tree(site: Site, request: Request, kinds: str, name: str, revision: str, path: str = "") -> Answer:
    """The entries below a folder, by path, with a link to the next page."""
    repo, _ = site.find(request, kinds, name)
    commit, prefix = commit_at(repo, revision), f"{unquote(path).strip('/')}/".lstrip("/")
    files = {name: entry for name, entry in commit.tree.items() if name.startswith(prefix)}
    parts = [name.split("/") for name in files]
    folders = {"/".join(names[:n]): None for names in parts for n in range(1, len(names))}
    entries = {name: None for name in folders if name.startswith(prefix)} | files
    if prefix and not entries:
        raise Refusal(404, f"{prefix} does not exist on {unquote(revision)!r}", "EntryNotFound")
    is_recursive = request.first("recursive").lower() in ("1", "true")
    rest = [name for name in sorted(entries) if name > request.first("cursor")]
    rest = [name for name in rest if is_recursive or "/" not in name.removeprefix(prefix)]
    page, headers = rest[: site.page], {}
    if len(rest) > len(page):
        query = f"recursive={str(is_recursive).lower()}&cursor={quote(page[-1], safe='')}"
        headers["Link"] = f'<{site.url}{request.path}?{query}>; rel="next"'
    return of_json([_shape(name, entries[name], commit) for name in page], headers=headers)


def _shape(path: str, entry: Entry | None, commit: Commit) -> dict:
    """A file or folder (None) as the Hub shows it."""
    last = {"lastCommit": {"id": commit.oid, "title": commit.title, "date": commit.date}}
    if entry is None:
        return {"type": "directory", "oid": hashlib.sha1(path.encode()).hexdigest(), "path": path} | last
    return {"type": "file", "oid": entry.oid, "size": entry.size, "path": path} | last | entry.lfs


def resolve(site: Site, request: Request, page: str | None, name: str, revision: str, path: str) -> Answer:
    """A file at a revision: itself, or for a large object the address where it is stored."""
    repo = site.find_for_files(request, (page or "models/").rstrip("/"), name)
    commit = commit_at(repo, revision)
    entry, headers = commit.tree.get(unquote(path)), {"X-Repo-Commit": commit.oid, "Accept-Ranges": "bytes"}
    if entry is None:
        refused = Refusal(404, f"Entry not found: {unquote(path)}", "EntryNotFound").answer()
        refused.headers |= headers
        return refused
    if entry.sha256:
        headers |= {"X-Linked-Etag": f'"{entry.sha256}"', "X-Linked-Size": str(entry.size)}
        return Answer(302, b"", headers | {"Location": signed(site, "GET", repo, entry.sha256)})
    headers |= {"ETag": f'"{entry.oid}"', "Content-Type": "text/plain; charset=utf-8"}
    return ranged(request, entry.content, headers)


# ---- commits -----------------------------------------------------------------------------------------------
def preupload(site: Site, request: Request, kinds: str, name: str, revision: str) -> Answer:
    """How each file is to be sent, and what the repository holds under its path."""
    repo, _ = site.find_for_writing(request, kinds, name)
    present, results = commit_at(repo, revision).tree, []
    for asked in request.json().get("files", []):
        path, entry = check_path(asked["path"]), present.get(asked["path"])
        is_large = site.must_be_large(path, asked["size"], present)
        mode = "lfs" if is_large or b"\0" in base64.b64decode(asked["sample"]) else "regular"
        oid = entry and (entry.sha256 or entry.oid)
        results.append({"path": path, "uploadMode": mode, "shouldIgnore": False, "oid": oid})
    return of_json({"files": results})


def commit(site: Site, request: Request, kinds: str, name: str, revision: str) -> Answer:
    """Apply operations to the head of main: the whole of them becomes its new head, or nothing changes."""
    try:
        lines = [json.loads(line) for line in request.body.splitlines()]
        (header, *operations) = [(line["key"], line["value"]) for line in lines]
        title = header[1]["summary"]
    except (ValueError, KeyError, TypeError):
        raise Refusal(400, "A commit begins with one header, and each line is an operation") from None
    if header[0] != "header" or not title or not operations:
        raise Refusal(400, "A commit begins with one header, has a summary, and is not empty")
    with site.lock:
        repo, account = site.find_for_writing(request, kinds, name)
        if unquote(revision) != "main":
            raise Refusal(404, f"Invalid rev id: {revision} is not a branch", "RevisionNotFound")
        if header[1].get("parentCommit", repo.head.oid) != repo.head.oid:
            raise Refusal(412, MOVED)
        new = Commit(title, account.user, _applied(site, repo, operations))
        repo.commits.append(new)
    page = f"{site.url}/{PAGES[repo.kind]}{repo.name}/commit/{new.oid}"
    return of_json({"success": True, "commitOid": new.oid, "commitUrl": page, "hookOutput": ""})


def _applied(site: Site, repo: Repo, operations: list[tuple[str, dict]]) -> dict[str, Entry]:
    """The tree after the operations: deletions first, then files; Refusal 400 where they cannot all hold."""
    head, new = repo.head.tree, dict(repo.head.tree)
    paths = [(key.startswith("deleted"), check_path(value.get("path"))) for key, value in operations]
    if twice := {path for path in paths if paths.count(path) > 1}:
        raise Refusal(400, f"Duplicate path {min(twice)[1]!r} in one commit")
    for key, value in sorted(operations, key=lambda operation: operation[0] != "deletedFile"):
        path = value["path"]
        if key == "file":
            new[path] = _regular(site, new, path, value)
        elif key == "lfsFile":
            new[path] = _large(repo, path, value)
        elif key != "deletedFile":
            raise Refusal(400, f"Unknown operation {key!r}")
        elif new.pop(path, None) is None:
            raise Refusal(404, f"A file with this name doesn't exist: {path}", "EntryNotFound")
    folders = {"/".join(path.split("/")[:n]) for path in new for n in range(1, path.count("/") + 1)}
    if both := folders & new.keys():
        raise Refusal(400, f"{min(both)!r} is both a file and a folder")
    if new == head:
        raise Refusal(400, "Your commit is empty: it changes no file")
    untracked = [path for path, entry in new.items() if entry.sha256 and not site.must_be_large(path, 1, new)]
    if untracked:  # a large object that no line covers is noted, as the Hub does by itself
        lines = "".join(f"{escape(path)} filter=lfs diff=lfs merge=lfs -text\n" for path in untracked)
        new[".gitattributes"] = regular(new[".gitattributes"].content + lines.encode())
    readme = new.get("README.md")
    if readme and readme != head.get("README.md"):
        if wrong := faults_of(readme.content.decode("utf-8", "replace"), kind=repo.kind):
            raise Refusal(400, "Invalid metadata in README.md: " + "; ".join(wrong))
    return new


def _regular(site: Site, present: dict[str, Entry], path: str, value: dict) -> Entry:
    """A regular file; refused where it has to be a large object."""
    try:
        content = base64.b64decode(value["content"], validate=True)
    except (KeyError, TypeError, ValueError):
        raise Refusal(400, f"File {path!r}: its content is not base64") from None
    if site.must_be_large(path, len(content), present) or b"\0" in content[:512]:
        raise Refusal(400, f"Your push was rejected because {path!r} has to be stored with git-lfs")
    return regular(content)


def _large(repo: Repo, path: str, value: dict) -> Entry:
    """A large object, which must have been uploaded to this very repository, with this size."""
    content = repo.objects.get(str(value.get("oid")))
    if content is None:
        raise Refusal(400, f"LFS pointer of {path!r} points to an object not uploaded to this repository")
    if value.get("size", len(content)) != len(content):
        raise Refusal(400, f"LFS pointer of {path!r} says {value['size']} bytes, it has {len(content)}")
    return large(content)


ROUTES = [
    ("GET", r"/api/whoami-v2", whoami),
    ("POST", r"/api/validate-yaml", validate),
    ("POST", r"/api/repos/create", create),
    ("PUT", REPO + r"/settings", settings),
    ("GET", REPO, info),
    ("GET", REPO + r"/revision" + AT, info),
    ("GET", REPO + r"/refs", refs),
    ("POST", REPO + r"/tag" + AT, create_tag),
    ("GET", REPO + r"/tree" + AT + r"(?:/(?P<path>.*))?", tree),
    ("GET", RESOLVE, resolve),
    ("POST", REPO + r"/preupload" + AT, preupload),
    ("POST", REPO + r"/commit" + AT, commit),
]
