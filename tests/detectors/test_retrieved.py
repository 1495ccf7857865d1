from truerate.detectors.evidence import keys, retrieved

ARTICLE = "Varn is a town. It lies on the Odla. The castle burned in 1204. Cheese is sold on Mondays. Nobody rules it."


def test_the_sentences_that_share_words_with_a_text_are_given_in_the_order_of_the_article():
    judged = "On Mondays cheese is sold. The castle burned."
    assert retrieved(judged, ARTICLE, 2) == "The castle burned in 1204.\nCheese is sold on Mondays."


def test_a_short_article_and_one_that_shares_no_word_are_given_whole():
    assert retrieved("Varn is old.", ARTICLE, 5) == ARTICLE
    assert retrieved("Qux.", ARTICLE, 2) == ARTICLE
    assert retrieved("Varn is old.", "", 2) == ""


def test_scripts_without_spaces_match_by_pairs_of_characters():
    assert set(keys("城堡")) == {"城堡"}
    assert retrieved("城堡很高。", "河很長。城堡建於冬天。市場小。", 1) == "城堡建於冬天。"
