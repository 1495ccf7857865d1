"""The prompts by which a board asked, as its page shows them: the templates, never what was put into them."""

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl

from truerate.config.layout import Layout
from truerate.core.schemas import pair
from truerate.llm.clones import RECORDED
from truerate.llm.prompts import TRACKS, messages_of
from truerate.pipeline.tracks import protocol_of

BY = (
    "task",
    "variant",
    "scheme",
    "definition",
    "kind",
)  # attributes of replies by which a template is chosen
REPUBLISHED = (
    "MIT License",
    "BSD ",
)  # how licences begin under which words may stand on a page, with the notice
OURS = "own"  # whose words are not an import's


def board_prompts(config: Layout, board: str, generations: pl.DataFrame) -> list[dict[str, Any]]:
    """Return the templates that a board's replies came from, by name: `name`, `ours` (its messages as pairs of role
    and text; empty where there is no built-in one) and `theirs`, what of `llm.prompts_dir` was asked in its
    place, or None.

    `theirs` has `by` (the repository of an import, else OURS), `licence`, `sha256` and `n_characters` of the file,
    and its `messages` with the licence's `notice` where that licence lets words be republished, else none.
    """
    track, folder = config.p.board(board).track, config.p.llm.prompts_dir
    choose, settings = protocol_of(config, board).template, config.p.track(board)
    columns = ["purpose", *(pair("attributes", key).alias(key) for key in BY)]
    asked = generations.select(columns).unique(maintain_order=True).iter_rows(named=True)
    names = {choose(settings, row["purpose"], row) for row in asked}
    prompts = []
    for name in sorted(names):
        built_in = TRACKS / track / "prompts" / f"{name}.j2"
        ours = messages_of(built_in) if built_in.is_file() else []
        theirs = _theirs(Path(folder) / track, name) if folder else None
        prompts += [{"name": name, "ours": ours, "theirs": theirs}] if ours or theirs else []
    return prompts


def _theirs(folder: Path, name: str) -> dict[str, Any] | None:
    file = folder / f"{name}.j2"
    if not file.is_file():
        return None
    digest = sha256(file.read_bytes()).hexdigest()
    record = _record(folder)
    is_imported = record.get("templates", {}).get(file.name) == digest
    licence, notice = (str(record.get(key) or "") if is_imported else "" for key in ("licence", "notice"))
    messages = messages_of(file)
    return {
        "by": str(record.get("repository")) if is_imported else OURS,
        "licence": licence,
        "sha256": digest,
        "n_characters": sum(len(text) for _, text in messages),
        "messages": messages if notice and licence.startswith(REPUBLISHED) else [],
        "notice": notice,
    }


def _record(folder: Path) -> Mapping[str, Any]:
    """What an import wrote of a folder; empty where none did."""
    try:
        record = json.loads((folder / RECORDED).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) and isinstance(record.get("templates"), dict) else {}
