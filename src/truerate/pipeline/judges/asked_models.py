"""Published judges that answer over an endpoint: asked through the response store, so that no build pays for
a reply twice, and what names detectors that nobody trained here.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from truerate.config.layout import Layout
from truerate.config.stage_settings import stamp_of
from truerate.core.errors import TruerateError
from truerate.core.pretrained import is_folder
from truerate.detectors.published.judges import Answered, Ask, Question

if TYPE_CHECKING:
    from truerate.llm.request import Request

GREEDY = {"temperature": 0.0}


def endpoint(config: Layout, alias: str) -> tuple[Ask, str]:
    """Return how a declared model is asked, and its identity."""
    from truerate.llm.ask import ask

    def asked(questions: Sequence[Question]) -> list[Answered]:
        """Return what the model answers, in the order of the questions; a dead one has its reason and no
        text.
        """
        requests = [request_of(alias, question) for question in questions]
        replies = ask(requests, config, label=f"judge {alias}") if requests else []
        return [
            Answered(reply.text, reply.finish_reason == "length")
            if reply.status == "ok"
            else Answered(None, reason=reply.reason)
            for reply in replies
        ]

    return asked, config.identity(alias)


def request_of(alias: str, question: Question) -> "Request":
    """A question as it is asked of a declared model: greedily, kept where it ends at its limit of tokens."""
    from truerate.llm.request import Request

    params: dict[str, object] = {**GREEDY, "max_tokens": question.n_written}
    if question.template_values:  # of the server's chat template, beside the messages
        params["chat_template_kwargs"] = dict(question.template_values)
    messages = question.messages or ({"role": "user", "content": question.text or ""},)
    return Request(alias, messages, params, keeps_cut=True)


def identities(config: Layout, family: str, board: str) -> dict[str, str]:
    """The identity of each published member's weights: a folder's stamp, or the model's; not of Hub ids."""
    weights = {}
    for member in config.p.members(family, board):
        how = config.p.detectors[family].published.get(member)
        if how is None:
            continue
        paths = [path for path in (how.weights, how.base) if path and is_folder(path)]
        weights[member] = "+".join([config.identity(how.model)] if how.model else map(stamp_of, paths))
    return weights


def refuse_unusable(config: Layout, board: str) -> None:
    """Raise TruerateError if a board's published detector is absent, misshapen or lacks a setting."""
    from truerate.detectors.published.checks import usable

    for name in config.p.families(board):
        family = config.p.detectors[name]
        for member in config.p.members(name, board):
            if how := family.published.get(member):
                try:
                    usable(how, f"detectors.{name}.published.{member}")
                except TruerateError as error:
                    raise TruerateError(f"{error} (nothing was asked of a model for it)") from None
