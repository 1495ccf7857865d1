"""The settings of HaluEval."""

from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field, model_validator

from truerate.params.blocks import Block, Names, Sampling, Share, Size, Track, once

Task = Literal["qa", "dialogue", "summarization", "general"]


class HaluEvalSizes(Block):
    """Items per task of HaluEval."""

    qa: Size
    dialogue: Size
    summarization: Size
    general: Size
    general_pool: Size

    @model_validator(mode="after")
    def _pool_holds_kept(self) -> "HaluEvalSizes":
        if self.general_pool < self.general:
            raise ValueError(f"general_pool ({self.general_pool}) must be at least general ({self.general})")
        return self


class HaluEval(Track):
    """The HaluEval track (HELMA sections 2 and 3)."""

    later: ClassVar[frozenset[str]] = frozenset({"generators", "subjects", "n_annotators", "probe_pass_rate", "n_topics"})

    tasks: Annotated[tuple[Task, ...], Field(min_length=1), AfterValidator(once)]
    generators: Names
    dataset_generator: str | None
    filter_judge: str | None
    responder: str | None
    subjects: Names
    schemes: Annotated[tuple[Literal["one-pass", "conversational"], ...], Field(min_length=1), AfterValidator(once)]
    pattern: Literal["assigned", "model"]
    length_slack_words: Annotated[int, Field(ge=0)]
    sampling: Sampling
    recognition: Sampling
    variants: Annotated[
        tuple[Literal["plain", "knowledge", "chain-of-thought", "contrast"], ...], Field(min_length=1), AfterValidator(once)
    ]
    n_responses: Annotated[int, Field(ge=2)]
    similarity: str
    refinement: bool
    n_retrieved: Size
    knowledge: Literal["source", "retrieved"]
    n_annotators: Annotated[int, Field(ge=2)]
    probe_pass_rate: Share
    n_topics: Annotated[int, Field(ge=2)]

    def models(self) -> tuple[str, ...]:
        """Every model alias the track names, in first-named order."""
        named = [*self.generators, self.dataset_generator, self.filter_judge, self.responder, *self.subjects]
        return tuple(dict.fromkeys(name for name in named if name is not None))

    def roles(self) -> dict[str, str | None]:
        """Who builds the data set, by role."""
        return {"generator": self.dataset_generator, "filter judge": self.filter_judge, "responder": self.responder}
