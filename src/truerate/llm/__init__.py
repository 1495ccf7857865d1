"""Any OpenAI-compatible model: asked once, paid once, kept for good.

`ask` answers a list of requests from the response store and pays only for those that are new; `estimate` says
before what that would cost.
"""

from truerate.llm.ask import ask, estimate, recorded
from truerate.llm.request import Estimate, Reply, Request

__all__ = ["Estimate", "Reply", "Request", "ask", "estimate", "recorded"]
