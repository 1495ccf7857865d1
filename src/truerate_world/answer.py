"""What a simulated model says."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Answer:
    """A reply. `task` is the purpose that the model recognised (`unrecognised` where none), `truth` what was
    planted in the reply, `finish` why it ended where that was not its own will (`length`).
    """

    task: str
    text: str
    truth: dict = field(default_factory=dict)
    finish: str | None = None
