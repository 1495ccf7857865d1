"""The readers that `reader:` in params.yaml may name: those of the package, and modules beside this one."""

from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from types import ModuleType

from truerate.sources.hub import truerate
from truerate.sources.papers import (
    begin,
    entity_list,
    faithdial,
    fava,
    fava_prompts,
    halludial,
    halueval,
    halueval2,
    mfava,
    mushroom,
    silver_prompts,
    wildchat,
    wildhallucinations,
)
from truerate.sources.public import (
    evouna,
    factcheckgpt,
    factool,
    factscore,
    faithbench,
    faithjudge,
    ragtruth,
    refchecker,
    xsum,
)
from truerate.sources.raw import (
    alpaca,
    cnn_dailymail,
    hotpotqa,
    natural_questions,
    opendialkg,
    probes,
    seed_files,
    wiki_files,
    wikipedia,
)

_MODULES = (
    alpaca, begin, cnn_dailymail, entity_list, evouna, factcheckgpt, factool, factscore, faithbench,
    faithdial, faithjudge, fava, fava_prompts, halludial, halueval, halueval2, hotpotqa, mfava, mushroom,
    natural_questions, opendialkg, probes, ragtruth, refchecker, seed_files, silver_prompts, truerate,
    wiki_files, wikipedia, wildchat, wildhallucinations, xsum,
)  # fmt: skip
READERS: dict[str, ModuleType] = {module.__name__.rpartition(".")[2]: module for module in _MODULES}


def reader_module(name: str) -> ModuleType | None:
    """Return the module of a reader; None where there is none of that name."""
    if name in READERS:
        return READERS[name]
    module_name = f"{__package__}.{name}"
    if not name.isidentifier() or find_spec(module_name) is None:
        return None
    module = import_module(module_name)
    return module if hasattr(module, "read") else None


def card_of(name: str) -> dict:
    """Return the card of the set that a reader was written for; empty where it has none."""
    module = reader_module(name)
    return getattr(module, "CARD", None) or getattr(getattr(module, "read", None), "card", {})


def readers() -> list[str]:
    """Return the names of all readers, sorted."""
    beside = (module.name for module in iter_modules(import_module(__package__).__path__))
    return sorted({*READERS, *(name for name in beside if reader_module(name))})
