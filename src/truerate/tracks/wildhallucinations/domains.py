"""The 20 domains of entities (WildHallucinations, section 2), and which of them a reply names."""

from truerate.llm.replies.lists import plain, read_word
from truerate.llm.replies.reading import Parsed

DOMAINS = (
    "geographic",
    "astronomical",
    "space-related",
    "weather & earth science",
    "transportation",
    "engineering & structure",
    "culture & entertainment",
    "activities & hobbies",
    "finance-related",
    "food & nutrition",
    "people & personal attributes",
    "history-related",
    "linguistic",
    "physical science",
    "life science",
    "medical",
    "organism",
    "math & computational",
    "computing-related",
    "visual",
)
_RELATED = "-related"
_OTHERS = {  # further spellings, none of which could mean another domain
    "geography": "geographic",
    "geographical": "geographic",
    "astronomy": "astronomical",
    "weather & earth sciences": "weather & earth science",
    "engineering & structures": "engineering & structure",
    "activities & hobby": "activities & hobbies",
    "people & personal attribute": "people & personal attributes",
    "linguistics": "linguistic",
    "physical sciences": "physical science",
    "life sciences": "life science",
    "organisms": "organism",
    "maths & computational": "math & computational",
    "mathematics & computational": "math & computational",
}


def _spellings() -> dict[str, str]:
    """Spelling as compared → domain: with and without `-related`, a plural, a noun in place of the adjective."""
    known = {plain(domain): domain for domain in DOMAINS}
    known |= {plain(domain.removesuffix(_RELATED)): domain for domain in DOMAINS}
    return known | _OTHERS


SPELLINGS = _spellings()


def parse_domain(text: str) -> Parsed:
    """The domain that a reply names, by its name or by words that belong to it alone, else None and the
    reason (`lists.read_word`): what is outside the list is `absent`.
    """
    return read_word(text, "Domain", SPELLINGS, is_partial=True)


def domain_named(text: str | None) -> str | None:
    """The domain of a spelling (that of a list of entities, say), None where it names none of the 20."""
    return SPELLINGS.get(plain(text or ""))
