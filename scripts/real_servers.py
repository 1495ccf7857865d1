"""What real servers accept, send and count: a small HaluEval board through each, started by the build (`launch`)
and found at an address (`base_url`). Run by scripts/real_servers.sh, which installs what it needs.
"""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import yaml
from tiny_llama import make

ROOT = Path(__file__).parents[1]
BOARD = "halueval-closed-world"
SIZES = {"qa": 4, "dialogue": 4, "summarization": 4, "general": 4, "general_pool": 6}


def main(folder: Path) -> None:
    """Make the model, build a board through both servers in both ways, and print what came."""
    checkpoint, gguf = folder / "tiny-llama", folder / "tiny-llama.gguf"
    if not gguf.is_file():
        print(f"tiny Llama: loss {make(checkpoint, gguf_file=gguf):.3f}")
    python = sys.executable
    servers = {
        "transformers serve": (
            f"{Path(python).parent}/transformers serve {checkpoint} --port {{port}}",
            str(checkpoint),
        ),
        "llama.cpp": (f"{python} {ROOT}/scripts/llama_cpp_server.py {gguf} --port {{port}}", "tiny-llama"),
    }
    lines = []
    for name, (command, model) in servers.items():
        with served(command) as url:
            print(f"\n{name} at {url}")
            lines.append(build(folder, name, {"base_url": url}, model, probe=True))
        lines.append(build(folder, name, {"launch": command, "start_s": 300}, model))
    print(
        f"\n{'server':<22}{'by':<10}{'replies':>8}{'dead':>6}{'unparsed':>9}{'tokens in':>11}{'out':>7}{'rc':>4}{'s':>7}"
    )
    for line in lines:
        print("{:<22}{:<10}{:>8}{:>6}{:>9}{:>11}{:>7}{:>4}{:>7.0f}".format(*line))


@contextmanager
def served(command: str):
    """A server by its command, healthy; its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    running = subprocess.Popen(
        command.format(port=port).split(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2).read()
                break
            except OSError:
                time.sleep(0.5)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        running.terminate()
        running.wait(20)


def build(folder: Path, name: str, endpoint: dict, model: str, *, probe: bool = False) -> tuple:
    """A board through one server in a checkout of its own: what came of the replies, and how it ended."""
    how = "base_url" if "base_url" in endpoint else "launch"
    work = folder / f"{name.replace(' ', '-')}-{how}"
    shutil.rmtree(work, ignore_errors=True)
    subprocess.run(["git", "clone", "-q", str(ROOT), str(work)], check=True)
    (work / "params.yaml").write_text(yaml.safe_dump(settings(endpoint, model), sort_keys=False), "utf-8")
    own = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(work / "src"),
        "TRUERATE_STORE": str(work / "store.sqlite"),
    }
    begun = time.monotonic()
    code = subprocess.run(
        ["truerate", "build", "leaderboard"], cwd=work, env=own, capture_output=True
    ).returncode
    took = time.monotonic() - begun
    if probe and not code:
        subprocess.run(["truerate", "doctor", "--ask", "tiny"], cwd=work, env=own)
        subprocess.run(["truerate", "probe", "tiny", "--n", "2"], cwd=work, env=own)
    made = work / "data/datasets" / BOARD
    counted = subprocess.run(
        [sys.executable, "-c", COUNTED, str(made / "counts.parquet")],
        capture_output=True, text=True, env=own,
    ).stdout.split() or [0, 0, 0]  # fmt: skip
    tokens = subprocess.run(
        [sys.executable, "-c", TOKENS, str(made / "generations.parquet")],
        capture_output=True, text=True, env=own,
    ).stdout.split() or [0, 0]  # fmt: skip
    return (name, how, *counted, *tokens, code, took)


COUNTED = "import polars as pl, sys; f = pl.read_parquet(sys.argv[1]); print(f['n_in'].sum(), f['n_dead'].sum(), f['n_unparsed'].sum())"
TOKENS = "import polars as pl, sys; f = pl.read_parquet(sys.argv[1]); print(f['n_tokens_in'].sum(), f['n_tokens_out'].sum())"


def settings(endpoint: dict, model: str) -> dict:
    """The committed settings with the closed world's HaluEval board alone, and this model in every role of it."""
    values = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
    values["endpoints"]["tried"] = {"concurrency": 2, **endpoint}
    values["models"]["tiny"] = {
        "endpoint": "tried", "model": model, "identity": "tiny-llama", "family": "tiny", "accept_length": True,
    }  # fmt: skip
    values["boards"] = {BOARD: values["boards"][BOARD]}
    values["sizes"]["demo"]["halueval"] = SIZES
    roles = {role: "tiny" for role in ("dataset_generator", "filter_judge", "responder")}
    values["tracks"]["halueval"] |= roles | {"generators": ["tiny"], "subjects": ["tiny"]}
    values["llm"]["timeout_s"] = 300
    return values


if __name__ == "__main__":
    main(Path(sys.argv[1]))
