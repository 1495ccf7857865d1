"""Whether a text names a thing."""


def names(text: str, thing: str) -> bool:
    """Whether a thing's name stands in a text, in capitals or not (Capitals, section 3)."""
    return thing.casefold() in text.casefold()
