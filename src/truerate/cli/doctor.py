"""What this machine has: Python, packages, GPU, keys by name, endpoints, the response store."""

import json
import os
import platform
import sys
import urllib.error
import urllib.request
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from truerate.config.layout import Layout
from truerate.core.errors import TruerateError

PACKAGES = (
    "dvc",
    "snakemake",
    "polars",
    "pandera",
    "openai",
    "transformers",
    "torch",
    "huggingface-hub",
    "jinja2",
    "mkdocs-material",
)
HUB_KEY = "HF_TOKEN"
OK, MISSING, UNKNOWN = "ok", "missing", "not checked"


def examine(at: Layout, ask: str | None = None) -> list[dict[str, str]]:
    """Findings as rows of kind, name, state (`ok`, `missing`, `not checked`) and detail; asks endpoints for
    their model list only, and the server of the model `ask` also what it takes (`server_fields.tried`).
    """
    if ask is not None:
        from truerate.cli.server_fields import tried

        return [_row("field", answer.what, answer.state, answer.shown) for answer in tried(at, ask)]
    surroundings = [_python(), *map(_package, PACKAGES), _gpu(), _project()]
    return [*surroundings, *_keys(at), *_endpoints(at), _store(at)]


def _row(kind: str, name: str, state: str, detail: str) -> dict[str, str]:
    return {"kind": kind, "name": name, "state": state, "detail": detail}


def _python() -> dict[str, str]:
    state = OK if sys.version_info >= (3, 11) else MISSING
    return _row("python", platform.python_version(), state, "3.11 or later is needed")


def _package(name: str) -> dict[str, str]:
    try:
        return _row("package", name, OK, version(name))
    except PackageNotFoundError:
        return _row("package", name, MISSING, f"pip install -c constraints.txt {name}")


def _gpu() -> dict[str, str]:
    try:
        import torch
    except ImportError:
        return _row("gpu", "cuda", MISSING, "torch is not installed")
    if torch.cuda.is_available():
        return _row("gpu", torch.cuda.get_device_name(0), OK, f"{torch.cuda.device_count()} device(s)")
    return _row("gpu", "cuda", MISSING, "none; the small defaults run on the CPU")


def _project() -> dict[str, str]:
    """Whether DVC can build in this folder."""
    from truerate.pipeline.checks.project import unusable

    what = unusable()
    return _row("project", Path.cwd().name, MISSING if what else OK, what or "DVC builds here")


def _keys(at: Layout) -> list[dict[str, str]]:
    """Which key variables are set, by name: their values are never read into a report."""
    reasons = {name: "" for name in at.p.secrets()} | {
        HUB_KEY: "; needed to publish, and to read what is private on the Hub"
    }
    return [
        _row(
            "key",
            name,
            OK if os.environ.get(name) else MISSING,
            ("set" if os.environ.get(name) else "not set") + use,
        )
        for name, use in reasons.items()
    ]


def _endpoints(at: Layout) -> list[dict[str, str]]:
    return [
        _row("endpoint", name, UNKNOWN, "started by the flow when needed")
        if endpoint.launch
        else _reach(name, endpoint.base_url or "https://api.openai.com/v1", endpoint.api_key_env)
        for name, endpoint in at.p.endpoints.items()
    ]


def _reach(name: str, base_url: str, key_variable: str | None) -> dict[str, str]:
    key = os.environ.get(key_variable or "", "")
    if not (
        key.isascii() and key.isprintable()
    ):  # no header can carry it, and the error that says so would show it
        return _row(
            "endpoint", name, MISSING, f"{key_variable} holds a line break or a character beyond ASCII"
        )
    try:
        request = urllib.request.Request(
            f"{base_url.rstrip('/')}/models", headers={"Authorization": f"Bearer {key}"} if key else {}
        )
        with urllib.request.urlopen(request, timeout=5) as answer:
            return _row("endpoint", name, OK, f"{base_url} answers {answer.status}")
    except urllib.error.HTTPError as error:
        is_open = error.code < 500 and error.code not in (401, 403)
        return _row("endpoint", name, OK if is_open else MISSING, f"{base_url} answers {error.code}")
    except (urllib.error.URLError, OSError, ValueError) as error:
        return _row("endpoint", name, MISSING, f"{base_url}: {getattr(error, 'reason', error)}")


def _store(at: Layout) -> dict[str, str]:
    """Whether the response store can be opened; one that is not there is not made."""
    from truerate.llm.store.responses import Store

    path = at.store
    if not path.exists():
        return _row("store", str(path), UNKNOWN, "empty; made by the first build")
    try:
        with Store(path):
            return _row("store", str(path), OK, f"{path.stat().st_size / 1e6:.1f} MB")
    except TruerateError as error:
        return _row("store", str(path), MISSING, str(error))


def show(findings: list[dict[str, str]], *, as_json: bool) -> None:
    """Print the findings as lines or as JSON."""
    if as_json:
        print(json.dumps(findings, indent=1))
        return
    width = max(len(row["name"]) for row in findings)
    for row in findings:
        print(f"{row['state']:<12}{row['kind']:<10}{row['name']:<{width + 2}}{row['detail']}")
