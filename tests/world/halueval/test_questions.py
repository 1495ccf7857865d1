from truerate_world.halueval.models.questions import Questions
from truerate_world.halueval.seed_questions import questions


def test_every_two_hop_question_leads_to_its_facts(world, known):
    for entity in world.entities[::3]:
        for first, middle in entity.facts.items():
            if middle[0] != "e":
                continue
            for relation, value in world.entities[middle[1]].facts.items():
                question = known.questions.bridge(entity.index, first, relation, "test", entity.index)
                asked = known.questions.resolve(question, {})
                assert asked.steps == ((entity.index, first, middle), (middle[1], relation, value)), question
                assert (asked.kind, asked.right) == ("bridge", value)


def test_comparisons_name_the_smaller_or_the_larger_one(world, known):
    for relation, phrases in known.lexicon.phrases.items():
        of = [entity for entity in world.entities if relation in entity.facts]
        a, b = (
            of[0],
            next(
                one
                for one in of
                if one.facts[relation] != of[0].facts[relation] and one.domain == of[0].domain
            ),
        )
        for text, way in phrases.compares:
            asked = known.questions.resolve(
                text.format(a=known.lexicon.name(a.index), b=known.lexicon.name(b.index)), {}
            )
            best = (min if way == "min" else max)((a, b), key=lambda one: one.facts[relation][1])
            assert asked.right == ("e", best.index)


def test_evidence_goes_before_the_world(world, known):
    entity = next(one for one in world.entities if one.domain == "towns")
    question = known.writer.ask("country", entity.index, "x")
    other = ("e", next(one for one in world.by_domain["countries"] if ("e", one) != entity.facts["country"]))
    asked = known.questions.resolve(question, {(entity.index, "country"): other})
    assert asked.right == other and asked.is_grounded
    assert known.questions.resolve(question, {}).right == entity.facts["country"]
    assert not known.questions.resolve(question, {}).is_grounded


def test_a_question_about_a_decade_is_answered_by_one(world, known):
    entity = world.entities[0]
    text = known.lexicon.phrases["birth_year"].decades[0].format(x=known.lexicon.name(entity.index))
    assert known.questions.resolve(text, {}).right == ("d", entity.facts["birth_year"][1] // 10 * 10)


def test_a_strange_question_is_not_understood(world, known):
    for text in ("", "Who won the 1994 World Cup?", "In which year was nobody born?"):
        assert Questions(world, world.lexicon()).resolve(text, {}) is None


def test_more_questions_than_hop_pairs_are_all_different_and_understood(known):
    found = questions(known, 9000)
    assert len(set(found)) == 9000
    assert all(known.questions.resolve(text, {}) is not None for text in found[::37])
