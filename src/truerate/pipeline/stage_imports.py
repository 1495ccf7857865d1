"""What a build's stages import, at once, in the process that forks them (`core.process.fork_server`).

Nothing here computes: a library that starts threads when it is used has none yet.
"""

# ruff: noqa: F401
from collections.abc import Sequence


def import_for_stages(arguments: Sequence[str]) -> None:
    """Import what the commands of stages share; once, since Python keeps it."""
    import httpcore2
    import openai.resources.chat
    import pandera.polars
    import scipy.sparse
    import scipy.stats
    import sklearn.ensemble
    import sklearn.feature_extraction.text
    import sklearn.linear_model

    import truerate.detectors.family
    import truerate.leaderboard.audit
    import truerate.pipeline.detect
    import truerate.pipeline.local_jobs
    import truerate.pipeline.pages
    from truerate.config.track_blocks import track_names
    from truerate.llm import prompts
    from truerate.llm.replies import words
    from truerate.llm.transport import client
    from truerate.tracks.mfava.wild import language_identifier
    from truerate.tracks.registry import built_in

    for track in filter(built_in, track_names()):
        prompts.compile_built_in(track)
    language_identifier()
    client.certificates()
    for name in words.vocabularies():
        words.vocabulary(name)
