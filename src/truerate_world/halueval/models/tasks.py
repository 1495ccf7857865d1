"""Which task a prompt of the protocol asks for, by its cue and headings."""

from dataclasses import dataclass, field

from truerate_world import prompt

VERDICT = "Your Judgement"  # under which the last line of a chain of thought stands
_TASKS = {"Answer": "qa", "Response": "dialogue", "Summary": "summarization"}
_PURPOSES = {"Hallucinated": "sample", "Best": "filter", "Refined": "refine"}
# the cue at the end of a prompt -> its purpose, and its task where the cue says so
CUES = {
    f"{adjective} {noun}": (purpose, task)
    for adjective, purpose in _PURPOSES.items()
    for noun, task in _TASKS.items()
}
CUES["Refined Response"] = ("refine", None)  # of a dialogue or of a general query
CUES |= {
    VERDICT: ("recognition", None),
    "Reasoning": ("recognition", None),
    "Your Choice": ("contrast", None),
}
_BY_HEADING = {
    "User Query": "general",
    "Document": "summarization",
    "Dialogue History": "dialogue",
    "Question": "qa",
}
TEXT = {"qa": "Answer", "dialogue": "Response", "summarization": "Summary", "general": "Response"}


@dataclass(frozen=True)
class Asked:
    """A prompt of the protocol: purpose, task, cue, fields of the last example, and how it is asked."""

    purpose: str
    task: str = ""
    cue: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    is_conversation: bool = False
    is_step_by_step: bool = False

    @property
    def variant(self) -> str:
        """The variant of recognition that the prompt amounts to."""
        if self.is_step_by_step:
            return "chain-of-thought"
        return "knowledge" if self.fields.get("Knowledge") else "plain"


def understood(asked: prompt.Asked) -> Asked | None:
    """The task of a prompt with headings; None where it is none of the protocol."""
    if asked.form == prompt.TEACHING:
        return Asked("teach", is_conversation=True)
    purpose, task = CUES.get(asked.cue, ("", None))
    task = task or next((name for heading, name in _BY_HEADING.items() if heading in asked.fields), None)
    if not (purpose and task):
        return None
    return Asked(purpose, task, asked.cue, asked.fields, asked.is_conversation, asked.is_step_by_step)
