"""The `openai` package as the transport imports it."""

import subprocess
import sys

LOOKED_AT = """
import sys
import truerate.llm.transport.workers
print(sum(name.startswith("openai.types") for name in sys.modules))
import openai
from openai.types.chat import ChatCompletion
print(ChatCompletion.__name__, openai.types.Completion.__name__, openai.types.responses.Response.__name__)
print(openai.AsyncOpenAI(api_key="none").chat.completions.create.__name__)
"""


def test_its_types_come_when_they_are_used():
    done = subprocess.run([sys.executable, "-c", LOOKED_AT], capture_output=True, text=True, check=True)
    n_types, *named = done.stdout.split()
    assert int(n_types) < 150 and named == ["ChatCompletion", "Completion", "Response", "create"]
