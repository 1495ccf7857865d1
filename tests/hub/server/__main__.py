"""Run the Hub by itself: `python -m tests.hub.server`; its address is the first line of its output."""

import threading
from pathlib import Path

from .hub import Hub

print(Hub(Path()).start().url, flush=True)
threading.Event().wait()
