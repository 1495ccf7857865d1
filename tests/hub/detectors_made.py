"""A small detector of random weights with all that its release needs."""

from pathlib import Path

import polars as pl

from truerate.core.schemas import Score, frame, score_row
from truerate.detectors.tokens.network import Network
from truerate.hub.licences import Licence
from truerate.hub.release import DetectorFacts

CARD = {
    "name": "towns", "citation": "Towns of nowhere.", "licence": "CC BY-SA 4.0", "redistribution": "yes",
    "url": None, "lang": "de,en",
}  # fmt: skip
LICENCE = Licence("cc-by-sa-4.0", "CC BY-SA 4.0", is_share_alike=True)
TRAINING = {
    "is_fitted": True,
    "steps": 3,
    "n_parameters": 9,
    "validation": {"f1": 0.5, "precision": 0.5, "recall": 0.5, "n_tokens": 40},
}


def scores(rows=()) -> pl.DataFrame:
    """Score rows of (subject, metric, against, lang, interval); each of 20 texts."""
    created = []
    for subject, metric, against, lang, interval in rows:
        where = {"scope": "multi", "labels": "category", "against": against, "lang": lang}
        created.append(score_row(metric, subject, where, interval, 20, board="towns-board", inputs="0" * 16))
    return frame(Score, created)


def facts_of(network: Network, folder: Path, **changed) -> DetectorFacts:
    """What the card of a detector says, its network saved in a folder."""
    network.save(folder)
    answer = {
        "detector": "small",
        "board": "towns-board",
        "title": "Towns",
        "folder": folder,
        "training": TRAINING,
        "settings": {"scope": "multi", "labels": "category", "seed": 42, "lang": None},
        "source": CARD,
        "licence": LICENCE,
        "languages": ("de", "en"),
        "scores": scores(),
        "recipe": {"build/params.yaml": "seed: 42\n", "build/dvc.lock": "stages: {}\n"},
        "is_simulated": False,
    }
    return DetectorFacts(**answer | changed)
