"""The labelling page: one HTML file without a server, a network or a library, made of tasks and of the records
that say what is asked of them (`annotation.labelling`).
"""

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from truerate.annotation.labelling import Labelling, tasks_for
from truerate.core.keys import content_id

TEMPLATES = Path(__file__).parent / "templates"


def labelling_page(
    tasks: Sequence[Mapping[str, Any]], labelling: Labelling, *, name: str, annotator: str | None = None
) -> str:
    """Return the page on which a person labels tasks; without an `annotator` it asks for the name.

    The tasks lie in it as JSON in ASCII without `<`, `>` and `&`, which no text can leave; style and script are
    allowed by their hashes alone, and nothing may be fetched. Labels are kept in the browser under a hash of
    all that is shown, and leave it as the label rows of the track. Raises SourceError as `tasks_for` does.
    """
    shown = {
        "name": name,
        "annotator": annotator,
        "kinds": [kind.model_dump(exclude={"of", "carries", "instructions_by"}) for kind in labelling.kinds],
        "tasks": tasks_for(tasks, labelling, annotator),
    }
    shown["key"] = content_id("labelling", json.dumps(shown, sort_keys=True))
    style, script = ((TEMPLATES / f"labelling.{kind}").read_text("utf-8") for kind in ("css", "js"))
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    return environment.get_template("labelling.html.j2").render(
        name=name,
        style=style,
        script=script,
        data=json_block(shown),
        style_hash=_hash(style),
        script_hash=_hash(script),
    )


def json_block(value: object) -> str:
    """Return a value as JSON that can stand in a script element: ASCII, and no `<`, `>` or `&`."""
    text = json.dumps(value)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _hash(text: str) -> str:
    """The hash of an inline style or script as a Content-Security-Policy names it."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
