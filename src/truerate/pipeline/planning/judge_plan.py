"""What published judges that answer over an endpoint would be asked, for `truerate plan`: they are shown a
board's texts, so that their questions are known as soon as its labels stand.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from truerate.config import Published
from truerate.config.layout import Layout
from truerate.core.schemas import Sample, read
from truerate.llm.request import Request
from truerate.pipeline.detect import evidenced, targets
from truerate.pipeline.judges.asked_models import request_of

STEP = "judge"
LATER = (
    "what judges are asked is known once their board's texts are built; of those without a number run "
    "`truerate plan` again then"
)


def judges(config: Layout, board: str) -> Iterator[tuple[str, str, list[Request] | None]]:
    """Step, model and requests of each judge of a board behind an endpoint; None before texts are built."""
    asked = _asked(config, board)
    if not asked:
        return
    path = Path(config.labels(board, "samples"))
    if not (path.is_file() and Path(config.dataset(board, "generations")).is_file()):
        yield from ((f"{STEP} {member}", how.model or "", None) for member, how in asked.items())
        return
    from truerate.detectors.published.texts import texts_of

    samples = read(Sample, path)
    texts = list(texts_of(evidenced(config, board, targets(config, board, samples), samples)))
    for member, how in asked.items():
        yield f"{STEP} {member}", how.model or "", _questions(member, how, texts)


def _asked(config: Layout, board: str) -> dict[str, Published]:
    """The judges of a board that are asked over an endpoint, by their names."""
    members = [
        (member, config.p.detectors[name].published.get(member))
        for name in config.p.families(board)
        for member in config.p.members(name, board)
    ]
    return {member: how for member, how in members if how is not None and how.model is not None}


def _questions(member: str, how: Published, texts: Sequence) -> list[Request]:
    """Every request of a judge about these texts."""
    from truerate.detectors.published.checks import usable
    from truerate.detectors.published.judges import Answered, Question, judge

    asked: list[Request] = []

    def noted(questions: Sequence[Question]) -> list[Answered]:
        asked.extend(request_of(how.model or "", question) for question in questions)
        return [Answered(None, reason="planned")] * len(questions)

    judge(usable(how, f"published detector {member!r}"), texts, noted)
    return asked
