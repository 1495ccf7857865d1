"""The forms of search services: what a request is called, where its key goes, where the results are. All of it is data."""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from truerate.config.blocks import Block, Few, Number, Whole, Word
from truerate.config.service_table import entries, named_in
from truerate.core.keys import digest

TABLE = Path(__file__).with_suffix(".yaml")
Status = Annotated[Whole, Field(ge=400, le=599)]


class Service(Block):
    """The form of one search service.

    `url`: its default address. `method`: get (parameters in the address) or post (JSON body): `query`, `number`
    of results (at most `most`), `fixed` ones. The key goes into a header (behind `key_prefix`) or a parameter;
    an engine's name into another. `results`: dotted path of the result list; `link`, `title`, `snippet`, `text`
    its fields (`text`: the page's text, which is then not fetched). `fault`: a list of failed engines. `quota`:
    statuses of a used-up quota, beside 402. `advice` by status. `price`: USD per query.
    """

    url: Word | None = None
    method: Literal["get", "post"] = "get"
    query: Word
    number: Word | None = None
    most: Few = 10
    key_header: Word | None = None
    key_prefix: str = ""
    key_query: Word | None = None
    engine_query: Word | None = None
    fixed: dict[Word, str | int | bool] = {}
    results: Word
    link: Word = "link"
    title: Word = "title"
    snippet: Word = "snippet"
    text: Word | None = None
    fault: Word | None = None
    quota: tuple[Status, ...] = ()
    advice: dict[Status, Word] = {}
    price: Annotated[Number, Field(ge=0, le=1000)] = 0.0

    @property
    def identity(self) -> str:
        """Names what decides a reply; empty for Google's form, in which the oldest stored results were asked for."""
        google = Service.model_validate(known()["google"])
        names = {"method", "query", "number", "fixed", "results", "link", "title", "snippet", "text"}
        form, first = (one.model_dump(mode="json", include=names) for one in (self, google))
        return "" if form == first else digest(form=form)


def known() -> dict[str, dict[str, Any]]:
    """The services of the table, by name."""
    return entries(TABLE)


Named = Annotated[Service, named_in(TABLE, "query, results")]
