"""Settings that name no more than what rating one's own answers reads."""

from pathlib import Path

from truerate.core.data_files import read_data

_LEAST = Path(__file__).with_name("answers.yaml")
_ANSWERS = frozenset(("endpoints", "models", "llm"))  # what rating one's own answers reads


def completed(values: object) -> object:
    """Return settings that name at most endpoints, models and `llm` with the other blocks in their least form:
    no board, no source. Others are returned as they are.
    """
    if not isinstance(values, dict) or "endpoints" not in values or not values.keys() <= _ANSWERS:
        return values
    least = read_data(_LEAST, dict)
    llm = values.get("llm", {})
    whole = {**least, "models": {}, **values}
    return whole | {"llm": least["llm"] | llm} if isinstance(llm, dict) else whole
