"""The protocols that come with the package, each imported when it is asked for."""

from collections.abc import Callable

from truerate.tracks.protocol import Protocol


def _halueval() -> Protocol:
    from truerate.tracks.halueval.protocol import PROTOCOL

    return PROTOCOL


def _halludial() -> Protocol:
    from truerate.tracks.halludial.protocol import PROTOCOL

    return PROTOCOL


def _mfava() -> Protocol:
    from truerate.tracks.mfava.protocol import PROTOCOL

    return PROTOCOL


def _wildhallucinations() -> Protocol:
    from truerate.tracks.wildhallucinations.protocol import PROTOCOL

    return PROTOCOL


def _labelled_replies() -> Protocol:
    from truerate.tracks.labelled_replies.protocol import PROTOCOL

    return PROTOCOL


PROTOCOLS: dict[str, Callable[[], Protocol]] = {
    "halueval": _halueval,
    "halludial": _halludial,
    "mfava": _mfava,
    "wildhallucinations": _wildhallucinations,
    "labelled_replies": _labelled_replies,
}
