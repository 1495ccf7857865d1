"""Columns of a sample browser's index: values as codes."""

from truerate.site.vocabulary import Vocabulary


def coded(key: str, values: list, vocabulary: Vocabulary) -> dict:
    """A column as its distinct values with labels, and per record its code, or the list of its codes where a
    record has several values.
    """
    names = sorted(
        {name for value in values for name in (value if isinstance(value, list) else [value])},
        key=vocabulary.sort_key,
    )
    codes = [
        [names.index(name) for name in value] if isinstance(value, list) else names.index(value)
        for value in values
    ]
    return {"values": [[name, vocabulary.value(key, name)] for name in names], "codes": codes}
