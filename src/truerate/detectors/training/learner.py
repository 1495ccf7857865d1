"""A network as the training loop knows it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import torch

Weights = dict[str, "torch.Tensor"]


class Learner(Protocol):
    """A network of which some weights learn; these can be taken out and put back."""

    @property
    def n_parameters(self) -> int:
        """All weights, trained or not."""

    def train(self) -> Any:
        """The network itself, set to learn."""

    def parameters(self) -> "Iterator[torch.nn.Parameter]":
        """All weights."""

    def modules(self) -> "Iterator[torch.nn.Module]":
        """All layers."""

    def trainable(self) -> "list[torch.nn.Parameter]":
        """The weights that learn."""

    def trainable_state(self) -> Weights:
        """Copies of the weights that learn, by name."""

    def load_trainable(self, state: Weights) -> None:
        """Put such weights back."""

    def checkpointing(self) -> None:
        """Need less memory in training, for more work."""
