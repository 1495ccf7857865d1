"""Run the Hub by itself: `python -m tests.hub.server --port N --state DIR`; its address is the first line of
its output.
"""

import argparse
import json
import os
import threading
from pathlib import Path

from .hub import Hub


def main() -> None:
    """Serve until interrupted; a crash that was asked for ends the process with status 3."""
    parser = argparse.ArgumentParser(description="A strict Hugging Face Hub on loopback, for tests")
    parser.add_argument("--port", type=int, default=0, help="0: any that is free")
    parser.add_argument("--state", type=Path, required=True, help="folder that keeps the repositories")
    parser.add_argument(
        "--faults",
        type=json.loads,
        default=[],
        help='JSON, e.g. [{"method": "POST", "path": "/commit/", "kind": "lost"}]',
    )
    asked = parser.parse_args()
    hub = Hub(asked.state, port=asked.port, on_crash=lambda: os._exit(3)).start()
    for fault in asked.faults:
        hub.fault(**fault)
    print(hub.url, flush=True)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        hub.stop()


if __name__ == "__main__":
    main()
