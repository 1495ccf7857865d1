"""The readers that `reader:` in params.yaml may name: those of the package, and modules beside this one."""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any

from truerate.sources.answers import labelled
from truerate.sources.hub import truerate
from truerate.sources.papers import (
    faithdial,
    fava,
    halludial,
    halueval,
    mfava,
    mushroom,
    wildchat,
    wildhallucinations,
)
from truerate.sources.public import (
    answer_sets,
    bullshitbench,
    claims,
    evouna,
    faithbench,
    faithjudge,
    ragtruth,
    ragtruth_plus_plus,
    xsum,
)
from truerate.sources.public.unit_labels import Tables
from truerate.sources.raw import seed_files, wiki_files, wikipedia
from truerate.sources.tables import SourceTables

Read = Callable[..., SourceTables]
Labels = Callable[[Tables], list[dict]]
READERS: dict[str, Read] = {
    **answer_sets.readers(),
    "alpaca": seed_files.read_alpaca,
    "answers": labelled.read,
    "begin": faithdial.read_begin,
    "bullshitbench": bullshitbench.read,
    "cnn_dailymail": seed_files.read_cnn_dailymail,
    "entity_list": wildhallucinations.read_entity_list,
    "evouna": evouna.read,
    "factcheckgpt": claims.read_factcheckgpt,
    "factool": claims.read_factool,
    "factscore": claims.read_factscore,
    "faithbench": faithbench.read,
    "faithdial": faithdial.read,
    "faithjudge": faithjudge.read,
    "fava": fava.read,
    "fava_prompts": wiki_files.read_fava_prompts,
    "halludial": halludial.read,
    "halueval": halueval.read,
    "halueval2": halueval.read_halueval2,
    "hotpotqa": seed_files.read_hotpotqa,
    "mfava": mfava.read,
    "mushroom": mushroom.read,
    "natural_questions": wiki_files.read_natural_questions,
    "opendialkg": seed_files.read_opendialkg,
    "probes": seed_files.read_probes,
    "prompt_list": wildhallucinations.read_prompt_list,
    "ragtruth": ragtruth.read,
    "ragtruth_plus_plus": ragtruth_plus_plus.read,
    "refchecker": claims.read_refchecker,
    "seed_files": seed_files.read,
    "silver_prompts": wiki_files.read_silver_prompts,
    "truerate": truerate.read,
    "wiki_files": wiki_files.read,
    "wikipedia": wikipedia.read,
    "wildchat": wildchat.read,
    "wildhallucinations": wildhallucinations.read,
    "xsum": xsum.read,
}
LABELS: dict[str, Labels] = {
    "bullshitbench": bullshitbench.labels,
    "evouna": evouna.labels,
    "factscore": claims.labels,
    "faithbench": faithbench.labels,
    "halueval": halueval.labels,
    "ragtruth_plus_plus": ragtruth_plus_plus.labels,
    "refchecker": claims.labels,
    "xsum": xsum.labels,
}


def _beside(name: str, what: str) -> Any:
    """Return what a module of this name beside this one calls `read`, `labels` or `CARD`; None where it has
    none.
    """
    module_name = f"{__package__}.{name}"
    is_there = name.isidentifier() and name not in READERS and find_spec(module_name) is not None
    return getattr(import_module(module_name), what, None) if is_there else None


def reader_of(name: str) -> Read | None:
    """Return the reader of a name; None where there is none."""
    return READERS.get(name) or _beside(name, "read")


def labels_by(name: str) -> Labels | None:
    """Return what makes the labels behind a board of a reader's tables; None for a reader that brings none."""
    return LABELS.get(name) or _beside(name, "labels")


def card_of(name: str) -> dict:
    """Return the card of the set that a reader was written for; empty where it has none."""
    return getattr(reader_of(name), "card", None) or _beside(name, "CARD") or {}


def readers() -> list[str]:
    """Return the names of all readers, sorted."""
    beside = (module.name for module in iter_modules(import_module(__package__).__path__))
    return sorted({*READERS, *(name for name in beside if _beside(name, "read"))})
