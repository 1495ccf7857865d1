"""What a plan assumes of a reply."""


def assumed(step, key, request, settings) -> str:
    """Any words: nothing depends on an answer."""
    return "Paris"
