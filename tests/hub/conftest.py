"""The small board's release, made once."""

import pytest

from .drafts import laid
from .small_release import draft, files


@pytest.fixture(scope="session")
def small_files() -> dict[str, bytes]:
    """The files of the small board in shards of two rows."""
    return files(draft(rows_per_shard=2))


@pytest.fixture(scope="session")
def folder(small_files, tmp_path_factory) -> str:
    return str(laid(small_files, tmp_path_factory.mktemp("little")))
