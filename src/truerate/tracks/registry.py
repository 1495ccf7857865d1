"""The protocols that come with the package, each imported when it is asked for."""

from truerate.tracks.protocol import Protocol


def built_in(name: str) -> Protocol | None:
    """Return the protocol of a track of this package; None of one that another package brings."""
    if name == "halueval":
        from truerate.tracks.halueval.protocol import PROTOCOL as halueval

        return halueval
    if name == "halludial":
        from truerate.tracks.halludial.protocol import PROTOCOL as halludial

        return halludial
    if name == "mfava":
        from truerate.tracks.mfava.protocol import PROTOCOL as mfava

        return mfava
    if name == "wildhallucinations":
        from truerate.tracks.wildhallucinations.protocol import PROTOCOL as wildhallucinations

        return wildhallucinations
    if name == "labelled_replies":
        from truerate.tracks.labelled_replies.protocol import PROTOCOL as labelled_replies

        return labelled_replies
    return None
