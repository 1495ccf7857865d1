"""Large objects: the batch that says what to send where, and the second port that stores and serves them by
signed addresses.
"""

import hashlib
import hmac
import json
import secrets
from urllib.parse import unquote

from .repos import KINDS, PAGES, Repo, Site
from .wire import Answer, Refusal, Request, of_json, ranged

LFS = r"/(?P<page>datasets/|spaces/)?(?P<name>[^/]+/[^/]+)\.git/info/lfs/objects"
STORED = r"(?P<kinds>models|datasets|spaces)/(?P<name>[^/]+/[^/]+)/(?P<sha256>[0-9a-f]{64})"
OBJECT = rf"/objects/{STORED}(?:/(?P<upload>\w+)/(?P<number>\d+))?"
COMPLETE = rf"/api/complete_multipart/{STORED}/(?P<upload>\w+)"


def _signature(site: Site, method: str, path: str, size: int) -> str:
    """What only this server can say of a method, a path and a size."""
    return hmac.new(site.key, f"{method} {path} {size}".encode(), hashlib.sha256).hexdigest()


def signed(
    site: Site, method: str, repo: Repo, sha256: str, *, size: int = 0, upload: str = "", number: int = 0
) -> str:
    """An address that allows one method on one object; `size`: how much may be put there, `upload`, `number`:
    a part of it.
    """
    of_object = f"{repo.kind}s/{repo.name}/{sha256}" + (f"/{upload}" if upload else "")
    is_whole = upload and not number
    path = f"/api/complete_multipart/{of_object}" if is_whole else f"/objects/{of_object}"
    path += f"/{number}" if number else ""
    base = site.url if is_whole else site.objects_url
    return f"{base}{path}?size={size}&signature={_signature(site, method, path, size)}"


def _allowed_size(site: Site, request: Request) -> int:
    """The size that a signed address allows; Refusal 403 where it is forged, or for another method."""
    size, method = int(request.first("size", "0") or 0), "GET" if request.method == "HEAD" else request.method
    if not hmac.compare_digest(_signature(site, method, request.path, size), request.first("signature")):
        raise Refusal(403, "SignatureDoesNotMatch")
    return size


def batch(site: Site, request: Request, page: str | None, name: str) -> Answer:
    """For each object: nothing where it is here, else where to put it, whole or in parts."""
    repo, _ = site.find_for_writing(request, (page or "models/").rstrip("/"), name)
    asked = request.json()
    may_split = "multipart" in (asked.get("transfers") or ["basic"])
    objects = [_action(site, repo, values, may_split=may_split) for values in asked.get("objects", [])]
    headers = [values.get("actions", {}).get("upload", {}).get("header", {}) for values in objects]
    is_split = any("chunk_size" in header for header in headers)
    answer = {"transfer": "multipart" if is_split else "basic", "objects": objects}
    return of_json(answer, headers={"Content-Type": "application/vnd.git-lfs+json"})


def _action(site: Site, repo: Repo, asked: dict, *, may_split: bool) -> dict:
    """What to do about one object."""
    sha256, size = asked["oid"], asked["size"]
    named = {"oid": sha256, "size": size}
    if sha256 in repo.objects:
        return named
    verify = {"href": f"{site.url}/{PAGES[repo.kind]}{repo.name}.git/info/lfs/objects/verify", "header": {}}
    href, header = signed(site, "PUT", repo, sha256, size=size), {}
    if size > site.parts_above and may_split:
        upload, header = secrets.token_hex(8), {"chunk_size": str(site.part_size)}
        for number, start in enumerate(range(0, size, site.part_size), 1):
            how = {"size": min(site.part_size, size - start), "upload": upload, "number": number}
            header[f"{number:05d}"] = signed(site, "PUT", repo, sha256, **how)
        href = signed(site, "POST", repo, sha256, size=size, upload=upload)
    return named | {"actions": {"upload": {"href": href, "header": header}, "verify": verify}}


def verify(site: Site, request: Request, page: str | None, name: str) -> Answer:
    """Whether an object has arrived, with the size that the client believes it has."""
    repo, _ = site.find_for_writing(request, (page or "models/").rstrip("/"), name)
    asked = request.json()
    if len(repo.objects.get(asked["oid"], b"")) != asked["size"]:
        raise Refusal(404, f"Object {asked['oid']} was not uploaded, or has another size")
    return of_json({"message": "ok"})


def complete(site: Site, request: Request, kinds: str, name: str, sha256: str, upload: str) -> Answer:
    """Join the parts of an upload, in their order and by their etags, and keep the whole if it is what it
    says.
    """
    size, repo, parts = _allowed_size(site, request), _repo(site, kinds, name), request.json()["parts"]
    n_parts = -(-size // site.part_size)
    contents = [repo.parts.get((upload, part["partNumber"]), b"") for part in parts]
    is_sound = [part["etag"] for part in parts] == [_etag(content) for content in contents]
    if [part["partNumber"] for part in parts] != [*range(1, n_parts + 1)] or not is_sound:
        raise Refusal(400, f"InvalidPart: {n_parts} parts are wanted, in order, with their etags")
    _keep(repo, sha256, b"".join(contents), size=size)
    return of_json({"success": True})


def put(
    site: Site, request: Request, kinds: str, name: str, sha256: str, upload: str | None, number: str | None
) -> Answer:
    """Store an object or a part of one; the size and, for a whole one, the sha256 must be those that were
    announced.
    """
    size, repo = _allowed_size(site, request), _repo(site, kinds, name)
    if upload is None:
        _keep(repo, sha256, request.body, size=size)
    elif len(request.body) != size:
        raise Refusal(400, f"Part {number} has {len(request.body)} bytes, not {size}")
    else:
        repo.parts[upload, int(number)] = request.body
    return Answer(200, b"", {"ETag": _etag(request.body)})


def get(site: Site, request: Request, kinds: str, name: str, sha256: str, **_: str | None) -> Answer:
    """A stored object, or a range of it."""
    _allowed_size(site, request)
    headers = {"ETag": f'"{sha256}"', "Accept-Ranges": "bytes", "Content-Type": "application/octet-stream"}
    return ranged(request, _repo(site, kinds, name).objects[sha256], headers)


def _keep(repo: Repo, sha256: str, content: bytes, *, size: int) -> None:
    """Keep an object; Refusal 400 where its content is not what was announced."""
    if len(content) != size or hashlib.sha256(content).hexdigest() != sha256:
        raise Refusal(400, f"The content is not what was announced: {len(content)} bytes, not {size}")
    repo.objects[sha256] = content


def refuse_token(request: Request) -> None:
    """Refuse a request that carries a token to where only signatures count, as object stores do."""
    if request.headers.get("Authorization"):
        raise Refusal(400, "InvalidArgument: only one way to authenticate is allowed")


def _repo(site: Site, kinds: str, name: str) -> Repo:
    return site.repos[KINDS[kinds], unquote(name)]


def _etag(content: bytes) -> str:
    return json.dumps(hashlib.md5(content).hexdigest())


ROUTES = [("POST", LFS + r"/batch", batch), ("POST", LFS + r"/verify", verify), ("POST", COMPLETE, complete)]
STORE_ROUTES = [("PUT", OBJECT, put), ("GET", OBJECT, get)]
