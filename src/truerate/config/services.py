"""The forms of services that search the web or fetch pages: what a request is called, where its key goes,
where the result is. All of it is data: tables beside this module, of which a setting names an entry or gives
one in the same form.
"""

from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BeforeValidator, Field, model_validator

from truerate.config.blocks import Block, Few, Number, Whole, Word
from truerate.core.keys import digest

Price = Annotated[Number, Field(ge=0, le=1000)]  # USD per query or page
Status = Annotated[Whole, Field(ge=400, le=599)]


@cache
def services_of(table: str) -> dict[str, dict[str, Any]]:
    """The services of a table (`search` or `fetch`), by name."""
    path = Path(__file__).with_name(f"{table}_services.yaml")
    entries: dict[str, dict[str, Any]] = yaml.safe_load(path.read_text("utf-8"))
    return entries


def _named(table: str, example: str) -> BeforeValidator:
    """Replace a service's name by its entry in a table. ValueError for an unknown name, with the keys of a
    form (`example`).
    """

    def entry(value: object) -> object:
        if not isinstance(value, str):
            return value
        if value not in services_of(table):
            names = ", ".join(services_of(table))
            raise ValueError(f"no service {value!r}; known: {names}; or give its form ({example}, …)")
        return services_of(table)[value]

    return BeforeValidator(entry)


class SearchService(Block):
    """The form of one search service.

    `url`: its default address. `method`: get (parameters in the address) or post (JSON body): `query`,
    `number` of results (at most `most`), `fixed` ones. The key goes into a header (behind `key_prefix`) or a
    parameter; an engine's name into another. `results`: dotted path of the result list; `link`, `title`,
    `snippet`, `text` its fields (`text`: the page's text, which is then not fetched). `fault`: a list of
    failed engines. `quota`: statuses of a used-up quota, beside 402. `advice` by status. `price`: USD per
    query.
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
    price: Price = 0.0

    @property
    def identity(self) -> str:
        """Names what decides a reply; empty for Google's form, in which the oldest results were asked for."""
        google = SearchService.model_validate(services_of("search")["google"])
        names = {"method", "query", "number", "fixed", "results", "link", "title", "snippet", "text"}
        form, first = (service.model_dump(mode="json", include=names) for service in (self, google))
        return "" if form == first else digest(form=form)


class FetchService(Block):
    """The form of one service that fetches pages, asked by GET.

    `url`: its address; `address`: the parameter of the page's. The key goes into a header (behind
    `key_prefix`) or a parameter, beside `fixed` ones. Reply headers `status` and `final` hold the page's own
    status and last address; its other headers begin with `prefix`. `price`: USD per page.
    """

    url: Annotated[Word, Field(pattern=r"^https?://[^/\s]\S*$")]
    address: Word = "url"
    key_query: Word | None = None
    key_header: Word | None = None
    key_prefix: str = ""
    fixed: dict[Word, str | int | bool] = {}
    prefix: str = ""
    status: Word | None = None
    final: Word | None = None
    price: Price = 0.0

    @model_validator(mode="after")
    def _takes_a_key(self) -> "FetchService":
        if not (self.key_query or self.key_header):
            raise ValueError("`key_query` or `key_header` says where the key goes")
        return self

    @property
    def identity(self) -> str:
        """Names what decides a page; one that is fetched directly is another."""
        names = {"url", "address", "fixed", "prefix", "status", "final"}
        return digest(fetching=self.model_dump(mode="json", include=names))


SearchForm = Annotated[SearchService, _named("search", "query, results")]
FetchForm = Annotated[FetchService, _named("fetch", "url, address, key_query")]
