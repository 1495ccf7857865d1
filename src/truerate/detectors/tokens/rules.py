"""Token detectors that need no network: the constants, the answer's own words, and a regression and boosted
trees on what the reference holds.

They read the units of features.py, whatever the language. What they reach is what a set gives away without a
network.
"""

import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from truerate.config import Backbone
from truerate.core.errors import TruerateError, listed
from truerate.detectors.tokens.boosting import learn_trees, read_trees
from truerate.detectors.tokens.regressions import REACH, learn_by, matches, own_words, read_by
from truerate.detectors.tokens.span_probabilities import Reading
from truerate.detectors.tokens.word_features import AROUND, Passage, State

STATE = "state.npz"


@dataclass(frozen=True)
class TokenRule:
    """How a rule learns from labelled passages and reads others. `learn` is None for a rule that learns
    nothing.

    `about` says what the rule is, in the words of the detector page. Only for a rule that `sees_reference` is
    the reference read.
    """

    name: str
    about: str
    read: Callable[[State, Sequence[Passage]], list[Reading]]
    learn: Callable[[Sequence[Passage], int], State] | None = None
    sees_reference: bool = False


# ---- constants ---------------------------------------------------------------------------------------------
def constant(p: float) -> Callable[[State, Sequence[Passage]], list[Reading]]:
    """Gives every character the same probability, so that spans of marked texts are whole texts."""
    return lambda state, passages: [
        Reading(np.array([[0, len(passage.text)]]), np.array([p]), np.ones(1, dtype=int))
        for passage in passages
    ]


RULES = (
    TokenRule("mark-all", "Marks every text whole.", constant(1.0)),
    TokenRule("mark-none", "Marks nothing.", constant(0.0)),
    TokenRule(
        "reference-blind",
        "Logistic regression on each word of the answer, its neighbours and its character n-grams; it never "
        "sees the reference.",
        read_by(own_words),
        learn_by(own_words),
    ),
    TokenRule(
        "token-lr",
        f"Logistic regression on which of the {REACH} words on either side stand in the reference, beside "
        "which neighbours, "
        "and how much of the sentence does.",
        read_by(matches),
        learn_by(matches),
        sees_reference=True,
    ),
    TokenRule(
        "token-tree",
        f"Boosted trees on which of the {AROUND} words on either side stand in the reference, what share of "
        "the sentence and of wider "
        "stretches does, how long the run is that does not, and on the look and place of the word.",
        read_trees,
        learn_trees,
        sees_reference=True,
    ),
)
BY_NAME = {rule.name: rule for rule in RULES}


def check_member(name: str, backbones: Mapping[str, Backbone]) -> None:
    """Raises TruerateError where a token member is neither a rule nor an entry of `backbones`."""
    if name not in BY_NAME and name not in backbones:
        raise TruerateError(
            f"detector member {name!r} is not known; allowed: {listed([*BY_NAME, *backbones])}"
        )


# ---- states on disk ----------------------------------------------------------------------------------------
def save_state(state: State, folder: Path) -> None:
    """Write what a rule learned: the same bytes for the same numbers, wherever.

    An .npz as numpy reads it, without a clock in it and not squeezed: how that is done, and which version of
    the format numpy's own writer names, hang on the release of Python and of its zlib.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / STATE, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(state):
            array = io.BytesIO()
            np.lib.format.write_array(array, np.asanyarray(state[name]), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), array.getvalue())


def load_state(folder: Path) -> State:
    """Read what `save_state` wrote; TruerateError where it is no such file."""
    try:
        with np.load(folder / STATE, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except (OSError, ValueError) as error:
        raise TruerateError(
            f"reading the token rule at {str(folder)!r}: {error}; run `dvc repro train`"
        ) from None
