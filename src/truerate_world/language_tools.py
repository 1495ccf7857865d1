"""Who reads and writes texts of the world: one language's lexicon, parser and writer together."""

from collections.abc import Mapping
from functools import lru_cache

from truerate_world.domains import Value
from truerate_world.encyclopedia import World
from truerate_world.lexicon import Lexicon
from truerate_world.parser import Parser
from truerate_world.writer import Writer

Facts = Mapping[tuple[int, str], Value]


class LanguageTools:
    """Reads and writes texts in one language of one world."""

    def __init__(self, world: World, language: str):
        self.world = world
        self.lexicon: Lexicon = world.lexicons[language]
        self.parser = Parser(world, self.lexicon)
        self.writer = Writer(world, self.lexicon)

    def facts(self, text: str) -> Facts:
        """The facts that a text states, by entity and relation."""
        return self.parser.read(text).facts


@lru_cache(maxsize=16)
def language_tools(world: World, language: str | None = None) -> LanguageTools:
    """The tools of a world's language (its first one by default), kept for the next call."""
    return LanguageTools(world, language or world.languages[0])
