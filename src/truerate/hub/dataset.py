"""The repository of a data set: Parquet shards, card, Croissant, checksums, how to rebuild withheld texts."""

import json
from collections.abc import Sequence
from pathlib import Path

from truerate.core.errors import TruerateError
from truerate.core.rights import DIGEST
from truerate.hub.card import card_of
from truerate.hub.configs import CARD_WORDS
from truerate.hub.croissant import croissant_of
from truerate.hub.licences import LICENCES, Licence
from truerate.hub.markdown import filled
from truerate.hub.metadata import licence_of_all
from truerate.hub.release import CANARY, CROISSANT, README, BoardFacts, Draft
from truerate.hub.shards import FOLDER, Config, Shard, shards_of

EXCHANGE = "every_eval_ever/"  # the scores in that form, where asked for
PREFIXES = (FOLDER, "build/", "rebuild/", EXCHANGE)
REBUILD, REBUILD_TEMPLATE = "rebuild/REBUILD.md", "rebuild.md.j2"
SIMULATED = (
    "Its texts are made up: those of a closed world, whose models and annotators are programs with planted "
    "mistakes."
)


def draft_of(
    facts: BoardFacts, configs: Sequence[Config], *, rows_per_shard: int, licence: Licence | None, repo: str
) -> Draft:
    """Return the draft of a board's data set. Its Parquet is written once, here.

    `licence`: of the whole, None for that of its configs, joined where they can be. Raises TruerateError
    without rows.
    """
    if not configs:
        problem = "none of its tables holds a row that may go out"
        raise TruerateError(f"publishing board {facts.board!r}: {problem}; run `dvc repro` first")
    whole = licence or licence_of_all(configs)
    shards = [shard for config in configs for shard in shards_of(config, rows_per_shard=rows_per_shard)]
    fixed: dict[str, bytes | Path] = {shard.path: shard.content for shard in shards}
    fixed |= {path: text.encode() for path, text in facts.recipe.items()}
    fixed[README] = card_of(facts, configs, shards, licence=whole, repo=repo).encode()
    if facts.canary:
        fixed[CANARY] = f"{facts.canary}\n".encode()
    if not all(config.has_texts for config in configs):
        fixed[REBUILD] = rebuild_of(facts, configs).encode()
    licences = [whole] if whole else list(dict.fromkeys(config.licence for config in configs))

    def dated(day: str) -> dict[str, bytes | Path]:
        croissant = croissant_of(facts, configs, shards, licences=licences, repo=repo, dated=day)
        return {CROISSANT: croissant.encode()}

    notes = tuple(note_of(config) for config in configs)
    return Draft("dataset", facts.board, summary_of(facts, configs, shards), fixed, PREFIXES, dated, notes)


def note_of(config: Config) -> str:
    """Return one line on how a config goes out: its rows, with texts or without and why, and its licence."""
    how = "with texts" if config.bears_texts else "numbers and names"
    if not config.has_texts:
        how = "ids and labels" + (f" ({config.why})" if config.why else "")
    return f"config {config.name}: {config.n_rows} rows, {how}" + (
        f"; {config.licence.name}" if config.has_texts else ""
    )


def summary_of(facts: BoardFacts, configs: Sequence[Config], shards: Sequence[Shard]) -> str:
    """One line for the commit and the change log: the board, its configs and rows."""
    sizes = ", ".join(f"{config.name} {config.n_rows}" for config in configs)
    n_rows = sum(shard.n_rows for shard in shards)
    return f"board {facts.board}: {n_rows} rows in {len(configs)} configs ({sizes})"


def rebuild_of(facts: BoardFacts, configs: Sequence[Config]) -> str:
    """Return rebuild/REBUILD.md: how to rebuild the texts that are not published, and how to verify them."""
    bare = [config for config in configs if not config.has_texts]
    # a config whose rows bear checksums of texts, the column that names them, and the table with the texts
    example = None
    if digested := next((config for config in bare if DIGEST in list(config.schema)[1:]), None):
        id = next(iter(digested.schema))
        example = {"id": id, "config": digested.name}
        example["table"] = CARD_WORDS["build_tables"][id].format(board=facts.board)
    values = {
        "facts": facts,
        "source": dict.fromkeys(("name", "licence", "url", "redistribution")) | dict(facts.source),
        "source_files": list(facts.source.get("files") or ()),
        "bare": bare,
        "is_whole": not any(config.bears_texts for config in configs),
        "example": example,
    }
    return filled(REBUILD_TEMPLATE, values)


# ---- build/source.json -------------------------------------------------------------------------------------
def origin_of(facts: BoardFacts, configs: Sequence[Config], *, licence: Licence | None) -> str:
    """Return the file: name, citation, address, rights, track, and the words on the licence of each config.

    `licence`: under which the whole is to go out, None where each config has its own.
    """
    cited = str(facts.source.get("citation") or "")
    fields = {
        "name": f"{facts.title} (simulated)" if facts.is_simulated else facts.title,
        "citation": f"{cited} Protocol: {facts.track.citation} Built and published by truerate.".lstrip(),
        "url": facts.source.get("url"),
        "lang": facts.languages[0] if len(facts.languages) == 1 else None,
        "note": SIMULATED if facts.is_simulated else None,
        "redistribution": "yes" if any(config.bears_texts for config in configs) else "ids-only",
        "track": facts.track.name,
        "licences": {config.name: words_for(licence or config.licence) for config in configs},
    }
    stated = {key: value for key, value in fields.items() if value is not None}
    return json.dumps(stated, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def words_for(licence: Licence) -> str:
    """A licence in words from which `licence_of` reads the same: the Hub's id, else its own name."""
    return licence.id if licence.id in LICENCES else licence.name
