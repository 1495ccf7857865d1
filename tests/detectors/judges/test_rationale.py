"""Composed reasons: what is counted, and that nothing else is said."""

from truerate.detectors.judges.rationale import CONTRADICTS, UNVERIFIABLE, composed, grounds, known_sentences

KNOWLEDGE = "Velmora is a town on the river Tola. Velmora was founded in 1912 by Ada Brill."
KNOWN = known_sentences(KNOWLEDGE, "User: Who founded Velmora?\nAssistant: It is known for lace.")


def reason(text, part):
    """The grounds of a part of a text, and the reason of a judgement that rests on it."""
    segment = (text.index(part), text.index(part) + len(part))
    why = grounds(text, segment, KNOWN)
    return why, composed(text, [(segment, why)])


def test_a_value_in_a_sentence_that_is_told_otherwise_seems_to_contradict():
    why, answer = reason("Velmora was founded in 1899.", "1899")
    assert why.kind == CONTRADICTS and why.absent == ("1899",)
    assert answer == (
        'The segment "1899" seems to contradict the knowledge because it says "Velmora was founded in 1912 by Ada '
        'Brill."; "1899" stands in neither.'
    )


def test_a_clause_of_its_own_contradicts_nothing_that_another_tells():
    text = "Velmora was founded in 1899 by Ada Brill, and it has got a red dome."
    assert reason(text, "1899")[0].kind == CONTRADICTS
    why, answer = reason(text, "dome")
    assert why.kind == UNVERIFIABLE and "contradict" not in answer
    # a few words before a comma are no clause: the sentence is
    assert reason("In 1899, Velmora was founded.", "1899")[0].kind == CONTRADICTS
    assert reason("It was founded in 1,899 by Ada Brill.", "1,899")[0].kind == CONTRADICTS


def test_a_number_contradicts_another_number_alone():
    assert reason("It is known for lace since 1899.", "1899")[0].kind == UNVERIFIABLE


def test_what_no_sentence_speaks_of_cannot_be_verified():
    why, answer = reason("Velmora was founded in 1912. Wolves run its bakery.", "Wolves run its bakery")
    assert why.kind == UNVERIFIABLE and why.nearest is None and why.absent == ("Wolves", "bakery")
    assert answer.endswith('shares a word with it; "Wolves", "bakery" stand in neither.')


def test_a_segment_whose_words_all_stand_there_names_none():
    why, answer = reason("Ada Brill lies on the Tola.", "Ada Brill")
    assert why.absent == () and "stand" not in answer


def test_what_was_said_before_is_known_and_questions_state_nothing():
    assert [item.source for item in KNOWN] == ["knowledge", "knowledge", "conversation"]
    why, answer = reason("Velmora is known for lace and beer.", "beer")
    assert why.absent == ("beer",) and why.nearest.source == "conversation"


def test_many_segments_are_counted_and_quotation_marks_inside_do_not_break_the_form():
    text = 'A "golden" ladder leads into the clouds there.'
    segments = [(0, 1), (2, 10), (11, 17), (18, 23), (34, 40)]
    answer = composed(text, [(item, grounds(text, item, KNOWN)) for item in segments])
    assert answer.endswith(" 2 more segments.") and "\"'golden'\"" in answer
    assert composed(text, []) == "No word of the response could be named."
    assert grounds(text, (2, 10), []).nearest is None
