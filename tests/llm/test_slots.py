"""Slots over processes: never more than the limit, fairly shared, freed by death."""

import os
import signal
import subprocess
import sys

import pytest

from truerate.llm.transport.slots import Slots, fair_share

HOLD = """
import sys, pathlib, time
from truerate.llm.transport.slots import Slots
slots = Slots(pathlib.Path(sys.argv[1]), 4)
print(slots.adjust(4), flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize(
    ("limit", "others", "share"),
    [
        (8, [], 8),
        (8, [8], 4),
        (8, [2], 6),
        (8, [8, 8], 2),
        (8, [1, 8], 3),
        (1, [5, 5], 1),
        (4, [0, 0], 4),
        (9, [3, 9], 3),
    ],
)
def test_fair_share(limit, others, share):
    assert fair_share(limit, others) == share


def test_two_users_share(tmp_path):
    one, two = Slots(tmp_path, 4), Slots(tmp_path, 4)
    assert one.adjust(4) == 4
    assert two.adjust(4) == 0  # all are taken, but the first now sees it should give some back
    one.adjust(4)
    assert one.is_over
    while one.is_over:
        one.give_back()
    assert (one.adjust(4), two.adjust(4)) == (2, 2)
    two.close()
    assert one.adjust(4) == 4
    one.close()
    assert not list(tmp_path.glob("user-*"))


def test_slots_of_a_killed_process_are_free_at_once(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "4\n"
    mine = Slots(tmp_path, 4)
    assert mine.adjust(4) == 0
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert mine.adjust(4) == 4
    mine.close()
