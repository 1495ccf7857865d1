"""Families that are fitted in a folder, as the stage fits them."""

from truerate.detectors.judges import family as judging
from truerate.detectors.tokens import family as marking
from truerate.detectors.tokens.predict import fit
from truerate.detectors.training.jobs import fit_all


def fit_judges(judges, passages, backbones, *, seeds, folder, scratch) -> None:
    """Each judge once per seed, under `folder`/<member>/multi-binary-<seed>."""
    jobs = judging.jobs_of(judges, passages, backbones, seeds=seeds, scratch=scratch)
    fit_all(jobs, judging.fit, folder)


def fit_tokens(members, passages, p, size, *, folder, scratch, parts=()) -> None:
    """Every cell of the grid, under `folder`/<member>/<cell>."""
    jobs = marking.jobs_of(members, passages, p, size, scratch=scratch, parts=parts)
    fit_all(jobs, fit, folder)
