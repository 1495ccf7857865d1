"""The settings of a published detector: which weights judge, and how they are asked."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from truerate.config.blocks import Block, Number, Revision, Whole, Word

Window = Annotated[Whole, Field(ge=16, le=10**6)]  # tokens
Rows = Annotated[Whole, Field(ge=1, le=10**4)]


class Published(Block):
    """A detector that others trained, or that `truerate publish` wrote, by Hub id or folder; nothing is learned
    here.

    `adapter`: an entry of `detectors/published/adapters.py`: how it is asked, what its numbers mean; null:
    found by Hub id, or `truerate` for ours. `model` instead of `weights`: an entry of `models`, asked in the
    adapter's words. `window` (tokens), `threshold`, `licence`, `template` stand above the adapter's. `base`:
    repository of tokenizer and shape. `quantise: 4bit` is for generative judges (extra `gpu`).
    """

    weights: Word | None = None
    revision: Revision | None = None
    adapter: Word | None = None
    model: Word | None = None
    base: Word | None = None
    base_revision: Revision | None = None
    window: Window | None = None
    threshold: Annotated[Number, Field(ge=-1, le=1)] | None = None
    licence: Word | None = None
    template: Word | None = None
    quantise: Literal["none", "4bit"] = "none"
    batch: Rows = 8

    @model_validator(mode="after")
    def _names_one_thing(self) -> "Published":
        if (self.weights is None) == (self.model is None):
            raise ValueError("name either `weights` (a Hub id or a folder) or a `model` that is asked")
        if self.model is not None and self.adapter is None:
            raise ValueError("`model` needs an `adapter`: in which words it is asked")
        if self.model is not None and (self.revision or self.base or self.quantise != "none"):
            raise ValueError(
                "`model` is asked over its endpoint: it takes no `revision`, `base` or `quantise`"
            )
        return self
