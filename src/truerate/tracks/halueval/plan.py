"""What a plan assumes of a reply that has not come: one that leads to the most further questions.

A candidate is usable and unlike the other one, a text is flagged, so that it is refined and judged again. The
number of calls is therefore an upper bound, and exact once everything is stored.
"""

from typing import Any

from truerate.core.keys import content_id
from truerate.llm import Request

# Which responses are selected changes no number of calls, so a plan loads no encoder.
LIGHT = {"similarity": "chrf"}


def assumed(step: str, key: str, request: Request, settings: Any) -> str:
    """A text that says what the prompt's last line asks for; candidates and free answers differ from one
    another.
    """
    cue = request.messages[-1]["content"].rstrip().rsplit("\n", 1)[-1]
    text = f"assumed {content_id(key)}"
    if cue == "#Reasoning#:":
        return f"{cue} {text}\n#Your Judgement#: Yes"
    if cue.startswith("#"):
        return f"{cue} {'Yes' if 'Judgement' in cue else text}"
    return "Understood." if cue.endswith("Understood.") else text
