"""Turns the Hub clients of this very process towards a Hub, for the length of a test: they read most of their
settings once, at import.
"""

import sys
from functools import cache
from pathlib import Path

import datasets
import huggingface_hub
from httpx2._transports import default as transports
from huggingface_hub import HfFileSystem, constants, hf_api, hf_file_system
from huggingface_hub.utils import _cache_manager, _http

from .hub import Hub

# What each client makes anew for servers that are spoken to in TLS, as no Hub on loopback is: a fiftieth of a
# second.
_tls = cache(transports.create_ssl_context)


def point_at(hub: Hub, monkeypatch, *, token: str | None, xet: bool = True) -> None:
    """Set addresses, token and caches in the environment and wherever modules have copied them; monkeypatch
    puts all of it back.
    """
    home = hub.folder / "home"
    for name, value in hub.environment(token=token, xet=xet, home=home).items():
        if name.startswith("HF_") or name == "NO_PROXY":
            monkeypatch.setenv(name, value)
    for name in (
        "HF_HUB_OFFLINE",
        "TRANSFORMERS_OFFLINE",
        "HUGGING_FACE_HUB_TOKEN",
        *([] if token else ["HF_TOKEN"]),
    ):
        monkeypatch.delenv(name, raising=False)
    _set(monkeypatch, constants, _constants(hub.url, home) | {"HF_HUB_DISABLE_XET": not xet})
    _set(monkeypatch, _cache_manager, {"HF_HUB_CACHE": str(home / "hub")})
    _set(monkeypatch, _http, {"_HUB_ORIGINS": frozenset({_http._url_origin(hub.url)})})
    _set(monkeypatch, hf_api.api, {"endpoint": hub.url, "_whoami_cache": {}})
    _set(
        monkeypatch,
        hf_file_system.hffs,
        {"endpoint": hub.url, "_api": huggingface_hub.HfApi(endpoint=hub.url)},
    )
    _set(monkeypatch, datasets.config, _datasets_config(hub.url, home))
    _set(monkeypatch, transports, {"create_ssl_context": _tls})
    if "transformers.utils.hub" in sys.modules:
        _set(
            monkeypatch,
            sys.modules["transformers.utils.hub"],
            {"HF_MODULES_CACHE": str(home / "modules"), "_hf_api": None},
        )
    forget()


def forget() -> None:
    """Drop what the clients remember of a Hub: connections, and listings of its files."""
    HfFileSystem.clear_instance_cache()
    huggingface_hub.close_session()


def _constants(url: str, home: Path) -> dict[str, object]:
    return {
        "ENDPOINT": url, "HUGGINGFACE_CO_URL_TEMPLATE": url + "/{repo_id}/resolve/{revision}/{filename}",
        "HF_URL_HOSTS": frozenset({"127.0.0.1"}), "HF_HOME": str(home), "HF_HUB_CACHE": str(home / "hub"),
        "HUGGINGFACE_HUB_CACHE": str(home / "hub"), "HF_ASSETS_CACHE": str(home / "assets"),
        "HF_XET_CACHE": str(home / "xet"), "HF_TOKEN_PATH": str(home / "token"), "HF_STORED_TOKENS_PATH": str(home / "stored_tokens"),
        "HF_HUB_OFFLINE": False, "HF_HUB_DISABLE_TELEMETRY": True,
    }  # fmt: skip


def _datasets_config(url: str, home: Path) -> dict[str, object]:
    return {
        "HF_ENDPOINT": url, "HUB_DATASETS_URL": url + "/datasets/{repo_id}/resolve/{revision}/{path}", "HF_CACHE_HOME": str(home),
        "HF_DATASETS_CACHE": home / "datasets", "DOWNLOADED_DATASETS_PATH": home / "datasets" / "downloads",
        "HF_MODULES_CACHE": home / "modules",
        "HF_HUB_OFFLINE": False, "HF_DATASETS_OFFLINE": False, "HF_UPDATE_DOWNLOAD_COUNTS": False,
    }  # fmt: skip


def _set(monkeypatch, owner: object, values: dict[str, object]) -> None:
    for name, value in values.items():
        monkeypatch.setattr(owner, name, value, raising=False)
