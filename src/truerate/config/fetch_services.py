"""The forms of services that fetch pages for a key: what a request is called, what the page's own status is. All of it is data."""

from pathlib import Path
from typing import Annotated

from pydantic import Field, model_validator

from truerate.config.blocks import Block, Number, Word
from truerate.config.service_table import named_in
from truerate.core.keys import digest

TABLE = Path(__file__).with_suffix(".yaml")


class FetchService(Block):
    """The form of one service, asked by GET.

    `url`: its address; `address`: the parameter of the page's. The key goes into a header (behind `key_prefix`)
    or a parameter, beside `fixed` ones. Reply headers `status` and `final` hold the page's own status and last
    address; its other headers begin with `prefix`. `price`: USD per page.
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
    price: Annotated[Number, Field(ge=0, le=1000)] = 0.0

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


Named = Annotated[FetchService, named_in(TABLE, "url, address, key_query")]
