from truerate_world.draws import shuffled
from truerate_world.parser import FACT, WRONG, Parser
from truerate_world.writer import Fact


def facts_of(entity):
    return [Fact(entity.index, relation, value) for relation, value in entity.facts.items()]


def test_what_is_written_is_read_again(world, known):
    parser = Parser(world, world.lexicon())
    for entity in world.entities:
        for lap in range(4):
            facts = shuffled(facts_of(entity), "order", lap, entity.index)
            reading = parser.read(
                " ".join(known.writer.tell(facts, "trip", lap, entity.index, compound=lap / 3))
            )
            assert not reading.unread, reading
            assert [claim[:4] for claim in reading.claims] == [(FACT, *fact) for fact in facts]


def test_every_form_of_every_relation_is_read(world, known):
    lexicon = world.lexicon()
    for relation, phrases in lexicon.phrases.items():
        entity = next(one for one in world.entities if relation in one.facts)
        value = entity.facts[relation]
        name, text = lexicon.name(entity.index), lexicon.text(value, relation)
        told = [(FACT, f"{name} {say}") for say in phrases.says] + [
            (FACT, turn.replace("{s}", name)) for turn in phrases.turned
        ]
        for kind, sentence in [*told, (WRONG, f"{name} {phrases.wrong}")]:
            claims = known.parser.read(sentence.format(v=text) + ".").claims
            assert [claim[:4] for claim in claims] == [(kind, entity.index, relation, value)], sentence


def test_sentences_may_be_joined_by_line_breaks_or_nothing(world, known):
    facts = facts_of(world.entities[0])
    sentences = known.writer.tell(facts, "joined")
    readings = [known.parser.read(joint.join(sentences)) for joint in (" ", "\n", "", "  \n\n ")]
    assert all(
        [claim[1:4] for claim in reading.claims] == facts and not reading.unread for reading in readings
    )


def test_vague_claims_keep_their_kind_and_talk_says_nothing(world, known):
    for kind in known.lexicon.words.vague:
        claim = known.parser.read(known.writer.vague(kind, 3, "x")).claims[0]
        assert (claim.kind, claim.subject, claim.value) == (kind, 3, None)
    for name in ("opening", "closing", "press", "hedge", "reasoning"):
        for text in known.lexicon.words.talk[name]:
            assert known.parser.read(text) == known.parser.read(text)
            assert not known.parser.read(text).claims and not known.parser.read(text).unread
    aside = known.parser.read(known.writer.aside(3, facts_of(world.entities[3]), "x"))
    assert not aside.claims and not aside.unread and len(aside.mentioned) == 3


def test_an_empty_ending_changes_nothing(world, known):
    sentence = known.writer.tell(facts_of(world.entities[0])[:1], "tail")[0]
    for tail in known.lexicon.words.talk["tail"]:
        assert known.parser.read(f"{sentence[:-1]}, {tail}.").facts == known.parser.read(sentence).facts


def test_strange_text_is_unread_and_never_an_error(known):
    for text in (
        "",
        " \n ",
        "§e was born in §n.",
        "\x00#Knowledge#:",
        "It was born in 1921.",
        "日本語のテキスト。",
        "He",
        ", and he",
        "9" * 40,
    ):
        reading = known.parser.read(text)
        assert not reading.claims
