"""Writing: which files go up how, and the commit that shows all of them at once or none."""

import base64
import binascii
import hashlib
import json
from glob import escape
from urllib.parse import unquote

from .cards import faults_of
from .names import PAGES, check_path
from .site import REPO, Limits, Site, attributes_of, commit_at, find_for_writing, must_be_large
from .state import Entry, Repo, large
from .wire import Answer, Refusal, Request, of_json

MOVED = "A commit has happened since. Please refresh and try again."


def preupload(site: Site, request: Request, kinds: str, name: str, revision: str) -> Answer:
    """How each file is to be sent, and what the repository holds under its path."""
    refuse_pull_request(request)
    repo, _ = find_for_writing(site, request, kinds, name)
    tree = dict(commit_at(repo, revision).tree)
    attributes, results = attributes_of(repo, tree), []
    for asked in request.json().get("files", []):
        path, size = check_path(asked.get("path")), asked.get("size")
        if not isinstance(size, int) or "sample" not in asked:
            raise Refusal(400, f"File {path!r} needs a size and a sample")
        is_large = must_be_large(
            path, size, attributes=attributes, limits=site.limits
        ) or b"\0" in base64.b64decode(asked["sample"])
        kept = tree.get(path)
        mode, oid = "lfs" if is_large else "regular", kept and (kept.sha256 or kept.oid)
        results.append({"path": path, "uploadMode": mode, "shouldIgnore": False, "oid": oid})
    return of_json({"files": results})


def commit(site: Site, request: Request, kinds: str, name: str, revision: str) -> Answer:
    """Apply operations to the head of a branch: the whole of them becomes its new head, or nothing changes."""
    refuse_pull_request(request)
    if request.headers.get("Content-Type") != "application/x-ndjson":
        raise Refusal(400, "A commit is sent as application/x-ndjson")
    branch, lines = unquote(revision), parse(request.body)
    header, operations = lines[0]["value"], lines[1:]
    with site.state.lock:
        repo, account = find_for_writing(site, request, kinds, name)
        record = repo.record
        if branch not in record["branches"]:
            raise Refusal(404, f"Invalid rev id: {branch} is not a branch", "RevisionNotFound")
        head = repo.commit(record["branches"][branch])
        if "parentCommit" in header and header["parentCommit"] != head.oid:
            raise Refusal(412, MOVED)
        tree = apply(site, repo, dict(head.tree), operations)
        created = repo.put_commit(
            tree,
            parent=head.oid,
            title=header["summary"],
            message=header.get("description", ""),
            author=account.user,
        )
        record["branches"][branch] = created.oid
        repo.save(record)
    page = f"{site.url}/{PAGES[repo.kind]}{repo.name}/commit/{created.oid}"
    return of_json({"success": True, "commitOid": created.oid, "commitUrl": page, "hookOutput": ""})


def refuse_pull_request(request: Request) -> None:
    """Refusal 501 for what would become a pull request."""
    if request.is_asked("create_pr"):
        raise Refusal(501, "Pull requests are not served here")


def parse(body: bytes) -> list[dict]:
    """The lines of a commit, the header first; Refusal 400 where one is no operation."""
    results = []
    if not body:
        raise Refusal(400, "A commit begins with one header")
    for number, line in enumerate(body.decode("utf-8", "replace").removesuffix("\n").split("\n"), 1):
        try:
            operation = json.loads(line)
            is_one = isinstance(operation["key"], str) and isinstance(operation["value"], dict)
        except (ValueError, KeyError, TypeError):
            is_one = False
        if not is_one:
            raise Refusal(400, f"Invalid ndjson: line {number} is not an operation")
        results.append(operation)
    if (
        not results
        or results[0]["key"] != "header"
        or any(operation["key"] == "header" for operation in results[1:])
    ):
        raise Refusal(400, "A commit begins with one header")
    if not results[0]["value"].get("summary"):
        raise Refusal(400, "A commit needs a summary")
    if len(results) == 1:
        raise Refusal(400, "Your commit is empty")
    return results


def apply(site: Site, repo: Repo, tree: dict[str, Entry], operations: list[dict]) -> dict[str, Entry]:
    """The tree after the operations: deletions first, then files; Refusal 400 where they cannot all hold."""
    head, written = dict(tree), set()
    for operation in sorted(operations, key=lambda found: not found["key"].startswith("deleted")):
        key, value = operation["key"], operation["value"]
        if key not in APPLY:
            raise Refusal(400, f"Unknown operation {key!r}")
        path = check_path(value.get("path"), is_folder=key == "deletedFolder")
        if (key.startswith("deleted"), path) in written:
            raise Refusal(400, f"Duplicate path {path!r} in one commit")
        written.add((key.startswith("deleted"), path))
        APPLY[key](site, repo, tree, path, value)
    check_clashes(tree)
    if tree == head:
        raise Refusal(400, "Your commit is empty: it changes no file")
    track_large(repo, tree)
    if "README.md" in tree and tree["README.md"] != head.get("README.md"):
        if wrong := faults_of(repo.content(tree["README.md"]).decode("utf-8", "replace"), kind=repo.kind):
            raise Refusal(400, "Invalid metadata in README.md: " + "; ".join(wrong))
    return tree


def write_file(site: Site, repo: Repo, tree: dict, path: str, value: dict) -> None:
    """A regular file; refused where it has to be a large object."""
    if value.get("encoding") != "base64":
        raise Refusal(400, f"File {path!r}: the encoding must be base64")
    try:
        content = base64.b64decode(value.get("content", ""), validate=True)
    except (binascii.Error, TypeError, ValueError):
        raise Refusal(400, f"File {path!r}: its content is not base64") from None
    is_large = must_be_large(path, len(content), attributes=attributes_of(repo, tree), limits=site.limits)
    if is_large or b"\0" in content[:512]:
        raise Refusal(400, f"Your push was rejected because {path!r} has to be stored with git-lfs")
    tree[path] = repo.put_blob(content)


def write_large(site: Site, repo: Repo, tree: dict, path: str, value: dict) -> None:
    """A large object, which must have been uploaded to this very repository, with this size."""
    sha256, size = str(value.get("oid")), value.get("size")
    kept = repo.object_path(sha256)
    if value.get("algo") != "sha256" or len(sha256) != 64 or not kept.is_file():
        raise Refusal(
            400,
            f"LFS pointer of {path!r} points to an object that was not uploaded to this repository: {sha256}",
        )
    if size is not None and kept.stat().st_size != size:
        raise Refusal(400, f"LFS pointer of {path!r} says {size} bytes, the object has {kept.stat().st_size}")
    if hashlib.sha256(kept.read_bytes()).hexdigest() != sha256:
        raise Refusal(400, f"The object of {path!r} is damaged")
    tree[path] = large(sha256, kept.stat().st_size)


def delete_file(site: Site, repo: Repo, tree: dict, path: str, value: dict) -> None:
    """Take a file away; Refusal EntryNotFound where it is not there."""
    if path not in tree:
        raise Refusal(404, f"A file with this name doesn't exist: {path}", "EntryNotFound")
    del tree[path]


def delete_folder(site: Site, repo: Repo, tree: dict, path: str, value: dict) -> None:
    """Take all files below a folder away; Refusal EntryNotFound where there are none."""
    gone = [results for results in tree if results.startswith(f"{path}/")]
    if not gone:
        raise Refusal(404, f"A folder with this name doesn't exist: {path}", "EntryNotFound")
    for results in gone:
        del tree[results]


def check_clashes(tree: dict[str, Entry]) -> None:
    """Refuse a path that is both a file and a folder."""
    for path in tree:
        parts = path.split("/")
        for n in range(1, len(parts)):
            if "/".join(parts[:n]) in tree:
                raise Refusal(400, f"{'/'.join(parts[:n])!r} is both a file and a folder")


def track_large(repo: Repo, tree: dict[str, Entry]) -> None:
    """Note in .gitattributes every large object that no line of it covers, as the Hub does by itself."""
    attributes = attributes_of(repo, tree)
    by_name = Limits(large_above=2**62)
    stored = [(path, entry.size) for path, entry in tree.items() if entry.sha256]
    missing = [
        path for path, size in stored if not must_be_large(path, size, attributes=attributes, limits=by_name)
    ]
    if missing:
        lines = "".join(
            f"{escape(path).replace(' ', '?')} filter=lfs diff=lfs merge=lfs -text\n" for path in missing
        )
        tree[".gitattributes"] = repo.put_blob((attributes + lines).encode())


APPLY = {
    "file": write_file,
    "lfsFile": write_large,
    "deletedFile": delete_file,
    "deletedFolder": delete_folder,
}
ROUTES = [
    ("POST", REPO + r"/preupload/(?P<revision>[^/]+)", preupload),
    ("POST", REPO + r"/commit/(?P<revision>[^/]+)", commit),
]
