"""A network of which some weights learn: how they are counted, taken out and put back."""

import torch
from torch import nn

from truerate.core.errors import TruerateError


class Teachable(nn.Module):
    """What the training loop asks of a network's weights."""

    @property
    def n_parameters(self) -> int:
        """All weights, trained or not."""
        return sum(parameter.numel() for parameter in self.parameters())

    def trainable(self) -> list[nn.Parameter]:
        """The weights that training changes."""
        return [parameter for parameter in self.parameters() if parameter.requires_grad]

    def trainable_state(self) -> dict[str, torch.Tensor]:
        """Copies of the trained weights by name: with adapters those alone, and what stands beside the body."""
        return {
            name: value.detach().cpu().clone()
            for name, value in self.named_parameters()
            if value.requires_grad
        }

    def load_trainable(self, state: dict[str, torch.Tensor]) -> None:
        """Put trained weights back. Raises TruerateError where they are not those of this network."""
        own = {name: value for name, value in self.named_parameters() if value.requires_grad}
        if own.keys() != state.keys() or any(own[name].shape != state[name].shape for name in own):
            raise TruerateError("loading weights: they belong to another network; train the detector again")
        with torch.no_grad():
            for name, value in own.items():
                value.copy_(state[name])
