"""The guide's section on batches does what it says: its settings ask in batches, its command lists them."""

import copy
import json

import yaml
from llm.asked import asking
from llm.batch_server import BatchStub
from llm.conftest import BASE
from llm.test_batch import LOOK, failing
from stub import serving

from truerate.cli import main
from truerate.config import Params
from truerate.config.layout import Layout
from truerate.core.errors import TruerateError
from truerate.llm.ask import ask

from .blocks import blocks_of

MARK = "needs a server with a batch API"


def test_the_settings_ask_in_batches_and_the_command_lists_them(tmp_path, monkeypatch, capsys):
    settings, command = (block.text for block in blocks_of("own-model.md") if block.mark == MARK)
    values = copy.deepcopy(BASE)
    for name, entries in yaml.safe_load(settings.replace("poll_s: 60", "poll_s: 0")).items():
        values[name] |= entries
    monkeypatch.setenv("TRUERATE_STORE", str(tmp_path / "responses.sqlite"))
    monkeypatch.setenv("MY_KEY", "the-key-of-my-server")
    monkeypatch.chdir(tmp_path)
    server = BatchStub()
    with serving(server) as url:
        values["endpoints"]["patient"]["base_url"] = url
        (tmp_path / "params.yaml").write_text(json.dumps(values))
        layout = Layout(Params.model_validate(values))
        assert layout.p.endpoints["claude"].batch == layout.p.endpoints["patient"].batch.model_copy(
            update={"poll_s": 60}
        )
        requests = [asking(f"n {number}", model="patient-model") for number in range(3)]
        server.trouble = failing(LOOK, (401, {}, b"{}"))
        try:
            ask(requests, layout, label="x")
        except TruerateError:
            pass
        assert main([*command.split()[1:], "--json"]) == 0
        (row,) = json.loads(capsys.readouterr().out)
        assert (row["endpoint"], row["n_open"], row["usd_open"] > 0) == ("patient", 3, True)
        server.trouble = failing("", None)
        assert [reply.status for reply in ask(requests, layout, label="x")] == ["ok"] * 3
        assert main(command.split()[1:]) == 0 and "no batch is under way" in capsys.readouterr().out
        assert len(server.batches) == 1 and server.online == 0
