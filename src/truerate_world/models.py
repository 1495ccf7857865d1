"""The simulated models by name, and what all protocols share of them."""

# Share of entities that a model knows, for the least and the most popular.
COVERAGE = {
    "sim-quill": (0.60, 0.99),
    "sim-aster": (0.70, 0.99),
    "sim-birch": (0.50, 0.97),
    "sim-cedar": (0.35, 0.90),
    "sim-dogwood": (0.30, 0.85),
    "sim-elm": (0.20, 0.75),
}
SEARCH = "-search"  # a model's id with this at its end is the same model with retrieval
IDS = (*COVERAGE, *(f"{name}{SEARCH}" for name in COVERAGE))  # all that are served


def base(model: str) -> str:
    """The model behind an id: itself, or the one that searches."""
    return model.removesuffix(SEARCH)
