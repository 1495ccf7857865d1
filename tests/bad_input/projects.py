"""The projects in which a person goes wrong."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
BOARD, MFAVA = "halueval-closed-world", "mfava-closed-world"
QA = {"knowledge": "K.", "question": "Q?", "right_answer": "R.", "hallucinated_answer": "H."}


def published(project, *, on_bad_row: str = "stop") -> Path:
    """A project whose one source is a folder of published files."""

    def change(p):
        p["sources"]["closed-world"] = {"reader": "halueval", "path": "inputs/found", "is_simulated": True}
        p["on_bad_row"] = on_bad_row

    folder = project(change) / "inputs/found"
    folder.mkdir(parents=True)
    return folder
