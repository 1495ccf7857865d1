"""The repositories of trained detectors and judges, in the form that others load, if they may go out."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from truerate.core.errors import TruerateError
from truerate.hub.licences import refuse_unpublishable
from truerate.hub.model_card import detector_card, judge_card
from truerate.hub.release import README, DetectorFacts, Draft

# a type of our own: transformers refuses what it does not know, and builds what it does at random
NETWORK_TYPE = "truerate-token-detector"
NETWORK = "network.json"
BODY = "config.json"
CODER = "coder.json"
TOKENIZER = "tokenizer.json"
WEIGHTS = "model.safetensors"
JUDGE_TYPE, STATE, DECISION = "truerate-tree-judge", "state.npz", "decision.json"
TINY = "tiny"  # weights that come from no backbone
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?", re.ASCII)


def detector_draft(facts: DetectorFacts, *, repo: str) -> Draft:
    """Return the draft of a trained detector.

    Raises TruerateError where it learned nothing, is no network, learned from texts that may not go out, or
    where nobody else could load it: adapters on a backbone in a local folder, or without a pinned revision.
    """
    what = f"publishing detector {facts.detector!r}"
    _refuse_unfitted(facts, what)
    missing = [name for name in (NETWORK, CODER, TOKENIZER, WEIGHTS) if not (facts.folder / name).is_file()]
    if missing:
        advice = "only trained networks go out, run `dvc repro train`"
        raise TruerateError(f"{what}: no {missing[0]} in its folder; {advice}")
    network = _json(facts.folder / NETWORK)
    refuse_training(facts.source, what=f"detector {facts.detector!r}")
    backbone = published_backbone(network["backbone"], what=what)
    lang = facts.settings.get("lang")
    if lang:  # a detector of one language says nothing of the others
        facts = replace(facts, languages=(str(lang),))
    whole = {**network, **chosen_threshold(facts.training), "backbone": backbone}
    body = None if backbone["lora"] else _json(facts.folder / BODY)
    tokenizer = _json(facts.folder / TOKENIZER)
    coding = tokenizer_config(tokenizer, _json(facts.folder / CODER), int(backbone["max_tokens"]))
    documents = {BODY: published_config(whole, body), NETWORK: whole, "tokenizer_config.json": coding}
    fixed = _fixed(facts, CODER, TOKENIZER, WEIGHTS)
    fixed |= {name: _bytes(part) for name, part in documents.items()}
    return _draft("detector", facts, fixed, detector_card(facts, whole, repo=repo))


def judge_draft(facts: DetectorFacts, *, repo: str) -> Draft:
    """Return the draft of a judge with boosted trees: its arrays and numbers as training wrote them, and no
    code.

    Raises TruerateError if it learned nothing, is of another form, or learned from texts that may not go out.
    """
    what = f"publishing judge {facts.detector!r}"
    _refuse_unfitted(facts, what)
    if not all((facts.folder / name).is_file() for name in (STATE, DECISION)):
        raise TruerateError(f"{what}: only judges of `form: trees` go out; this one is of another form")
    refuse_training(facts.source, what=f"judge {facts.detector!r}")
    decision = json.loads((facts.folder / DECISION).read_text("utf-8"))
    fixed = _fixed(facts, STATE, DECISION) | {BODY: _bytes({"model_type": JUDGE_TYPE})}
    return _draft("judge", facts, fixed, judge_card(facts, decision, repo=repo))


def _draft(what: str, facts: DetectorFacts, files: Mapping[str, bytes | Path], card: str) -> Draft:
    summary = f"{what} {facts.detector}, trained on {facts.board}"
    return Draft("model", facts.detector, summary, {**files, README: card.encode()}, ("build/",))


def _refuse_unfitted(facts: DetectorFacts, what: str) -> None:
    if not facts.training.get("is_fitted", False):
        raise TruerateError(f"{what}: it had nothing to learn from on board {facts.board!r}; publish another")


def _fixed(facts: DetectorFacts, *names: str) -> dict[str, bytes | Path]:
    """The recipe, and files by where training wrote them."""
    recipe: dict[str, bytes | Path] = {path: text.encode() for path, text in facts.recipe.items()}
    return recipe | {name: facts.folder / name for name in names}


def chosen_threshold(training: Mapping[str, object]) -> dict[str, float]:
    """The `threshold` above which a detector marks, as its training chose it; nothing where it chose none."""
    validation = training.get("validation")
    chosen = validation.get("threshold") if isinstance(validation, Mapping) else None
    return {} if chosen is None else {"threshold": chosen}


# ---- may it go out? ----------------------------------------------------------------------------------------
def refuse_training(card: Mapping, *, what: str) -> None:
    """Raise TruerateError if the training source may not be redistributed: networks repeat what they read."""
    refuse_unpublishable(card, what=what)
    if card["redistribution"] != "yes":
        reason = f"it learned from {card.get('name')!r}, whose redistribution is {card['redistribution']!r}"
        allowed = "only what was learned from sources with 'yes' goes out"
        raise TruerateError(f"publishing {what}: {reason}; {allowed}")


def published_backbone(backbone: Mapping, *, what: str) -> dict:
    """The settings of a network for others: a backbone in a local folder, whose weights are all here, keeps
    its name alone.

    Raises TruerateError for adapters whose backbone others cannot fetch as it was.
    """
    weights = str(backbone["weights"])
    is_local = not _HUB_ID.fullmatch(weights) or (weights != TINY and Path(weights).exists())
    if backbone["lora"] and is_local:
        problem = f"its adapters need the backbone in folder {Path(weights).name!r}"
        raise TruerateError(f"{what}: {problem}; train on one of the Hub, by its id")
    if backbone["lora"] and not backbone["revision"]:
        advice = "set its `revision` in params.yaml and train again"
        raise TruerateError(f"{what}: its backbone {weights!r} is not pinned; {advice}")
    return {**backbone, "weights": Path(weights).name} if is_local else dict(backbone)


# ---- the form that others load -----------------------------------------------------------------------------
def published_config(network: Mapping, body: Mapping | None) -> dict:
    """config.json: a type of our own around the body's config; `body` is None if adapters name a backbone."""
    labels = dict(enumerate(network["labels"]))
    named = {"id2label": labels, "label2id": {name: number for number, name in labels.items()}}
    base = {name: network["backbone"][name] for name in ("weights", "revision")}
    adapted = {} if body else {"base_model": base}
    return {"architectures": ["TokenDetector"], "model_type": NETWORK_TYPE, "body": body, **named, **adapted}


def tokenizer_config(tokenizer: Mapping, coder: Mapping, max_tokens: int) -> dict:
    """tokenizer_config.json for AutoTokenizer: no special token is read out of a text."""
    pad = [token["content"] for token in tokenizer.get("added_tokens", ()) if token["id"] == coder["pad"]]
    plain = {"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": False}
    plain |= {"split_special_tokens": True, "model_max_length": max_tokens}
    return plain | ({"pad_token": pad[0]} if pad else {})


def _json(path: Path) -> dict:
    """A JSON file of a trained detector. Raises TruerateError where it is missing or damaged."""
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        problem = f"reading {path.name}: {' '.join(str(error).split())[:200]}"
        raise TruerateError(f"publishing a detector: {problem}; run `dvc repro train`") from None


def _bytes(values: Mapping) -> bytes:
    """Values as JSON, the same bytes for the same values."""
    return (json.dumps(values, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()
