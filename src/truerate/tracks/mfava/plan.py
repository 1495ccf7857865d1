"""What a plan assumes of a reply that has not come: one that leads to the most further questions.

An article gets all its queries; a silver passage keeps the rules of every round (`silver.kept`). The number of
calls is therefore an upper bound, and exact once everything is stored. Weights that translate ask nobody.
"""

from typing import Any

from truerate.core.keys import content_id
from truerate.llm import Request

# Sizes whose first texts stay the same whatever the size (`dataset.chosen`): a probe cuts them.
FIRST_DRAWN = ("train", "held_out", "silver", "articles")


def assumed(step: str, key: str, request: Request, settings: Any) -> str:
    """Numbered queries where they are asked for, else any text."""
    if step != "query":
        return f"assumed {content_id(key)}"
    numbers = range(1, settings.wild.queries_per_article + 1)
    return "\n".join(f"{number}. assumed {content_id(key, number)}?" for number in numbers)
