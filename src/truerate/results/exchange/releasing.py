"""What a board's release on the Hub holds for other tools beside its data: `eval.yaml`, Every Eval Ever."""

from collections.abc import Callable

from truerate.config.layout import Layout
from truerate.core.errors import SettingsError, listed
from truerate.hub.dataset import EXCHANGE
from truerate.hub.release import Draft, Files
from truerate.results.exchange.every_eval import every_eval_files
from truerate.results.exchange.hub_results import EVAL, eval_yaml
from truerate.results.exchange.outgoing import outgoing


def exchange_files(config: Layout, name: str, *, benchmark: bool, eee: bool) -> Callable[[Draft], Files]:
    """Return what makes these files of a board's draft. Raises SettingsError for a name that is no board."""
    if name not in config.p.boards:
        boards = listed(config.p.boards)
        raise SettingsError(f"publishing {name!r}: --benchmark and --eee are of a board; boards: {boards}")
    board = outgoing(config, name)

    def files(draft: Draft) -> Files:
        whole: dict[str, bytes] = {EVAL: eval_yaml(board, draft)} if benchmark else {}
        if eee:
            whole |= {f"{EXCHANGE}{path}": content for path, content in every_eval_files(board).items()}
        return whole

    return files
