"""A pinned data set of the Hugging Face Hub: downloaded once, each file verified by the Hub's checksum,
without network from then on.

Files lie in the client's cache (`HF_HOME`), which verifies their size alone; beside them stands the list of
the commit's checksums and which files were verified, with their size and time, so that a build neither asks
the Hub nor reads them again. A download that was killed goes on with the missing files. Where a file differs,
the list is fetched anew first.
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

from truerate.config import HubSource
from truerate.core.errors import EndpointError, SourceError, TruerateError, listed
from truerate.core.process.terminal import announced_wait, say_wait
from truerate.core.retry import Backoff, may_pass, seconds_asked
from truerate.sources.hub.files import CARD, about, files_of

N_AT_ONCE = 8
CHECKED = "checked"  # folder beside the client's own: <cache>/datasets--org--name/checked/<revision>.json
SUM = re.compile(r"sha256:[0-9a-f]{64}|git:[0-9a-f]{40}")


class Mismatch(SourceError):
    """Files that are not what the list of a commit says of them, or are not there at all."""

    def __init__(self, paths: Sequence[str]):
        problem = f"files differ from the Hub's checksums and were removed: {listed(paths)}"
        super().__init__(f"{problem}; run it again to fetch them anew")
        self.paths = paths


class Snapshot:
    """The list of the files of one commit with their checksums, and those of them that are here and sound."""

    def __init__(self, hub: HubSource):
        from huggingface_hub import constants
        from huggingface_hub.file_download import repo_folder_name
        from huggingface_hub.utils import validate_repo_id

        validate_repo_id(hub.repo)
        cache = Path(constants.HF_HUB_CACHE).expanduser()
        folder = cache / repo_folder_name(repo_id=hub.repo, repo_type="dataset")
        self.hub, self.folder = hub, folder / "snapshots" / hub.revision
        self.note = folder / CHECKED / f"{hub.revision}.json"
        self.sums: dict[str, str] = {}
        self.sound: dict[str, list[int]] = {}
        try:  # a note of ours; empty where there is none or it cannot be read
            note = json.loads(self.note.read_text("utf-8"))
            if all(SUM.fullmatch(checksum) for checksum in note["sums"].values()):
                self.sums, self.sound = dict(note["sums"]), dict(note["sound"])
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            pass

    def is_sound(self, path: str) -> bool:
        """Return whether a file was verified by its checksum and has not changed since."""
        return path in self.sound and self.sound[path] == self._state(path)

    def missing(self, paths: Sequence[str]) -> list[str]:
        """Those of the files that are not here, or were not verified."""
        return [path for path in paths if not self.is_sound(path)]

    def check(self, path: str) -> bool:
        """Verify a file by its checksum and note it where it is sound; one that is not there is not."""
        file, wanted = self.folder / path, self.sums.get(path)
        if wanted is None or not file.is_file() or _checksum(file, wanted.partition(":")[0]) != wanted:
            return False
        if (state := self._state(path)) is not None:
            self.sound[path] = state
        return True

    def remove(self, path: str) -> None:
        """Take a file away, so that it is fetched again."""
        for file in ((self.folder / path).resolve(), self.folder / path):
            file.unlink(missing_ok=True)

    def learn(self, sums: dict[str, str]) -> None:
        """Take another list; files with the same checksum in both stay sound."""
        same = {path for path, checksum in sums.items() if checksum == self.sums.get(path)}
        self.sound = {path: state for path, state in self.sound.items() if path in same}
        self.sums = sums
        self.save()

    def save(self) -> None:
        """Keep the list and which files are sound."""
        self.note.parent.mkdir(parents=True, exist_ok=True)
        scratch = self.note.with_suffix(f".{os.getpid()}.tmp")
        scratch.write_text(json.dumps({"sums": self.sums, "sound": self.sound}, sort_keys=True), "utf-8")
        os.replace(scratch, self.note)

    def _state(self, path: str) -> list[int] | None:
        try:
            status = (self.folder / path).stat()
        except OSError:
            return None
        return [status.st_size, status.st_mtime_ns]


def _checksum(file: Path, kind: str) -> str:
    """A file's checksum as the listing writes it."""
    whole = hashlib.sha256() if kind == "sha256" else hashlib.sha1(b"blob %d\0" % file.stat().st_size)
    with file.open("rb") as stream:
        while part := stream.read(1 << 20):
            whole.update(part)
    return f"{kind}:{whole.hexdigest()}"


# ---- downloads ---------------------------------------------------------------------------------------------
def fetched(name: str, hub: HubSource) -> tuple[Path, list[str]]:
    """Return the folder of a pinned data set and its verified files, those of its config and split where one
    is named.

    What a data set of truerate's own says of itself (`files.about`) lies in the folder, too. `HF_ENDPOINT`,
    `HF_HOME`, `HF_HUB_OFFLINE` and `HF_TOKEN` are honoured. Raises TruerateError where a file cannot be had.
    """
    import httpx2

    at = f"source {name!r}: data set {hub.repo!r} at {hub.revision[:8]} of the Hub"
    try:
        snapshot = Snapshot(hub)
        if not snapshot.sums:
            snapshot.learn(tried(lambda: _listing(hub)))
        with announced_wait(f"{at} is being fetched"):
            try:
                wanted = _bring_all(snapshot)
            except Mismatch as mismatch:
                # the checksums are listed again; files that differ from the new ones, too, are fetched anew
                snapshot.learn(tried(lambda: _listing(hub)))
                for path in mismatch.paths:
                    if not snapshot.check(path):
                        snapshot.remove(path)
                wanted = _bring_all(snapshot)
    except Mismatch as mismatch:
        for path in mismatch.paths:
            snapshot.remove(path)
        raise SourceError(f"{at}: {mismatch}") from None
    except TruerateError as error:
        raise type(error)(f"{at}: {error}") from None
    except (httpx2.HTTPError, OSError, *ODD) as error:
        raise EndpointError(f"{at}: {message_of(error, hub.repo)}") from None
    return snapshot.folder, wanted


def wanted_files(
    snapshot: Snapshot, *, fetch: Callable[[Snapshot, list[str]], None] | None = None
) -> list[str]:
    """The files of a commit that a source reads: all, or those of its config and split, by its card."""
    hub = snapshot.hub
    if hub.config is None and hub.split is None:
        return sorted(snapshot.sums)
    card = snapshot.folder / CARD
    if fetch and CARD in snapshot.sums:
        fetch(snapshot, [CARD])
    text = card.read_text("utf-8", errors="replace") if card.is_file() else ""
    return files_of(hub, list(snapshot.sums), text)


def state(hub: HubSource) -> str | None:
    """Return what of a data set is missing here, in words, without asking the Hub; None where nothing is."""
    try:
        snapshot = Snapshot(hub)
        if not snapshot.sums:
            return "not fetched"
        wanted = wanted_files(snapshot)
    except (TruerateError, OSError, ValueError) as error:
        return " ".join(str(error).split())
    n_missing = len(snapshot.missing(wanted))
    return f"{n_missing} of {len(wanted)} files not fetched" if n_missing else None


def _listing(hub: HubSource) -> dict[str, str]:
    """The checksums of a commit's files: SHA-256 of those in large-file storage, git's of the others."""
    from huggingface_hub import HfApi
    from huggingface_hub.hf_api import RepoFile

    tree = list(HfApi().list_repo_tree(hub.repo, repo_type="dataset", revision=hub.revision, recursive=True))
    folders = {entry.path for entry in tree if not isinstance(entry, RepoFile)}
    files = [entry for entry in tree if isinstance(entry, RepoFile)]
    sums = {file.path: f"sha256:{file.lfs.sha256}" if file.lfs else f"git:{file.blob_id}" for file in files}
    paths = [PurePosixPath(path) for path in sums]
    if not all(SUM.fullmatch(checksum) for checksum in sums.values()):
        raise ValueError("a checksum in the list of files is none")
    if empty := folders - {str(folder) for path in paths for folder in path.parents}:
        # git knows none: it was a file
        raise ValueError(f"the list of files has a folder without any: {min(empty)!r}")
    if strange := [str(path) for path in paths if path.is_absolute() or ".." in path.parts]:
        raise SourceError(f"it names the file {strange[0]!r}, which is no place in it")
    if not sums:
        raise SourceError("there is no file in it")
    return sums


def _bring_all(snapshot: Snapshot) -> list[str]:
    """The files that a source reads, all of them here and sound, as is what the data set says of itself."""
    wanted = wanted_files(snapshot, fetch=_fetch)
    _fetch(snapshot, list(dict.fromkeys([*wanted, *about(snapshot.sums)])))
    return wanted


def _fetch(snapshot: Snapshot, paths: Sequence[str]) -> None:
    """Download the missing files and verify their checksums; sound ones are kept whatever fails."""
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
        tried(lambda: hf_hub_download(hub.repo, path, repo_type="dataset", revision=hub.revision))
    except RemoteEntryNotFoundError:
        return False
    return True


# ---- what goes wrong on the way -----------------------------------------------------------------------------
# The ceilings are waited whole, or what the Hub asks for where that is more, up to `longest`.
BACKOFF = Backoff(tries=6, first=1.0, largest=8.0, longest=300.0)
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
OF_THE_CLIENT = (408, 429)  # of the answers that may pass, those after which the client itself tries again
# what the client falls over when an answer has another shape than it should
ODD = (LookupError, TypeError, AttributeError, ValueError)
INCOMPLETE = "Consistency check failed"  # the client's words for a file of another size

T = TypeVar("T")


def tried(work: Callable[[], T]) -> T:
    """Return the result of a call; repeat it, a bounded number of times, after a transient failure."""
    import httpx2
    from huggingface_hub.utils import _http

    for tried_so_far in range(1, BACKOFF.tries):
        try:
            return work()
        except (httpx2.HTTPError, OSError, *ODD) as error:
            asked = _asked_wait(error)
            if not _is_passing(error) or BACKOFF.is_too_long(asked):
                raise
            wait = max(BACKOFF.ceiling(tried_so_far), asked)
            say_wait(wait, f"the Hub failed in what may pass ({type(error).__name__}); it is asked again")
        # by the clock of the client's own pauses: whoever takes those out takes out these
        _http.time.sleep(wait)
    return work()


def _is_passing(error: BaseException) -> bool:
    """Return whether the same call may succeed next time; what the client retries itself is not."""
    import httpx2
    from huggingface_hub import errors

    if isinstance(error, errors.HfHubHTTPError):
        status = error.response.status_code
        return may_pass(status) and status not in OF_THE_CLIENT
    if isinstance(error, errors.HFValidationError | errors.LocalEntryNotFoundError):
        return False
    is_lost = isinstance(error, (httpx2.NetworkError, httpx2.RemoteProtocolError, *ODD))
    return is_lost or INCOMPLETE in str(error)


def _asked_wait(error: BaseException) -> float:
    """Seconds that an answer asks to wait, by its Retry-After; 0 where it does not."""
    response = getattr(error, "response", None)
    return (seconds_asked(response.headers.get("retry-after")) if response is not None else None) or 0.0


def message_of(error: BaseException, repo: str) -> str:
    """Return what went wrong and what to do about it, in one line."""
    import httpx2
    from huggingface_hub import constants, errors

    if isinstance(error, errors.LocalEntryNotFoundError) and error.__cause__ is not None:
        return message_of(error.__cause__, repo)
    if isinstance(error, errors.HfHubHTTPError):
        return _answered(error, repo)
    if isinstance(error, errors.OfflineModeIsEnabled) or (
        isinstance(error, errors.LocalEntryNotFoundError) and constants.HF_HUB_OFFLINE
    ):
        advice = "unset that, run it once with a connection"
        return f"not all of it is here, and HF_HUB_OFFLINE forbids fetching it; {advice}"
    if isinstance(error, httpx2.HTTPError | ConnectionError):
        problem = f"no answer from {constants.ENDPOINT} ({type(error).__name__})"
        return f"{problem}; what came is kept: run it again once there is a connection"
    if isinstance(error, OSError) and error.errno in FULL:
        problem = f"writing below {constants.HF_HUB_CACHE!r}: {os.strerror(error.errno)}"
        return f"{problem}; make room there or name another folder in HF_HOME, then run it again"
    if INCOMPLETE in str(error):
        return "a file came incomplete; what came whole is kept: run it again"
    if isinstance(error, ODD) and not isinstance(error, errors.HFValidationError):
        what = f"the Hub's answer makes no sense ({type(error).__name__})"
        return f"{what}; what came is kept: run it again later"
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"


def _answered(error, repo: str) -> str:
    """The same of a reply that is an error. The Hub says of a private data set that there is none."""
    from huggingface_hub import constants, errors, get_token

    status, has_token = error.response.status_code, get_token() is not None
    if isinstance(error, errors.GatedRepoError):
        token_state = "the token in HF_TOKEN has no access yet" if has_token else "HF_TOKEN is not set"
        advice = f"ask for access at {constants.ENDPOINT}/datasets/{repo}"
        return (
            f"it is gated, and {token_state}; {advice} and set HF_TOKEN to a token of the account that has it"
        )
    if isinstance(error, errors.RevisionNotFoundError):
        return "there is no such commit; correct `revision`"
    if status in (401, 403, 404) or isinstance(error, errors.RepositoryNotFoundError):
        refused = "the token in HF_TOKEN is refused or may not read it"
        problem = f"not found, or private ({status}), and {refused if has_token else 'HF_TOKEN is not set'}"
        return f"{problem}; correct `repo`, or set HF_TOKEN to a token that may read it"
    return f"the Hub answers {status}; what came is kept: run it again later"
