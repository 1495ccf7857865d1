"""What a plan assumes of a reply that has not come: one that leads to the most further questions.

Every response can be read and is annotated as hallucinated, every verdict is located. The number of calls is
therefore an upper bound, and exact once everything is stored.
"""

from typing import Any

from truerate.core.keys import content_id
from truerate.llm import Request
from truerate.tracks.halludial import annotating, comparing, detecting, inducing, meta_judging
from truerate.tracks.halludial.gpu_hours import gpu_hours

__all__ = ["FIRST_DRAWN", "assumed", "gpu_hours"]

# Sizes whose first texts stay the same whatever the size (`context.chosen`): a probe cuts them.
FIRST_DRAWN = ("dialogues", "tempered", "located", "compared", "natural", "meta")
_SAID = {
    detecting.CUES[detecting.DETECT]: "Yes.",
    comparing.CUE: comparing.NAMES[0],
    meta_judging.CUE: "Accurate",
}


def assumed(step: str, key: str, request: Request, settings: Any) -> str:
    """A text of the form that the prompt's last line asks for; responses differ from one another."""
    cue = request.messages[-1]["content"].rstrip().rsplit("\n", 1)[-1].strip("#:")
    text = f"assumed {content_id(key)}"
    if cue in (annotating.CUE, detecting.CUES[detecting.LOCATE]):
        return f'Yes. The segment "assumed" is assumed, because {text}'
    if cue == inducing.CUE:
        return f'{text}\n#Segment#: "{text}"\n#Rationale#: assumed'
    return _SAID.get(cue, text)
