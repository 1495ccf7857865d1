"""Large objects: the batch that says what to send where, and the second port that stores and serves them by
signed addresses.
"""

import hashlib
import hmac
import json
import secrets
import time
from urllib.parse import unquote

from .names import KINDS, PAGES, kinds_of
from .site import Site, commit_at, find_for_writing
from .state import Repo, write_whole
from .wire import Answer, Refusal, Request, of_json, ranged

LFS = r"/(?P<page>datasets/|spaces/)?(?P<name>[^/]+/[^/]+)\.git/info/lfs/objects"
SHA256 = r"[0-9a-f]{64}"
OBJECT = rf"/objects/(?P<kinds>models|datasets|spaces)/(?P<name>[^/]+/[^/]+)/(?P<sha256>{SHA256})(?:/(?P<upload>\w+)/(?P<number>\d+))?"
COMPLETE = rf"/api/complete_multipart/(?P<kinds>models|datasets|spaces)/(?P<name>[^/]+/[^/]+)/(?P<sha256>{SHA256})/(?P<upload>\w+)"


def signature(site: Site, method: str, path: str, *, until: int, size: int) -> str:
    """What only this server can say of a method, a path, a time and a size."""
    words = f"{method} {path} {until} {size}".encode()
    return hmac.new(site.state.key, words, hashlib.sha256).hexdigest()


def signed(
    site: Site, method: str, repo: Repo, sha256: str, *, size: int = 0, upload: str = "", number: int = 0
) -> str:
    """An address that allows one method on one object for a while; `size`: how much may be put there,
    `upload`, `number`: a part of it.
    """
    path = f"/objects/{repo.kind}s/{repo.name}/{sha256}" + (f"/{upload}/{number}" if number else "")
    base = site.objects_url
    if upload and not number:
        path, base = f"/api/complete_multipart/{repo.kind}s/{repo.name}/{sha256}/{upload}", site.url
    until = int(time.time()) + site.limits.url_seconds
    return f"{base}{path}?until={until}&size={size}&signature={signature(site, method, path, until=until, size=size)}"


def check_signature(site: Site, request: Request) -> int:
    """The size that a signed address allows; Refusal 403 where it is forged, for another method, or has
    expired.
    """
    until, size = (int(request.first(name, "0") or 0) for name in ("until", "size"))
    method = "GET" if request.method == "HEAD" else request.method
    if not hmac.compare_digest(
        signature(site, method, request.path, until=until, size=size), request.first("signature")
    ):
        raise Refusal(403, "SignatureDoesNotMatch")
    if until < time.time():
        raise Refusal(403, "Request has expired")
    return size


def batch(site: Site, request: Request, page: str | None, name: str) -> Answer:
    """For each object: nothing where it is here, else where to put it, whole or in parts."""
    repo, _ = find_for_writing(site, request, kinds_of(page), name)
    asked = request.json()
    if asked.get("operation") != "upload" or asked.get("hash_algo", "sha256") != "sha256":
        raise Refusal(422, "Only uploads of sha256 objects are served here")
    if "ref" in asked and asked["ref"]["name"] not in repo.record["branches"]:
        commit_at(repo, asked["ref"]["name"])  # says which revision is not there
        raise Refusal(404, f"{asked['ref']['name']} is not a branch", "RevisionNotFound")
    transfers = asked.get("transfers") or ["basic"]
    objects = [
        action(site, repo, results, may_split="multipart" in transfers)
        for results in asked.get("objects", [])
    ]
    is_split = any(
        "chunk_size" in results.get("actions", {}).get("upload", {}).get("header", {}) for results in objects
    )
    answer = {"transfer": "multipart" if is_split else "basic", "objects": objects}
    return of_json(answer, headers={"Content-Type": "application/vnd.git-lfs+json"})


def action(site: Site, repo: Repo, asked: dict, *, may_split: bool) -> dict:
    """What to do about one object."""
    sha256, size = asked.get("oid"), asked.get("size")
    results = {"oid": sha256, "size": size}
    if not isinstance(sha256, str) or len(sha256) != 64 or not isinstance(size, int) or size <= 0:
        return results | {"error": {"code": 422, "message": "An object needs a sha256 and a size above 0"}}
    if repo.object_path(sha256).is_file():
        return results
    verify = {"href": f"{site.url}/{PAGES[repo.kind]}{repo.name}.git/info/lfs/objects/verify", "header": {}}
    limits = site.limits
    if size <= limits.parts_above or not may_split:
        return results | {
            "actions": {
                "upload": {"href": signed(site, "PUT", repo, sha256, size=size), "header": {}},
                "verify": verify,
            }
        }
    upload, n_parts = secrets.token_hex(8), -(-size // limits.part_size)
    header = {"chunk_size": str(limits.part_size)}
    for number in range(1, n_parts + 1):
        ours = min(limits.part_size, size - (number - 1) * limits.part_size)
        header[f"{number:05d}"] = signed(site, "PUT", repo, sha256, size=ours, upload=upload, number=number)
    href = signed(site, "POST", repo, sha256, size=size, upload=upload)
    return results | {"actions": {"upload": {"href": href, "header": header}, "verify": verify}}


def verify(site: Site, request: Request, page: str | None, name: str) -> Answer:
    """Whether an object has arrived, with the size that the client believes it has."""
    repo, _ = find_for_writing(site, request, kinds_of(page), name)
    asked = request.json()
    path = repo.object_path(str(asked.get("oid")))
    if not path.is_file():
        raise Refusal(404, f"Object {asked.get('oid')} was not uploaded")
    if path.stat().st_size != asked.get("size"):
        raise Refusal(
            422, f"Object {asked.get('oid')} has {path.stat().st_size} bytes, not {asked.get('size')}"
        )
    return of_json({"message": "ok"})


def complete(site: Site, request: Request, kinds: str, name: str, sha256: str, upload: str) -> Answer:
    """Join the parts of an upload, in their order and by their etags, and keep the whole if it is what it
    says.
    """
    size = check_signature(site, request)
    repo, asked = _repo(site, kinds, name), request.json()
    parts = asked.get("parts") or []
    n_parts = -(-size // site.limits.part_size)
    if asked.get("oid") != sha256 or [part.get("partNumber") for part in parts] != list(
        range(1, n_parts + 1)
    ):
        raise Refusal(400, f"InvalidPartOrder: {n_parts} parts are wanted, in order")
    contents = []
    for part in parts:
        path = repo.folder / "parts" / upload / str(part["partNumber"])
        content = path.read_bytes() if path.is_file() else None
        if content is None or part.get("etag") != _etag(content):
            raise Refusal(
                400, f"InvalidPart: part {part['partNumber']} was not uploaded, or has another etag"
            )
        contents.append(content)
    keep(repo, sha256, b"".join(contents), size=size)
    return of_json({"success": True})


def put(
    site: Site, request: Request, kinds: str, name: str, sha256: str, upload: str | None, number: str | None
) -> Answer:
    """Store an object or a part of one; the size and, for a whole one, the sha256 must be those that were
    announced.
    """
    size, repo = check_signature(site, request), _repo(site, kinds, name)
    if upload is None:
        keep(repo, sha256, request.body, size=size)
        return Answer(200, b"", {"ETag": _etag(request.body)})
    if len(request.body) != size:
        raise Refusal(400, f"Part {number} has {len(request.body)} bytes, not {size}")
    write_whole(repo.folder / "parts" / upload / str(number), request.body)
    return Answer(200, b"", {"ETag": _etag(request.body)})


def get(
    site: Site, request: Request, kinds: str, name: str, sha256: str, upload: str | None, number: str | None
) -> Answer:
    """A stored object, or a range of it."""
    check_signature(site, request)
    path = _repo(site, kinds, name).object_path(sha256)
    if upload or not path.is_file():
        raise Refusal(404, "NoSuchKey")
    return ranged(
        request,
        path.read_bytes(),
        {"ETag": f'"{sha256}"', "Accept-Ranges": "bytes", "Content-Type": "application/octet-stream"},
    )


def keep(repo: Repo, sha256: str, content: bytes, *, size: int) -> None:
    """Keep an object; Refusal 400 where its content is not what was announced."""
    if len(content) != size:
        raise Refusal(400, f"The object has {len(content)} bytes, not {size}")
    if hashlib.sha256(content).hexdigest() != sha256:
        raise Refusal(400, "The content does not match its sha256")
    write_whole(repo.object_path(sha256), content)


def refuse_token(request: Request) -> None:
    """Refuse a request that carries a token to where only signatures count, as object stores do."""
    if request.headers.get("Authorization"):
        raise Refusal(400, "InvalidArgument: only one way to authenticate is allowed")


def _repo(site: Site, kinds: str, name: str) -> Repo:
    repo = site.state.repo(KINDS[kinds], unquote(name))
    if repo is None:
        raise Refusal(404, "NoSuchBucket")
    return repo


def _etag(content: bytes) -> str:
    return json.dumps(hashlib.md5(content).hexdigest())


ROUTES = [("POST", LFS + r"/batch", batch), ("POST", LFS + r"/verify", verify), ("POST", COMPLETE, complete)]
STORE_ROUTES = [("PUT", OBJECT, put), ("GET", OBJECT, get)]
