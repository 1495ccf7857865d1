from truerate.core.text import words
from truerate.tracks.wildhallucinations import passages as module
from truerate.tracks.wildhallucinations.passages import evidence_of, passages, ranked, tokens

TEXT = 'Varn is a town. It lies on the Odla!  "Is it old?" Yes: from 1204.\nIts market\n\nhas cheese 町。城。'


def test_passages_are_whole_sentences_up_to_a_number_of_words_with_their_offsets():
    parts = passages("d", TEXT, 9)
    # words per sentence: 4, 5 | 3, 3, 2 (8, the next 3 would make 11) | 3, 1
    assert [len(words(part.text)) for part in parts] == [9, 8, 4]
    assert all(TEXT[part.start : part.end] == part.text for part in parts)
    assert parts[0].id == f"d:0-{TEXT.index('!') + 1}"
    assert words(" ".join(part.text for part in parts)) == words(TEXT)
    assert passages("d", "", 9) == []


def test_a_sentence_longer_than_a_passage_is_cut_between_words():
    text = "one two three four five six seven. eight"
    parts = passages("d", text, 3)
    assert [part.text for part in parts] == ["one two three", "four five six", "seven. eight"]
    assert all(text[part.start : part.end] == part.text for part in parts)


def test_offsets_are_code_points():
    text = "𝔘𝔫𝔦 😀 first. Second here."
    assert [text[part.start : part.end] for part in passages("d", text, 2)] == [
        part.text for part in passages("d", text, 2)
    ]


def test_numbers_match_with_and_without_commas():
    assert tokens("It has 12,300 People; it's 7") == ["it", "has", "12300", "people", "it", "s", "7"]


def test_nothing_to_rank_gives_nothing():
    assert ranked([], ["a"], 3, n_words=5) == [[]] and ranked([("d", "a")], [], 3, n_words=5) == []


def test_facts_find_the_passages_that_speak_of_them():
    documents = [
        ("a", "Varn is a town. Its market sells cheese."),
        ("b", "The Odla is a river. It rises on Mount Tolm."),
    ]
    first, second = ranked(documents, ["Varn sells cheese", "The Odla rises on a mount"], 2, n_words=5)
    assert [part.id for part in first][:1] == ["a:16-40"] and [part.id for part in second][:1] == ["b:21-44"]


def test_the_same_facts_of_the_same_pages_are_ranked_once(monkeypatch):
    """As a plan assumes them of every subject: the passages are the same, though many entities came between."""
    asked = []
    monkeypatch.setattr(module, "tokens", lambda text: asked.append(text) or tokens(text))
    documents = [
        ("same-a", "Varn is a town. Its market sells cheese."),
        ("same-b", "The Odla rises.  On Tolm."),
    ]
    queries = ["Varn sells cheese", "nothing of it", "The Odla rises on a mount"]
    first = ranked(documents, queries, 2, n_words=5)
    for number in range(2 * module.CACHED):
        evidence_of([(f"between-{number}", "text")], 5)
    asked.clear()
    assert ranked(documents, queries, 2, n_words=5) == first and not asked
    assert [[part.text for part in best] for best in first][1:] == [
        [],
        ["The Odla rises.  On Tolm.", "Varn is a town."],
    ]
    for other in ((documents, queries[:2], 2, 5), (documents, queries, 1, 5), (documents, queries, 2, 3)):
        *given, n_words = other
        ranked(*given, n_words=n_words)
        assert asked and not asked.clear()
