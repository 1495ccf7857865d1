"""Who reads and writes texts of the world: one language's lexicon, parser and writer together."""

from collections.abc import Mapping
from functools import lru_cache

from truerate_world.domains import Value
from truerate_world.encyclopedia import World
from truerate_world.lexicon import Tongue
from truerate_world.parser import Parser
from truerate_world.writer import Writer

Facts = Mapping[tuple[int, str], Value]


class Scholar:
    """Reads and writes texts in one language of one world."""

    def __init__(self, world: World, language: str):
        self.world = world
        self.tongue: Tongue = world.tongues[language]
        self.parser = Parser(world, self.tongue)
        self.writer = Writer(world, self.tongue)

    def facts(self, text: str) -> Facts:
        """The facts that a text states, by entity and relation."""
        return self.parser.read(text).facts


@lru_cache(maxsize=16)
def scholar(world: World, language: str | None = None) -> Scholar:
    """The scholar of a world's language (its first one by default), kept for the next call."""
    return Scholar(world, language or world.languages[0])
