"""`truerate real`: the boards of public files, and what there is to build them of."""

import json
from pathlib import Path

from truerate.config.layout import Layout
from truerate.core.errors import SettingsError


def run(
    at: Layout,
    data: str | None,
    *,
    work: str,
    tables: str | None,
    results: str | None = None,
    is_list: bool,
    as_json: bool,
) -> None:
    """Build the boards of the sets in `data`, with their `results` where a folder is named, or list the sets (`is_list`),
    with what of them `data` lacks where it is named. Raises SettingsError where there is nothing to build from.
    """
    if is_list:
        from truerate.results.sets import lines_of, sets_in

        rows = sets_in(at, Path(data) if data else None)
        print(json.dumps(rows, ensure_ascii=False, indent=1) if as_json else "\n".join(lines_of(rows)))
        return
    if as_json:
        raise SettingsError("`--json` goes with `real --list`; a build says what it does line by line")
    if not data:
        raise SettingsError(
            "name the folder of public files (`truerate real DIR`), ask for the sets with `truerate real --list`, "
            "or check results by `--check FOLDER`"
        )
    from truerate.results.build import build

    build(at, data, work=work, tables=tables, results=results)


def submission(
    at: Layout, board: str | None, model: str | None, *, to: str, check: str | None, results: str
) -> None:
    """Write the submission of a model on a board, or check the one in a folder and print its table. Raises SettingsError
    where neither is named.
    """
    if check:
        from truerate.results.submit import check_submission

        print("\n".join(check_submission(at, Path(check), Path(results))))
        return
    if not board or not model:
        raise SettingsError("submit: name a board and a model, or a submission by --check FOLDER/BOARD/MODEL")
    from truerate.results.submit import submit

    print("\n".join(submit(at, board, model, Path(to))))
