"""Whether weights suit their adapter by their config.json alone, before anything is loaded or paid for."""

import json
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from truerate.config import Published
from truerate.core.errors import TruerateError, listed
from truerate.core.pretrained import absent, is_folder
from truerate.detectors.published.adapters import Adapter, adapter_of, with_settings

CONFIG = "config.json"
OWN_FILES = ("network.json", "network/network.json")  # of a folder as published, and as trained
SUFFIXES = {  # of the classes that each kind can load
    "tokens": "ForTokenClassification",
    "classes": "ForSequenceClassification",
    "decoder": "ForConditionalGeneration",
    "judge": "ForCausalLM",
}
# words of which one stands in the name of a class, where classes have names of their own
MEANS_HALLUCINATED = ("halluc", "unsupport", "not_support", "inconsist")
MEANS_NOT_SUPPORTED = (*MEANS_HALLUCINATED, "contradict", "neutral", "not_entail", "refute")


def usable(how: Published, where: str, *, is_asked: bool = True) -> Adapter:
    """The adapter of a published detector with all that params.yaml gives of it.

    Raises TruerateError, one line that begins with `where`, for an adapter that is unknown or refused, or of
    which something is missing, for a Hub id without its commit, for weights that are not there, and for those
    of another shape or with other classes than the adapter's. `is_asked`: whether it is about to be used:
    then the Hub is asked, and packages have to be there.
    """
    if how.model is not None:
        adapter = with_settings(adapter_of(how.adapter, None, is_own=False, where=where), how, where=where)
        if adapter.kind != "judge":
            raise TruerateError(
                f"{where}: adapter {adapter.name!r} reads a network's numbers, which no endpoint gives; "
                "name its `weights` in the place of a `model`"
            )
        return adapter
    weights = how.weights or ""
    named = adapter_of(how.adapter, weights, is_own=is_own(how), where=where)
    adapter = with_settings(named, how, where=where)
    if how.revision is None and not is_folder(weights):
        raise TruerateError(
            f"{where}: {weights!r} is no folder, and a repository of the Hub needs its `revision`: the "
            "commit, 40 hexadecimal digits, or its judgements would not stay those of one detector"
        )
    if how.quantise != "none" and adapter.kind != "judge":
        raise TruerateError(f"{where}: quantise is for judges that write; adapter {adapter.name!r} is none")
    if how.quantise != "none" and is_asked and find_spec("bitsandbytes") is None:
        raise TruerateError(f"{where}: quantise needs bitsandbytes; run pip install 'truerate[gpu]'")
    base = how.base or adapter.base
    if how.base is not None and not is_folder(how.base) and how.base_revision is None:
        raise TruerateError(f"{where}: base {how.base!r} needs its commit as `base_revision`")
    if adapter.base is not None and how.base is None and how.base_revision is None:
        raise TruerateError(
            f"{where}: adapter {adapter.name!r} takes tokenizer and shape from {base!r}; give its commit as "
            "`base_revision`, or a folder as `base`"
        )
    if is_asked or is_folder(weights):
        for name, revision in ((weights, how.revision), (how.base or adapter.base, how.base_revision)):
            if name is not None and (why := absent(name, revision=revision)):
                raise TruerateError(f"{where}: {why}; correct it, or name a folder of weights")
        if adapter.kind != "own":
            _check_config(adapter, config_of(weights, how.revision, where), weights, where)
    return adapter


def is_own(how: Published) -> bool:
    """Return whether the weights lie in a folder that `train` or `publish` of ours wrote."""
    path = Path(how.weights or "").expanduser()
    return is_folder(str(path)) and any((path / name).is_file() for name in OWN_FILES)


def config_of(weights: str, revision: str | None, where: str) -> dict[str, Any]:
    """The config.json of weights, as it stands there. Raises TruerateError where there is none."""
    from huggingface_hub import hf_hub_download

    try:
        local = Path(weights).expanduser() / CONFIG
        path = local if is_folder(weights) else Path(hf_hub_download(weights, CONFIG, revision=revision))
        config = json.loads(path.read_text("utf-8"))
    except Exception as error:  # the transport's errors share no class
        kind = type(error).__name__
        raise TruerateError(
            f"{where}: no {CONFIG} that can be read in {weights!r} ({kind}); name weights as transformers "
            "saves them"
        ) from None
    if not isinstance(config, dict):
        raise TruerateError(f"{where}: {CONFIG} in {weights!r} is no JSON object")
    return config


def _check_config(adapter: Adapter, config: Mapping[str, Any], weights: str, where: str) -> None:
    """Raise TruerateError where a network is not of the adapter's shape, or its classes are others."""
    listed_names = config.get("architectures") or []
    if not isinstance(listed_names, list):
        raise TruerateError(f"{where}: {weights!r}: architectures in {CONFIG} is no list of names")
    names = [str(name) for name in listed_names]
    shapes = [str(config.get("model_type")), *names]
    suffix = SUFFIXES.get(adapter.kind)
    if adapter.shapes and not set(shapes) & set(adapter.shapes):
        raise TruerateError(
            f"{where}: adapter {adapter.name!r} reads {listed(adapter.shapes)}, and {weights!r} is "
            f"{listed(shapes)}"
        )
    if suffix and names and not any(name.endswith(suffix) for name in names):
        raise TruerateError(
            f"{where}: adapter {adapter.name!r} needs a network …{suffix}, and {weights!r} is {listed(names)}"
        )
    if adapter.kind in ("tokens", "classes"):
        _check_labels(adapter, config, weights, where)


def _check_labels(adapter: Adapter, config: Mapping[str, Any], weights: str, where: str) -> None:
    """Raise TruerateError where classes are too few, or their names contradict the adapter's order."""
    id2label = config.get("id2label") or {str(number): f"LABEL_{number}" for number in range(2)}
    if not (isinstance(id2label, Mapping) and all(str(number).isdecimal() for number in id2label)):
        raise TruerateError(f"{where}: {weights!r}: id2label in {CONFIG} names no classes by their places")
    names = {int(n): str(name).lower().replace("-", "_").replace(" ", "_") for n, name in id2label.items()}
    wanted = {adapter.supported_class: "hallucinated" if adapter.kind == "tokens" else "supported"}
    if adapter.against is not None:
        wanted = {adapter.supported_class: "entailment", adapter.against: "contradiction"}
    n = 2 if adapter.against is None else 3
    order = ", ".join(f"{number} = {name}" for number, name in sorted(wanted.items()))
    needs = f"adapter {adapter.name!r} needs {n} classes with {order}"
    is_plain = all(name.startswith("label_") for name in names.values())
    if len(names) != n or not (is_plain or all(_means(names[at], what) for at, what in wanted.items())):
        raise TruerateError(f"{where}: {needs}, and {weights!r} has {listed(map(str, id2label.values()))}")


def _means(name: str, what: str) -> bool:
    if what == "hallucinated":
        return any(word in name for word in MEANS_HALLUCINATED)
    if what == "supported":
        return not any(word in name for word in MEANS_NOT_SUPPORTED)
    return name.startswith(what[:6]) and not name.startswith("not")
