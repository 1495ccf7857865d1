"""The `openai` package, whose types of requests and replies come when somebody uses them: nobody here does, and their
340 modules take a third of what importing it costs each step of a data set.
"""

from truerate.core.on_use import on_use

_TYPES = ("types", "types.chat", "types.responses", "types.shared", "types.shared_params")

with on_use(*(f"openai.{name}" for name in _TYPES)):
    import openai as openai
