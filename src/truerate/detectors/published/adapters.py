"""The table of published detectors (adapters.yaml): a record of checkpoints that are asked alike."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Literal

from truerate.config import Published
from truerate.core.data_files import read_data
from truerate.core.errors import TruerateError, listed, meant
from truerate.detectors.published.chunks import Chunker

# How a network is loaded and read: its tokens' labels, a class of one string or of a pair, that of the first
# token of an encoder, of a regression head of AlignScore, the first word of a decoder, or what a judge
# writes; a detector of ours says all of that itself.
Kind = Literal["tokens", "classes", "encoder", "align", "decoder", "judge", "own"]
# how a judge's reply is read; replies.py
Reader = Literal[
    "yes-is-supported", "yes-is-hallucinated", "score-tag", "pass-or-fail", "listed-spans", "fava-tags"
]
TRUERATE = "truerate"  # detectors that `train` and `publish` of ours wrote
NEEDED = ("window", "threshold", "licence", "template")  # what may stand in params.yaml instead
TEXTS = ("template", "without_question", "passage", "system")  # fields that name one of the templates
FIELD = re.compile(r"\{(document|claim|question|n|eos)\}")


@dataclass(frozen=True)
class Adapter:
    """How one family of published checkpoints is asked and read. What is None is not known: it has to be
    given in params.yaml.

    `ids`: Hub ids that are asked so. `shapes`: the `model_type` or the class in `architectures` that its
    config.json may name (empty: any that its kind can load). `template`: the input, `without_question` that
    of a text that answers none, `passage` a passage in it. `is_pair`: document and claim are two texts, no
    string. `supported_class`: the class that means *supported* (of *hallucinated* for kind tokens);
    `against`: of the class whose probability is subtracted. `word_ids`: ids of a vocabulary: two of which the
    second means supported, or one whose share of the whole vocabulary is the score. `chunker`: how documents
    are cut; None: in overlapping windows, only where they are too long. `claim`: what is asked about at once.
    `over`: how the scores of its sentences become the text's. `threshold`: of the score of support;
    `is_above`: whether a score at the threshold is not yet supported. Of a judge that writes: `reader` of its
    reply, `layout` (a user's turn, an assistant's turn beside documents, a text without a chat template),
    `system`, `n_written` (tokens of a reply, at most). `base`: where tokenizer and shape lie, if not with the
    weights. `trained_on`: sets in whose boards it is at home. `refused`: why it cannot be used.
    """

    name: str
    kind: Kind
    ids: tuple[str, ...] = ()
    shapes: tuple[str, ...] = ()
    template: str | None = "{document}"
    without_question: str | None = None
    passage: str | None = None
    is_pair: bool = False
    supported_class: int = 1
    against: int | None = None
    word_ids: tuple[int, ...] | None = None
    window: int | None = None
    chunker: Chunker | None = None
    claim: Literal["answer", "sentence"] = "answer"
    over: Literal["mean", "min"] = "min"
    threshold: float | None = 0.5
    is_above: bool = True
    reader: Reader | None = None
    layout: Literal["user", "documents", "plain"] = "user"
    system: str | None = None
    n_written: int = 0
    licence: str | None = None
    base: str | None = None
    trained_on: str = "not checked"
    refused: str | None = None

    @property
    def marks_tokens(self) -> bool:
        """Return whether it says where, not only whether."""
        return self.kind in ("tokens", "own")

    def is_supported(self, score: float) -> bool:
        """Return whether a score of support is above the threshold, or at it where that is enough."""
        assert self.threshold is not None, "`with_settings` refuses an adapter without one"
        return score > self.threshold if self.is_above else score >= self.threshold


def _adapter(name: str, record: Mapping) -> Adapter:
    values = {key: tuple(value) if isinstance(value, list) else value for key, value in record.items()}
    values |= {key: TEMPLATES.get(values[key]) for key in TEXTS if key in values}
    if "chunker" in values:
        values["chunker"] = Chunker(*values["chunker"])
    return Adapter(name, **values)


TABLE = Path(__file__).with_name("adapters.yaml")
TEMPLATES: dict[str, str] = read_data(TABLE, lambda table: table["templates"])
ADAPTERS = read_data(
    TABLE, lambda table: {name: _adapter(name, record) for name, record in table["adapters"].items()}
)
BY_ID = {name: adapter for adapter in ADAPTERS.values() for name in adapter.ids}


def filled(template: str, **values: object) -> str:
    """A template with its fields filled in, each once; a field without a value is empty. What is filled in is
    never read again for fields, so that a text may hold braces.
    """
    return FIELD.sub(lambda field: str(values.get(field[1], "")), template)


def adapter_of(named: str | None, weights: str | None, *, is_own: bool, where: str) -> Adapter:
    """The named adapter, or the one that knows the weights. Raises TruerateError where there is none."""
    if named is not None:
        if named not in ADAPTERS:
            raise TruerateError(
                f"{where}: no adapter {named!r}{meant(named, ADAPTERS)}; there: {listed(ADAPTERS)}"
            )
        return ADAPTERS[named]
    if is_own:
        return ADAPTERS[TRUERATE]
    if weights in BY_ID:
        return BY_ID[weights]
    raise TruerateError(f"{where}: no adapter knows {weights!r}; name one as `adapter`: {listed(ADAPTERS)}")


def with_settings(adapter: Adapter, how: Published, *, where: str) -> Adapter:
    """The adapter with the settings of params.yaml. Raises TruerateError if refused or incomplete."""
    if adapter.refused:
        raise TruerateError(f"{where}: adapter {adapter.name!r} cannot be used: {adapter.refused}")
    names = {field.name for field in fields(Adapter)} & set(type(how).model_fields)
    given = {name: value for name in names if (value := getattr(how, name)) is not None}
    completed = replace(adapter, **given)
    if lost := [name for name in NEEDED if getattr(completed, name) is None]:
        raise TruerateError(
            f"{where}: adapter {adapter.name!r} does not say its {listed(lost)}, which nobody has published "
            f"or we have not checked; give {listed(f'`{name}`' for name in lost)} beside it"
        )
    return completed


def about(adapter: Adapter, how: Published) -> str:
    """A published detector in the words of the detectors page. Of a folder its name alone is shown."""
    name = how.model or (how.weights or "").rstrip("/")
    name = name if how.model or how.revision else name.rpartition("/")[2]
    commit = f" at commit {how.revision[:7]}" if how.revision else ""
    what = "marks words" if adapter.marks_tokens else "says whether a text is hallucinated"
    return (
        f"A published detector, {name}{commit}, asked as {adapter.name}; it {what} and learned nothing here. "
        f"Trained on: {adapter.trained_on}. Licence: {adapter.licence}."
    )
