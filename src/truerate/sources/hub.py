"""A pinned data set of the Hugging Face Hub: downloaded once, each file held against the Hub's checksum, without network from then on.

The client checks the size of a download only. Files lie in its cache (`HF_HOME`); beside them stands which of them were found sound,
with their size and time, so that a build neither asks the Hub nor reads them again. A download that was killed goes on with the files that
are not there yet. What fails in passing is tried again; where a file differs, the list of checksums is doubted first, then the file.
"""

import errno
import hashlib
import json
import os
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath
from typing import TypeVar

from truerate.errors import TruerateError, listed
from truerate.params import HubSource
from truerate.sources.hub_files import CARD, files_of

CHECKED = "checked"  # folder beside the client's own: <cache>/datasets--org--name/checked/<revision>.json
N_AT_ONCE = 8
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
WAITS = (1, 2, 4, 8, 8)  # seconds before each further try, unless the Hub asks for more
TOO_LONG = 300  # seconds: a wait that the user should know of rather than sit through
PASSING = (500, 502, 503, 504)  # answers that may differ next time; after 408 and 429 the client itself tries again
ODD = (LookupError, TypeError, AttributeError, ValueError)  # what the client falls over when an answer has another shape than it should
INCOMPLETE = "Consistency check failed"  # the client's words for a file of another size
_SUM = re.compile(r"sha256:[0-9a-f]{64}|git:[0-9a-f]{40}")

T = TypeVar("T")


class Mismatch(TruerateError):
    """Files that are not what the list of a commit says of them, or are not there at all."""

    def __init__(self, paths: Sequence[str]):
        super().__init__(f"files differ from the Hub's checksums and were removed: {listed(paths)}; run it again to fetch them anew")
        self.paths = paths


class Snapshot:
    """What is here of one commit: the list of its files with their checksums, and those that were found sound."""

    def __init__(self, hub: HubSource):
        from huggingface_hub import constants
        from huggingface_hub.file_download import repo_folder_name
        from huggingface_hub.utils import validate_repo_id

        validate_repo_id(hub.repo)
        place = Path(constants.HF_HUB_CACHE).expanduser() / repo_folder_name(repo_id=hub.repo, repo_type="dataset")
        self.hub, self.folder = hub, place / "snapshots" / hub.revision
        self.note = place / CHECKED / f"{hub.revision}.json"
        known = _json(self.note)
        self.sums: dict[str, str] = known.get("sums", {})
        self.sound: dict[str, list[int]] = known.get("sound", {})

    def is_sound(self, path: str) -> bool:
        """Whether a file was held against its checksum and has not changed since."""
        return path in self.sound and self.sound[path] == self._state(path)

    def missing(self, paths: Sequence[str]) -> list[str]:
        """Those of the files that are not here, or were not checked."""
        return [path for path in paths if not self.is_sound(path)]

    def check(self, path: str) -> bool:
        """Hold a file against its checksum and note it where it is sound; one that is not there is not."""
        file, wanted = self.folder / path, self.sums.get(path)
        if wanted is None or not file.is_file() or _checksum(file, wanted.partition(":")[0]) != wanted:
            return False
        self.sound[path] = self._state(path)
        return True

    def remove(self, path: str) -> None:
        """Take a file away, so that it is fetched again."""
        for place in ((self.folder / path).resolve(), self.folder / path):
            place.unlink(missing_ok=True)

    def learn(self, sums: dict[str, str]) -> None:
        """Take this list in the place of the one there was; files of which the two say the same stay sound."""
        self.sound = {path: state for path, state in self.sound.items() if path in sums and sums[path] == self.sums.get(path)}
        self.sums = sums
        self.save()

    def save(self) -> None:
        """Keep the list and what was found sound."""
        self.note.parent.mkdir(parents=True, exist_ok=True)
        scratch = self.note.with_suffix(f".{os.getpid()}.tmp")
        scratch.write_text(json.dumps({"sums": self.sums, "sound": self.sound}, sort_keys=True), "utf-8")
        os.replace(scratch, self.note)

    def _state(self, path: str) -> list[int] | None:
        try:
            found = (self.folder / path).stat()
        except OSError:
            return None
        return [found.st_size, found.st_mtime_ns]


def fetched(name: str, hub: HubSource) -> tuple[Path, list[str]]:
    """The folder of a pinned data set and its files, those of its config and split where one is named, all of them sound.

    `HF_ENDPOINT`, `HF_HOME`, `HF_HUB_OFFLINE` and `HF_TOKEN` are honoured. Raises TruerateError where they cannot all be had.
    """
    import httpx2

    at = f"source {name!r}: data set {hub.repo!r} at {hub.revision[:8]} of the Hub"
    try:
        snapshot = Snapshot(hub)
        if not snapshot.sums:
            snapshot.learn(_tried(lambda: _listing(hub)))
        try:
            wanted = _bring_all(snapshot)
        except Mismatch as found:
            _doubt(snapshot, found.paths)
            wanted = _bring_all(snapshot)
    except Mismatch as found:
        for path in found.paths:
            snapshot.remove(path)
        raise TruerateError(f"{at}: {found}") from None
    except TruerateError as error:
        raise TruerateError(f"{at}: {error}") from None
    except (httpx2.HTTPError, OSError, *ODD) as error:
        raise TruerateError(f"{at}: {_said(error, hub.repo)}") from None
    return snapshot.folder, wanted


def wanted_files(snapshot: Snapshot, *, fetch: Callable[[Snapshot, list[str]], None] | None = None) -> list[str]:
    """The files of a commit that a source reads: all, or those of its config and split, for which its card is read (`fetch` brings it)."""
    hub = snapshot.hub
    if hub.config is None and hub.split is None:
        return sorted(snapshot.sums)
    card = snapshot.folder / CARD
    if fetch and CARD in snapshot.sums:
        fetch(snapshot, [CARD])
    return files_of(hub, list(snapshot.sums), card.read_text("utf-8", errors="replace") if card.is_file() else "")


def state(hub: HubSource) -> str | None:
    """What of a data set is missing here, in words, without asking the Hub; None where nothing is."""
    try:
        snapshot = Snapshot(hub)
        if not snapshot.sums:
            return "not fetched"
        wanted = wanted_files(snapshot)
    except (TruerateError, OSError, ValueError) as error:
        return " ".join(str(error).split())
    n_missing = len(snapshot.missing(wanted))
    return f"{n_missing} of {len(wanted)} files not fetched" if n_missing else None


# ---- the Hub -----------------------------------------------------------------------------------------------------------------
def _listing(hub: HubSource) -> dict[str, str]:
    """The checksums of a commit's files: SHA-256 of those in large-file storage, git's of the others."""
    from huggingface_hub import HfApi
    from huggingface_hub.hf_api import RepoFile

    tree = list(HfApi().list_repo_tree(hub.repo, repo_type="dataset", revision=hub.revision, recursive=True))
    folders = {one.path for one in tree if not isinstance(one, RepoFile)}
    found = {one.path: f"sha256:{one.lfs.sha256}" if one.lfs else f"git:{one.blob_id}" for one in tree if isinstance(one, RepoFile)}
    if not all(_SUM.fullmatch(checksum) for checksum in found.values()):
        raise ValueError("a checksum in the list of files is none")
    if empty := folders - {str(folder) for path in found for folder in PurePosixPath(path).parents}:
        raise ValueError(f"the list of files has a folder without any: {min(empty)!r}")  # git knows none: it was a file
    strange = [path for path in found if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts]
    if strange or not found:
        raise TruerateError(f"it names the file {strange[0]!r}, which is no place in it" if strange else "there is no file in it")
    return found


def _bring_all(snapshot: Snapshot) -> list[str]:
    """The files that a source reads, all of them here and sound."""
    wanted = wanted_files(snapshot, fetch=_fetch)
    _fetch(snapshot, wanted)
    return wanted


def _doubt(snapshot: Snapshot, paths: Sequence[str]) -> None:
    """After a mismatch: the list is asked for once more, and those files that differ from the new one, too, are taken away."""
    snapshot.learn(_tried(lambda: _listing(snapshot.hub)))
    for path in paths:
        if not snapshot.check(path):
            snapshot.remove(path)


def _fetch(snapshot: Snapshot, paths: Sequence[str]) -> None:
    """Bring the files that are not here and hold them against their checksums; what is sound is kept, whatever becomes of the others."""
    missing = snapshot.missing(paths)
    if not missing:
        return
    wrong: list[str] = []
    try:
        with ThreadPoolExecutor(min(N_AT_ONCE, len(missing))) as pool:
            tasks = {path: pool.submit(_download, snapshot.hub, path) for path in missing}
            try:
                for path, task in tasks.items():
                    wrong += [] if task.result() and snapshot.check(path) else [path]
            finally:
                pool.shutdown(cancel_futures=True)
    finally:
        snapshot.save()
    if wrong:
        raise Mismatch(wrong)


def _download(hub: HubSource, path: str) -> bool:
    """Bring one file into the client's cache; whether there is one of this name in the commit."""
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import RemoteEntryNotFoundError

    try:
        _tried(lambda: hf_hub_download(hub.repo, path, repo_type="dataset", revision=hub.revision))
    except RemoteEntryNotFoundError:
        return False
    return True


def _checksum(file: Path, kind: str) -> str:
    """A file's checksum as the listing writes it."""
    whole = hashlib.sha256() if kind == "sha256" else hashlib.sha1(b"blob %d\0" % file.stat().st_size)
    with file.open("rb") as stream:
        while part := stream.read(1 << 20):
            whole.update(part)
    return f"{kind}:{whole.hexdigest()}"


# ---- what goes wrong ---------------------------------------------------------------------------------------------------------
def _tried(work: Callable[[], T]) -> T:
    """What a call of the client gives; made again, a bounded number of times, after a failure that may pass and that the client leaves."""
    import httpx2
    from huggingface_hub.utils import _http

    for wait in WAITS:
        try:
            return work()
        except (httpx2.HTTPError, OSError, *ODD) as error:
            asked = _asked_wait(error)
            if not _is_passing(error) or asked > TOO_LONG:
                raise
        _http.time.sleep(max(wait, asked))  # by the clock of the client's own pauses: whoever takes those out takes out these
    return work()


def _is_passing(error: BaseException) -> bool:
    """Whether the same call may succeed next time. What the client took from its cache it has tried often enough itself."""
    import httpx2
    from huggingface_hub import errors

    if isinstance(error, errors.HfHubHTTPError):
        return error.response.status_code in PASSING
    if isinstance(error, errors.HFValidationError | errors.LocalEntryNotFoundError):
        return False
    return isinstance(error, (httpx2.NetworkError, httpx2.RemoteProtocolError, *ODD)) or INCOMPLETE in str(error)


def _asked_wait(error: BaseException) -> int:
    """Seconds that an answer asks to wait, by its Retry-After; 0 where it does not."""
    asked = getattr(error, "response", None) and error.response.headers.get("retry-after", "").strip()
    return int(asked) if asked and asked.isdecimal() else 0


def _said(error: BaseException, repo: str) -> str:
    """What went wrong and what to do about it, in one line."""
    import httpx2
    from huggingface_hub import constants, errors

    if isinstance(error, errors.LocalEntryNotFoundError) and error.__cause__ is not None:
        return _said(error.__cause__, repo)
    if isinstance(error, errors.HfHubHTTPError):
        return _answered(error, repo)
    if isinstance(error, errors.OfflineModeIsEnabled) or (isinstance(error, errors.LocalEntryNotFoundError) and constants.HF_HUB_OFFLINE):
        return "not all of it is here, and HF_HUB_OFFLINE forbids fetching it; unset that, run it once with a connection"
    if isinstance(error, httpx2.HTTPError | ConnectionError):
        return f"no answer from {constants.ENDPOINT} ({type(error).__name__}); what came is kept: run it again once there is a connection"
    if isinstance(error, OSError) and error.errno in FULL:
        where = constants.HF_HUB_CACHE
        return f"writing below {where!r}: {os.strerror(error.errno)}; make room there or name another folder in HF_HOME, then run it again"
    if INCOMPLETE in str(error):
        return "a file came incomplete; what came whole is kept: run it again"
    if isinstance(error, ODD) and not isinstance(error, errors.HFValidationError):
        return f"the Hub's answer makes no sense ({type(error).__name__}); what came is kept: run it again later"
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"


def _answered(error, repo: str) -> str:
    """The same of an answer that is an error. The Hub says of a private data set that there is none."""
    from huggingface_hub import constants, errors, get_token

    status, has_token = error.response.status_code, get_token() is not None
    if isinstance(error, errors.GatedRepoError):
        held = "the token in HF_TOKEN has no access yet" if has_token else "HF_TOKEN is not set"
        page = f"{constants.ENDPOINT}/datasets/{repo}"
        return f"it is gated, and {held}; ask for access at {page} and set HF_TOKEN to a token of the account that has it"
    if isinstance(error, errors.RevisionNotFoundError):
        return "there is no such commit; correct `revision`"
    if status in (401, 403, 404) or isinstance(error, errors.RepositoryNotFoundError):
        held = "the token in HF_TOKEN is refused or may not read it" if has_token else "HF_TOKEN is not set"
        return f"not found, or private ({status}), and {held}; correct `repo`, or set HF_TOKEN to a token that may read it"
    return f"the Hub answers {status}; what came is kept: run it again later"


def _json(path: Path) -> dict:
    """A note of ours; empty where there is none or it cannot be read."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict) or not all(isinstance(found.get(key), dict) for key in ("sums", "sound")):
        return {}
    return found if all(isinstance(one, str) and _SUM.fullmatch(one) for one in found["sums"].values()) else {}
