"""Any OpenAI-compatible model: asked once, paid once, kept for good.

`ask.ask` answers a list of requests from the response store and pays only for those that are new; `ask.estimate` says
before what that would cost.
"""
