"""`build/source.json`: what the card of a data set must say of it where another board reads it as a source."""

import json
from collections.abc import Sequence

from truerate.hub.configs import holds_texts
from truerate.hub.licences import LICENCES, Licence
from truerate.hub.release import BoardFacts, Config

SIMULATED = "Its texts are made up: those of a closed world, whose models and annotators are programs with planted mistakes."


def origin_of(facts: BoardFacts, configs: Sequence[Config], *, licence: Licence | None) -> str:
    """The file as text: name, citation, address, rights and track, and the words on the licence of each config.

    `licence`: under which the whole was asked to go out, None where each config has its own.
    """
    cited = [
        str(facts.source.get("citation") or ""),
        f"Protocol: {facts.track.citation}",
        "Built and published by truerate.",
    ]
    fields = {
        "name": f"{facts.title} (simulated)" if facts.is_simulated else facts.title,
        "citation": " ".join(citation for citation in cited if citation),
        "url": facts.source.get("url"),
        "lang": facts.languages[0] if len(facts.languages) == 1 else None,
        "note": SIMULATED if facts.is_simulated else None,
        "redistribution": "yes" if any(map(holds_texts, configs)) else "ids-only",
        "track": facts.track.name,
        "licences": {config.name: words_for(licence or config.licence) for config in configs},
    }
    return (
        json.dumps(
            {key: value for key, value in fields.items() if value is not None},
            ensure_ascii=False,
            indent=1,
            sort_keys=True,
        )
        + "\n"
    )


def words_for(licence: Licence) -> str:
    """A licence in words from which `licence_of` reads the same: the Hub's id, else its own name."""
    return licence.id if licence.id in LICENCES else licence.name
