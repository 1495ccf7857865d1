"""Where web pages are searched for and how they are fetched, for every track that needs the web."""

import re
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from truerate.config.blocks import (
    Block,
    Count,
    Few,
    Header,
    Names,
    Number,
    Pause,
    Seconds,
    Size,
    Variable,
    Whole,
    Word,
)
from truerate.config.services import FetchForm, SearchForm, services_of
from truerate.core.errors import SettingsError

Port = Annotated[int, Field(ge=1, le=65535)]


class Search(Block):
    """Where web pages are searched for: an endpoint, an address, or recorded results.

    `service`: an entry of config/search_services.yaml by name, or one in the same form. `url`: default the
    service's; a path with `endpoint`. `key_env`, `engine_env`: environment variables of key and engine.
    `rpm`: requests a minute, null: no limit. `recorded`: a JSONL file of queries and results, asked first.
    """

    service: SearchForm = Field(default="google", validate_default=True)
    endpoint: str | None = None
    url: Word | None = None
    key_env: Variable | None = None
    engine_env: Variable | None = None
    rpm: Annotated[Number, Field(gt=0, le=10**6)] | None = None
    recorded: Word | None = None
    n_results: Annotated[Whole, Field(ge=1, le=10)]

    @model_validator(mode="before")
    @classmethod
    def _at_its_own_address(cls, values: Any) -> Any:
        """Service that is named or given without an address, an endpoint or a record is asked at its own."""
        named = values.get("service") if isinstance(values, dict) else None
        if named and not (values.get("url") or values.get("endpoint") or values.get("recorded")):
            entry = services_of("search").get(named, {}) if isinstance(named, str) else named
            return values | {"url": entry.get("url") if isinstance(entry, dict) else None}
        return values

    @model_validator(mode="after")
    def _somewhere(self) -> "Search":
        if not (self.url or self.recorded):
            raise ValueError("name `url`, `recorded` or both")
        form = r"/\S*" if self.endpoint else r"https?://[^/\s]\S*"
        if self.url and not re.fullmatch(form, self.url):
            raise ValueError(
                "`url` is a path such as /customsearch/v1 with `endpoint`, else an address that begins with "
                "http"
            )
        if self.key_env and not (self.service.key_header or self.service.key_query):
            raise ValueError(
                "`key_env` is given, and the service takes no key: `key_header` or `key_query` says where "
                "it goes"
            )
        if self.engine_env and not self.service.engine_query:
            raise ValueError("`engine_env` is given, and the service takes no engine")
        return self


class Fetch(Block):
    """How pages are fetched, and which are dropped.

    `proxy`: an endpoint as HTTP proxy, or null. `service`: an entry of config/fetch_services.yaml (by name or
    in its form) that fetches pages for the key in `key_env`. `allowed_private`: hosts or networks that may be
    private, at any port; `allowed_ports`: elsewhere. `timeout_s`: to fetch a page, and to extract it.
    `per_host_s`: between requests to one host; none to `unlimited_hosts`. `user_agent`: its first word is for
    robots.txt; without a proxy it names a contact. `extract`: main (trafilatura) or tags (all text outside
    tags, as the paper).
    """

    proxy: str | None
    concurrency: Few
    timeout_s: Seconds
    max_bytes: Size
    max_redirects: Annotated[Whole, Field(ge=0, le=100)]
    per_host_s: Pause
    unlimited_hosts: Names
    user_agent: Header
    robots: bool
    allowed_private: Names
    allowed_ports: tuple[Port, ...] = (80, 443)
    login_hosts: Names
    sign_in_phrases: Names
    extract: Literal["main", "tags"]
    service: FetchForm | None = None
    key_env: Variable | None = None

    @model_validator(mode="after")
    def _by_one_way(self) -> "Fetch":
        if self.service and self.proxy:
            raise ValueError("`service` and `proxy` are both given; pages come one way: set `proxy: null`")
        if self.service and not self.key_env:
            raise ValueError("`service` needs `key_env`, the name of the variable that holds its key")
        if self.key_env and not self.service:
            raise ValueError("`key_env` is given, and no `service` that takes a key")
        return self

    def demand_contact(self) -> None:
        """Raise SettingsError if other hosts are asked directly and the user agent names no contact."""
        if self.proxy is None and not re.search(r"\S@\S|https?://\S", self.user_agent):
            raise SettingsError(
                f"fetch.user_agent {self.user_agent!r} names no contact, which hosts ask of whoever fetches "
                "many pages: add an"
                " address of yours in params.yaml, such as truerate (you@example.org)"
            )


class ArticleRules(Block):
    """Which articles of a wiki are taken: of at least so many characters, without these maintenance tags."""

    min_characters: Count
    excluded_tags: Names
