"""The splits that a set was published with, as splits here: `test` holds what was published as such and no more."""

from collections.abc import Iterable, Mapping

from truerate.sources.hub.files import WORDS

# what a published split is here: only `test` is kept from learning
SIDES = {"train": "train", "validation": "train", "test": "test"}


def side_of(published: object) -> str | None:
    """The split that a published one is here, whatever its publisher calls it; None for what is none."""
    return SIDES.get(WORDS.get(str(published).lower(), ""))


def follow(brought: Mapping[str, set[str]], samples: Iterable[dict]) -> None:
    """Give samples without a published split that of their group; `test` if it was published in both."""
    for sample in samples:
        sides = brought.get(sample["group_id"])
        if sides and len(sides | {sample["split"]}) > len(sides):
            sample["split"] = "test" if "test" in sides else "train"
