"""What the system refuses: whoever writes, one line that says what, where and how much is free."""

import errno
import os

import polars as pl
import pytest

from truerate.core.process.system_errors import full_disks, line_of, system_error, unwritable
from truerate.core.schemas.disk import put, write_parquet

POLARS = "parquet: File out of specification: underlying IO error: No space left on device (os error 28)"


def test_what_a_library_passes_on_is_the_error_of_the_system(tmp_path):
    for error in (pl.exceptions.ComputeError(POLARS), OSError(errno.ENOSPC, "No space left on device")):
        refused = system_error(error, tmp_path / "x.parquet")
        assert (refused.errno, refused.filename) == (errno.ENOSPC, str(tmp_path / "x.parquet"))
    assert system_error(pl.exceptions.ComputeError("a column is not there")) is None
    assert isinstance(system_error(OSError(errno.EACCES, "no", "a")), PermissionError)


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.ENOSPC, " MB are free on the disk of "),
        (errno.EDQUOT, "your quota is used up; make room there, then run it again"),
        (errno.EROFS, "Read-only file system; nothing can be written there"),
        (errno.EACCES, "Permission denied"),
    ],
)
def test_the_line_says_what_and_where(tmp_path, number, said):
    line = line_of(OSError(number, os.strerror(number), str(tmp_path / "data/x.parquet")))
    assert said in line and "data/x.parquet" in line and "\n" not in line


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_a_write_to_a_full_device_keeps_what_was_there(tmp_path):
    place = tmp_path / "table.parquet"
    write_parquet(pl.DataFrame({"a": [1]}), place)
    before = place.read_bytes()

    def fill(_scratch):
        with open("/dev/full", "wb") as device:
            pl.DataFrame({"a": ["x" * 100_000]}).write_parquet(device, compression="uncompressed")

    with pytest.raises(OSError, match="No space left") as refused:
        put(place, fill)
    assert refused.value.filename == str(place)
    assert place.read_bytes() == before and [one.name for one in tmp_path.iterdir()] == [place.name]


def test_a_disk_with_space_is_not_full(tmp_path):
    assert full_disks(str(tmp_path), str(tmp_path / "none")) == []


def test_a_full_disk_that_the_system_does_not_name_is_not_said_to_have_room():
    line = line_of(OSError(errno.ENOSPC, "No space left on device"))
    assert line == "No space left on device; make room there, then run it again"


@pytest.mark.skipif(
    not os.path.isdir("/proc/sys") or os.access("/proc/self", os.W_OK), reason="no folder that is read-only"
)
def test_a_folder_that_is_read_only_is_named(tmp_path):
    (line,) = [line for line in unwritable(str(tmp_path), "/proc/self") if "read-only" in line]
    assert (
        line
        == "'/proc/self' is read-only; nothing can be written there: mount it for writing, or work in another folder"
    )
