"""What the stages of a board make, run one by one in this process: where no model may stand on it."""

from truerate.config.layout import Layout
from truerate.core.schemas import Score, frame, save
from truerate.flow import dataset, detect, evaluate, sources


def made(at: Layout, board: str) -> None:
    """The source, data set, labels, judgements and scores of a board."""
    sources.import_source(at, board)
    dataset.export(at, board, at.dataset(board, "card.json"), [])
    evaluate.label(at, board)
    detect.train(at, board)
    detect.judge(at, board)
    evaluate.audit(at, board)
    save(Score, frame(Score), at.truth(board))
    evaluate.score(at, board)
