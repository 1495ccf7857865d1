"""What this machine has: Python, packages, GPU, keys by name, endpoints, the response store."""

import json
import os
import platform
import sys
import urllib.error
import urllib.request
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from truerate.cli.command import needed_extra
from truerate.config.layout import Layout, store_path
from truerate.core.errors import TruerateError
from truerate.core.process.project import PARAMS
from truerate.pipeline.checks.project import unusable as refusal_of_dvc

PACKAGES = "dvc snakemake polars pandera openai transformers torch huggingface-hub jinja2 mkdocs".split()
HUB_KEY = "HF_TOKEN"
OK, MISSING, UNKNOWN = "ok", "missing", "not checked"


def examine(config: Layout | None, ask: str | None = None) -> list[dict[str, str]]:
    """Findings as rows of kind, name, state (`ok`, `missing`, `not checked`) and detail; asks endpoints for
    their model list only, and the server of the model `ask` also what it takes (`server_fields.tried`).
    Without a project (None) no endpoint is known.
    """
    if config is not None and ask is not None:
        from truerate.cli.server_fields import tried

        return [_row("field", answer.what, answer.state, answer.shown) for answer in tried(config, ask)]
    is_recent = sys.version_info >= (3, 11)
    rows = [
        _row("python", platform.python_version(), OK if is_recent else MISSING, "3.11 or later is needed")
    ]
    for name in PACKAGES:
        try:
            rows.append(_row("package", name, OK, version(name)))
        except PackageNotFoundError:
            rows.append(
                _row("package", name, MISSING, needed_extra(name.replace("-", "_")) or "pip install truerate")
            )
    rows += [_gpu(), _project(config), *_keys(config)]
    for name, endpoint in config.p.endpoints.items() if config else ():
        if endpoint.launch:
            rows.append(_row("endpoint", name, UNKNOWN, "started by the flow when needed"))
        else:
            rows.append(_reach(name, endpoint.url, endpoint.api_key_env))
    return [*rows, _store()]


def _row(kind: str, name: str, state: str, detail: str) -> dict[str, str]:
    return {"kind": kind, "name": name, "state": state, "detail": detail}


def _project(config: Layout | None) -> dict[str, str]:
    name = Path.cwd().name
    if config is None:
        return _row(
            "project", name, UNKNOWN, f"no {PARAMS} here or above; `rate`, `check` and `draw` need none"
        )
    if not config.p.boards:
        return _row("project", name, OK, "models that judge your own answers; no boards")
    unusable = refusal_of_dvc()
    return _row("project", name, MISSING if unusable else OK, unusable or "DVC builds here")


def _gpu() -> dict[str, str]:
    try:
        import torch
    except ImportError:
        return _row("gpu", "cuda", MISSING, "torch is not installed")
    if torch.cuda.is_available():
        return _row("gpu", torch.cuda.get_device_name(0), OK, f"{torch.cuda.device_count()} device(s)")
    return _row("gpu", "cuda", MISSING, "none; the small defaults run on the CPU")


def _keys(config: Layout | None) -> list[dict[str, str]]:
    """Return which key variables are set, by name: their values are never read into a report."""
    uses = dict.fromkeys(config.p.secrets() if config else (), "") | {
        HUB_KEY: "; needed to publish, and to read what is private on the Hub"
    }
    is_set = {name: bool(os.environ.get(name)) for name in uses}
    return [
        _row("key", name, OK if is_set[name] else MISSING, ("set" if is_set[name] else "not set") + use)
        for name, use in uses.items()
    ]


def _reach(name: str, base_url: str, key_variable: str | None) -> dict[str, str]:
    key = os.environ.get(key_variable or "", "")
    if not (key.isascii() and key.isprintable()):  # no header can carry it, and an error would show it
        what = f"{key_variable} holds a line break or a character beyond ASCII"
        return _row("endpoint", name, MISSING, what)
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        request = urllib.request.Request(f"{base_url.rstrip('/')}/models", headers=headers)
        with urllib.request.urlopen(request, timeout=5) as answer:
            return _row("endpoint", name, OK, f"{base_url} answers {answer.status}")
    except urllib.error.HTTPError as error:
        is_open = error.code < 500 and error.code not in (401, 403)
        return _row("endpoint", name, OK if is_open else MISSING, f"{base_url} answers {error.code}")
    except (urllib.error.URLError, OSError, ValueError) as error:
        return _row("endpoint", name, MISSING, f"{base_url}: {getattr(error, 'reason', error)}")


def _store() -> dict[str, str]:
    """Return whether the response store can be opened; one that is not there is not made."""
    from truerate.llm.store.responses import Store

    path = store_path()
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
