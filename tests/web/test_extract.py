import pytest

from truerate.web.extract import MAIN, TAGS, decoded, extracted, of_markup, tidy
from truerate.web.outcomes import Outcome, Page

PARAGRAPHS = (
    "Varn is a town on the river Odla, which was founded in 1204 by monks who had come over the hills.",
    "Its market is known for cheese, and its school for the singers that it has sent into the world.",
    "In the last census 12,300 people lived within its walls, a few more than ten years before that.",
)
MARKUP = (
    "<!DOCTYPE html><html><head><meta charset=utf-8><title>Varn &amp; Odla</title>"
    '<meta property="article:published_time" content="2019-05-04T10:00:00Z"><style>p{color:red}</style></head>'
    "<body><nav><ul><li><a href='/'>Home</a></li><li><a href='/n'>News</a></li></ul></nav><main><article><h1>Varn</h1>"
    + "".join(f"<p>{part}</p>" for part in PARAGRAPHS)
    + "</article></main><!-- a remark --><footer><p>Terms of use. We use cookies.</p></footer>"
    "<script>var hidden = 1;</script></body></html>"
)
PHRASES = ("please sign in",)


def page(body, charset="utf-8"):
    return Page("http://a/", Outcome.OK, "", "http://a/", 200, "text/html", charset, body)


def test_the_main_text_is_without_menu_footer_and_script():
    results = extracted(page(MARKUP.encode()), MAIN)
    assert (results.outcome, results.title, results.dated) == (Outcome.OK, "Varn & Odla", "2019-05-04")
    assert all(part in results.text.split("\n") for part in PARAGRAPHS)
    assert not any(word in results.text for word in ("Home", "cookies", "hidden", "remark", "color"))


CC = "https://creativecommons.org"


@pytest.mark.parametrize(
    ("named", "licence"),
    [
        (f'<link rel="license" href="{CC}/licenses/by-sa/4.0/deed.en">', "CC BY-SA 4.0"),
        (
            f'<link rel="stylesheet"><a href="{CC}/licenses/by-nc/2.0/" rel="nofollow License">terms</a>',
            "CC BY-NC 2.0",
        ),
        (f'<link rel="license" href="{CC}/publicdomain/zero/1.0/">', "CC0 1.0"),
        (
            f'<link rel="license" href="{CC}/licenses/by/4.0"><a rel="license" href="{CC}/licenses/by-nd/4.0">a text below</a>',
            "CC BY 4.0",
        ),
        (
            f'<a rel="license" href="{CC}/licenses/by/4.0/">one</a><a rel="license" href="{CC}/licenses/by-sa/4.0/">another</a>',
            None,
        ),
        (f'<figure><a rel="license" href="{CC}/licenses/by/4.0/">photo</a></figure>', None),
        (f'<a href="{CC}/licenses/by/4.0/">only a link</a>', None),
        ('<a rel="license" href="/terms">our terms</a>', None),
        (f'<a rel="license" href="https://evil.invalid/?{CC}/licenses/by/4.0/">not there</a>', None),
        (f'<a rel="license" href="{CC}.evil.invalid/licenses/by/4.0/">nor there</a>', None),
        (f'<a rel="license" href="{CC}/licenses/by/4.01/">none</a>', None),
    ],
)
def test_a_page_names_its_licence_at_creative_commons_or_none(named, licence):
    results = extracted(page(MARKUP.replace("</main>", f"</main>{named}").encode()), MAIN)
    assert results.outcome is Outcome.OK and results.licence == licence


def test_the_papers_way_takes_all_text_outside_tags():
    results = extracted(page(MARKUP.encode()), TAGS)
    assert results.text.split("\n") == ["Home", "News", "Varn", *PARAGRAPHS, "Terms of use. We use cookies."]


def test_the_same_page_gives_the_same_text_whatever_was_read_before():
    first = of_markup(MARKUP, MAIN)
    for _ in range(5):
        of_markup(MARKUP.replace("Varn", "Odla"), MAIN)
    assert of_markup(MARKUP, MAIN) == first


def test_a_page_that_only_asks_to_sign_in_is_told_from_one_that_mentions_it():
    wall = "<html><body><p>Please sign in to read on. It is free of charge for members of our circle.</p></body></html>"
    assert extracted(page(wall.encode()), MAIN, PHRASES).outcome is Outcome.SIGN_IN
    long = MARKUP.replace(
        "</article>",
        "<p>Please sign in to comment.</p>" + f"<p>{' '.join(PARAGRAPHS)}</p>" * 2 + "</article>",
    )
    assert extracted(page(long.encode()), TAGS, PHRASES).outcome is Outcome.OK


@pytest.mark.parametrize(
    "body", [b"", b"   ", b"<html><body><script>1</script></body></html>", b"<!-- nothing -->"]
)
@pytest.mark.parametrize("how", [MAIN, TAGS])
def test_a_page_without_text_is_empty(body, how):
    assert extracted(page(body), how).outcome is Outcome.EMPTY


def test_a_page_that_was_not_kept_keeps_its_outcome():
    assert extracted(Page("u", Outcome.STATUS, "404"), MAIN).outcome is Outcome.STATUS


TEXT = "“Fin de siècle” – café, naïve, Straße, " + "plain words " * 5


@pytest.mark.parametrize(
    ("body", "charset"),
    [
        (TEXT.encode(), "utf-8"),
        (TEXT.encode(), None),
        (TEXT.encode(), "iso-8859-1"),  # the header is wrong, the bytes are UTF-8
        (TEXT.encode("cp1252"), "utf-8"),  # and the other way round
        (TEXT.encode("cp1252"), "iso-8859-1"),  # browsers read it as Windows-1252
        (TEXT.encode("cp1252"), "no-such-charset"),
        (TEXT.encode("cp1252"), "zlib"),  # a codec of Python, no charset
        (TEXT.encode("cp1252"), "punycode"),
        (b"\xef\xbb\xbf" + TEXT.encode(), "iso-8859-1"),
        (TEXT.encode("utf-16"), None),
        (TEXT.encode("utf-16-le"), "utf-16-le"),
    ],
)
def test_characters_are_found_whatever_the_header_says(body, charset):
    assert decoded(body, charset) == TEXT


def test_bytes_that_are_utf_8_are_read_so_even_where_the_header_would_do():
    assert decoded("café, naïve".encode(), "windows-1252") == "café, naïve"


def test_the_pages_own_charset_counts_where_the_header_has_none():
    text = '<meta http-equiv="content-type" content="text/html; charset=koi8-r"><p>Варн и Одла</p>'
    assert decoded(text.encode("koi8-r"), None) == text
    japanese = '<meta charset="iso-2022-jp"><p>町</p>'
    assert decoded(japanese.encode("iso2022_jp"), None) == japanese


def test_one_broken_character_is_borne_and_noise_is_not():
    body = ("plain words " * 20).encode() + b"\xc3 and more"
    assert decoded(body, "utf-8").startswith("plain words")
    noise = bytes((7 * index * index + 13 * index) % 256 for index in range(2000))
    assert decoded(noise, None) is None and extracted(page(noise, None), MAIN).outcome is Outcome.UNDECODABLE


@pytest.mark.parametrize(
    "markup",
    [
        "<div>" * 20_000 + "deep",
        "<p>" + "&" * 50_000,
        "<a href='" + "x" * 90_000,
        "<?xml version='1.0' encoding='utf-8'?><p>x</p>",
    ],
)
@pytest.mark.parametrize("how", [MAIN, TAGS])
def test_markup_made_to_break_a_parser_costs_that_page_alone(markup, how):
    assert of_markup(markup, how).outcome in Outcome


def test_text_is_cleaned_and_single_spaced():
    assert tidy(" a\u00a0 b\x00\u202e \r\n\n c ") == "a b\nc"


def test_lists_that_are_never_closed_are_read_outside_their_tags_where_no_main_text_is_found():
    """Much is some text of 100 words; a menu of a few gives none."""
    item = "<ul><li>Varn has nine thousand people and works of salt. "
    for n_items, is_read in ((20, True), (3, False)):
        text = of_markup("<article>" + item * n_items, MAIN)
        assert (text.outcome is Outcome.OK, text.text.count("nine thousand")) == (
            is_read,
            n_items if is_read else 0,
        )
