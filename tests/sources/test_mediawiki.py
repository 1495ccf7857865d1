"""Articles fetched from a server that speaks MediaWiki's API over real HTTP, and read as a source."""

import gzip
import json
import subprocess
import sys
import threading
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from truerate.core.errors import TruerateError
from truerate.web import mediawiki
from truerate.web.articles import Asked, Wanted, fetch, plain_text
from truerate.web.pauses import Clock

ROOT = Path(__file__).parents[2]
TAGS = ["Unreferenced", "Under construction"]
LONG = "Varn is a town on the river Ost. " * 12
STATISTICS = {"pages": 4000, "articles": 1000, "edits": 50_000, "images": 3}
BUSY = {"error": {"code": "maxlag", "info": "Waiting for db1: 9 seconds lagged"}}


def page(number, title, text, *, templates=(), properties=None):
    """A page as action=parse gives it."""
    markup = f'<div class="mw-content-ltr mw-parser-output" lang="en"><p>{text}\n</p></div>'
    named = [{"ns": 10, "title": f"Template:{name}", "exists": True} for name in templates]
    return {
        "title": title,
        "pageid": number,
        "revid": 100 + number,
        "text": markup,
        "templates": named,
        "properties": properties or {},
    }


PAGES = [
    page(1, "Varn", LONG),
    page(2, "Ost (river)", LONG, templates=["Infobox river"]),
    page(3, "Stub", "Too little to say."),
    page(4, "Doubtful", LONG, templates=["Unreferenced"]),
    page(5, "Mercury", LONG, properties={"disambiguation": ""}),
    page(6, "Quill & pen?", LONG),
]


class Server(ThreadingHTTPServer):
    """An API of some pages. `before`: replies given first, one per request: (status, headers, body)."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.pages, self.before, self.asked, self.headers = list(PAGES), [], [], []
        self.redirects, self.statistics = {"River Ost": "Ost (river)"}, STATISTICS
        self.links, self.broken, self.moved = {}, set(), {}  # langlinks; paths that fail; paths that move

    @property
    def api(self):
        return f"http://127.0.0.1:{self.server_port}/{{lang}}/api.php"

    def answer(self, asked):
        if asked.get("meta") == "siteinfo":
            return {
                "query": {
                    "general": {"server": "//en.wikipedia.org", "articlepath": "/wiki/$1"},
                    "statistics": self.statistics,
                }
            }
        if asked.get("prop") == "langlinks":
            titles = asked["titles"].split("|")
            pages = [{"title": title, "langlinks": self.links.get(title, [])} for title in titles]
            return {"query": {"pages": pages}}
        if asked["action"] == "query":
            first = int(asked.get("grncontinue", 0))  # two pages per reply, the next two by continuation
            matching_pages = [
                {"title": each["title"], "lastrevid": each["revid"], "length": len(each["text"])}
                for each in self.pages[first : first + 2]
            ]
            goes_on = (
                {"continue": {"grncontinue": str(first + 2), "continue": "grncontinue||"}}
                if first + 2 < len(self.pages)
                else {}
            )
            return {"batchcomplete": True, "query": {"pages": matching_pages}} | goes_on
        title = (
            self.redirects.get(asked.get("page"), asked.get("page"))
            if asked.get("redirects")
            else asked.get("page")
        )
        matching_pages = [
            each for each in self.pages if str(each["revid"]) == asked.get("oldid") or each["title"] == title
        ]
        code = "nosuchrevid" if "oldid" in asked else "missingtitle"
        return (
            {"parse": matching_pages[0]}
            if matching_pages
            else {"error": {"code": code, "info": "There is none."}}
        )


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        server.asked.append(dict(parse_qsl(urlsplit(self.path).query)))
        server.headers.append(self.headers)
        path = urlsplit(self.path).path
        if path in server.broken:
            status, headers, body = 403, {"Content-Type": "text/html"}, b"no"
        elif path in server.moved:
            status, headers, body = 301, {"Location": server.moved[path]}, b""
        elif server.before:
            status, headers, body = server.before.pop(0)
        else:
            headers = {"Content-Type": "application/json; charset=utf-8", "Content-Encoding": "gzip"}
            status, body = 200, gzip.compress(json.dumps(server.answer(server.asked[-1])).encode())
        self.send_response(status)
        for name, value in (headers | {"Content-Length": str(len(body))}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def wiki():
    server = Server()
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def run(wiki, tmp_path):
    """Fetch from the server: the pages taken, those left out, and the seconds waited."""

    def fetched(n=None, titles=None, languages=("en",), **by):
        waited = []

        async def sleep(seconds):
            waited.append(seconds)

        if titles is not None:
            (tmp_path / "titles.tsv").write_text(titles, "utf-8")
        wanted = Wanted(languages, n, 200, TAGS, str(tmp_path / "titles.tsv") if titles is not None else None)
        asked = Asked(
            "me@example.org", **({"api": wiki.api, "allowed_private": ["127.0.0.1"], "pause_s": 0} | by)
        )
        fetch(tmp_path, wanted, asked, clock=Clock(now=lambda: 1_700_000_000.0, sleep=sleep))
        rows = {
            name: [json.loads(line) for line in (tmp_path / name).read_text("utf-8").splitlines()]
            for name in OUT
        }
        return rows["articles.jsonl"], {row["title"]: row["reason"] for row in rows["left_out.jsonl"]}, waited

    return fetched


OUT = ("articles.jsonl", "left_out.jsonl")


# ---- what is taken -----------------------------------------------------------------------------------------
def test_random_articles_go_on_over_continuations_until_enough_fit(run, wiki):
    rows, left, _ = run(n=3)
    assert [row["title"] for row in rows] == ["Varn", "Ost (river)", "Quill & pen?"]
    assert left == {"Stub": "too-short", "Doubtful": "excluded-tag", "Mercury": "disambiguation"}
    drawn = [asked.get("grncontinue") for asked in wiki.asked if asked.get("generator") == "random"]
    assert drawn == [None, "2", "4"] and all(asked["maxlag"] == "5" for asked in wiki.asked)
    assert "Stub" not in [asked.get("page") for asked in wiki.asked] and "103" not in [
        asked.get("oldid") for asked in wiki.asked
    ]
    assert {headers["User-Agent"].split(" aiohttp")[0] for headers in wiki.headers} == {
        "truerate (me@example.org)"
    }
    assert {headers["Accept-Encoding"] for headers in wiki.headers} == {"gzip"}


def test_no_more_is_asked_for_than_fits(run, wiki):
    rows, _, _ = run(n=1)
    assert [row["title"] for row in rows] == ["Varn"] and len(wiki.asked) == 3  # the site, one draw, one page


def test_the_reader_reads_what_was_fetched(run, read):
    run(n=3)
    got = read("wikipedia")
    assert got.items["task"].to_list() == ["article"] * 3 and got.rejects.is_empty()
    expected = {entry["key"]: entry["value"] for entry in got.items.row(0, named=True)["attributes"]}
    assert expected["depth"] == "112.5" and "tags" not in expected  # 50 · 3 · 3/4
    urls = set(got.documents["url"])
    assert (
        urls == {"https://en.wikipedia.org/wiki/Varn?oldid=101"} or len(urls) == 1
    )  # three articles of one text are one document
    assert set(got.documents["lang"]) == {"en"}


def test_titles_and_pinned_revisions_in_their_order(run, wiki, tmp_path):
    titles = "Quill & pen?\nRiver Ost\nNowhere\nVarn\t101\nVarn\t999\nOst (river)\nStub\n\n"
    rows, left, _ = run(titles=titles)
    assert [(row["title"], row["revid"]) for row in rows] == [
        ("Quill & pen?", 106),
        ("Ost (river)", 102),
        ("Varn", 101),
    ]
    assert left == {
        "Nowhere": "missingtitle",
        "Varn": "nosuchrevid",
        "Ost (river)": "twice",
        "Stub": "too-short",
    }
    assert [row["url"] for row in rows][0] == "https://en.wikipedia.org/wiki/Quill_%26_pen%3F"
    assert not [asked for asked in wiki.asked if asked.get("generator")]
    pinned = (tmp_path / "titles.en.tsv").read_text("utf-8")
    assert pinned == "Quill & pen?\t106\nOst (river)\t102\nVarn\t101\n"
    first = (tmp_path / "articles.jsonl").read_bytes()
    run(titles=pinned)  # what was written fetches the same set
    assert (tmp_path / "articles.jsonl").read_bytes() == first


def test_each_language_has_its_own_wiki(run, wiki, tmp_path):
    rows, _, _ = run(n=1, languages=("en", "de"))
    assert [row["lang"] for row in rows] == ["en", "de"] and (tmp_path / "titles.de.tsv").is_file()


def test_depth_is_not_known_where_numbers_are_missing(run, wiki):
    wiki.statistics = {"pages": 10, "articles": 0, "edits": 5}
    rows, _, _ = run(n=1)
    assert rows[0]["depth"] is None


def langs_of(folder):
    return [json.loads(line)["lang"] for line in (folder / "articles.jsonl").read_text("utf-8").splitlines()]


def test_a_language_that_fails_loses_no_other_and_is_asked_for_alone_again(run, wiki, tmp_path):
    wiki.broken = {"/fr/api.php"}
    with pytest.raises(
        TruerateError, match="status 403.*that is 'fr': what came of 2 other languages"
    ) as error:
        run(n=2, languages=("de", "fr", "en"))
    assert "\n" not in str(error.value) and langs_of(tmp_path) == ["de", "de", "en", "en"]
    wiki.broken, asked_before = set(), len(wiki.asked)
    run(n=2, languages=("de", "fr", "en"))
    # the site, what tags are called, two draws and two pages: of French alone
    assert len(wiki.asked) - asked_before <= 6 and langs_of(tmp_path) == ["de", "de", "fr", "fr", "en", "en"]
    assert not (tmp_path / "unfinished.json").exists()
    whole = (tmp_path / "articles.jsonl").read_bytes()
    run(n=2, languages=("de", "fr", "en"))  # all at once gives the same
    assert (tmp_path / "articles.jsonl").read_bytes() == whole


def test_another_run_takes_nothing_over_from_an_unfinished_one(run, wiki, tmp_path):
    wiki.broken = {"/fr/api.php"}
    with pytest.raises(TruerateError):
        run(n=2, languages=("de", "fr"))
    wiki.broken = set()
    run(n=1, languages=("de", "fr"))
    assert langs_of(tmp_path) == ["de", "fr"]


def test_maintenance_tags_are_known_by_their_names_in_each_language(run, wiki):
    wiki.links = {"Template:Unreferenced": [{"lang": "de", "title": "Vorlage:Belege fehlen"}]}
    wiki.pages = [page(1, "Varn", LONG, templates=["Belege fehlen"]), page(2, "Ost", LONG)]
    rows, left, _ = run(n=1, languages=("de", "en"))
    assert [(row["lang"], row["title"]) for row in rows] == [("de", "Ost"), ("en", "Varn")]
    assert left == {"Varn": "excluded-tag"}
    assert len([asked for asked in wiki.asked if asked.get("prop") == "langlinks"]) == 1


def test_a_wiki_that_moved_is_followed_to_a_host_beside_its_own(run, wiki):
    wiki.moved = {"/yue/api.php": "/zh-yue/api.php?action=query"}
    rows, _, _ = run(n=1, languages=("yue",))
    assert [row["lang"] for row in rows] == ["yue"]
    wiki.moved["/zh-yue/api.php"] = "/yue/api.php"
    with pytest.raises(TruerateError, match="it has moved to '/yue/api.php'"):
        run(n=1, languages=("yue",))


@pytest.mark.parametrize(
    ("location", "to"),
    [
        ("https://zh-yue.wikipedia.org/w/api.php?x=1", "https://zh-yue.wikipedia.org/w/api.php"),
        ("/v2/api.php", "https://yue.wikipedia.org/v2/api.php"),
        ("http://zh-yue.wikipedia.org/w/api.php", None),  # less safe
        ("https://wikipedia.org/w/api.php", None),
        ("https://yue.wikipedia.evil.org/w/api.php", None),
        ("https://zh-yue.wikipedia.org:8443/w/api.php", None),
        ("https://zh-yue.wikipedia.org/wiki/Main", None),
        ("https://127.0.0.1/w/api.php", None),
        ("", None),
    ],
)
def test_only_an_api_of_the_same_family_of_hosts_is_followed(location, to):
    assert mediawiki.moved("https://yue.wikipedia.org/w/api.php", location) == to
    assert mediawiki.moved("http://10.0.0.1/api.php", "http://10.0.0.2/api.php") is None


def test_the_categories_that_a_page_shows_come_with_it(run, wiki, read):
    ours = page(1, "Varn", LONG)
    ours["categories"] = [{"category": "Hidden_one", "hidden": True}, {"category": "Towns_on_rivers"}]
    wiki.pages = [ours]
    rows, _, _ = run(n=1)
    assert rows[0]["categories"] == ["Towns on rivers"]
    expected = {
        entry["key"]: entry["value"] for entry in read("wikipedia").items.row(0, named=True)["attributes"]
    }
    assert expected["category"] == "Towns on rivers"


# ---- servers that are busy, broken or something else -------------------------------------------------------
@pytest.mark.parametrize(
    ("before", "waited"),
    [
        ([(200, {"Retry-After": "5", "Content-Type": "application/json"}, json.dumps(BUSY).encode())], [5.0]),
        ([(429, {"Retry-After": "7"}, b"slow down")] * 2, [7.0, 7.0]),
        ([(503, {"Retry-After": "Tue, 14 Nov 2023 22:13:50 GMT"}, b"")], [30.0]),
        ([(500, {}, b""), (502, {"Retry-After": "soon"}, b"")], [1.0, 2.0]),
    ],
)
def test_a_busy_server_is_asked_again_when_it_says(run, wiki, before, waited):
    wiki.before = list(before)
    rows, _, slept = run(n=1)
    assert len(rows) == 1 and slept == waited


@pytest.mark.parametrize(
    ("before", "message"),
    [
        (
            [(200, {"Content-Type": "text/html; charset=utf-8"}, b"<html>Welcome</html>")],
            "status 200 with text/html, not the JSON",
        ),
        ([(404, {"Content-Type": "text/html"}, b"no")], "status 404 with text/html, not the JSON"),
        (
            [(301, {"Location": "https://elsewhere.invalid/"}, b"")],
            "it has moved to 'https://elsewhere.invalid/'",
        ),
        (
            [(200, {}, b'{"error": {"code": "badvalue", "info": "Unrecognized\\nvalue"}}')],
            "status 200: badvalue Unrecognized value",
        ),
        ([(200, {}, b'{"query": {}}')], "a reply without the wiki's own address"),
        ([(429, {"Retry-After": "4000"}, b"")], "it asks to come back in 4,000 s; run again then"),
        ([(429, {"Retry-After": "1"}, b"")] * 6, "status 429, 6 times; run again later"),
    ],
)
def test_a_server_that_gives_nothing_ends_in_one_line(run, wiki, tmp_path, before, message):
    wiki.before = list(before)
    with pytest.raises(TruerateError) as error:
        run(n=1)
    assert (
        message in str(error.value)
        and "\n" not in str(error.value)
        and not (tmp_path / "articles.jsonl").exists()
    )


def test_a_server_that_is_not_there(run, wiki):
    with pytest.raises(
        TruerateError, match="ClientConnectorError, 6 times; run again later, or correct --api"
    ):
        run(n=1, api="http://127.0.0.1:9/api.php")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"allowed_private": ()}, "127.0.0.1 is not of the public web; allow it with --allow-private"),
        ({"api": "ftp://{lang}.example.org/api.php"}, "is no web address"),
        ({"languages": ("english",)}, "'english' is no language code"),
        ({"languages": ("en", "de"), "api": "http://127.0.0.1:9/api.php"}, "is the same for all languages"),
        ({"n": 0}, "--n 0: say how many"),
        ({"titles": "Varn\tlatest\n", "n": None}, "line 1: 'latest' is no revision; write TITLE<tab>NUMBER"),
        ({"titles": "\n\n", "n": None}, "no title in it; write one per line"),
        ({"titles": "Stub\nNowhere\n", "n": None}, r"fits (1 too-short, 1 missingtitle)"),
    ],
)
def test_what_cannot_be_fetched_is_one_line(run, changes, message):
    with pytest.raises(TruerateError) as error:
        run(**({"n": 1} | changes))
    assert message in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize("contact", ["", " ", "me\r\nX-Evil: 1", "mé@example.org"])
def test_a_contact_that_no_header_can_hold_is_refused(tmp_path, contact):
    with pytest.raises(TruerateError, match="--contact"):
        fetch(tmp_path, Wanted(("en",), 1, 200, TAGS), Asked(contact, api=mediawiki.API))


# ---- text --------------------------------------------------------------------------------------------------
def test_a_rendered_page_as_plain_text():
    markup = """<div class="mw-content-ltr mw-parser-output" lang="en" dir="ltr"><div class="hatnote">For the river, see Ost.</div>
<table class="infobox"><tbody><tr><td>Mayor</td></tr></tbody></table><style data-mw-deduplicate="x">.a{}</style>
<p><b>Varn</b> is a town<sup id="r1" class="reference"><a href="#n1">[1]</a></sup> on the
<a href="/wiki/Ost">Ost</a>&#160;&amp; a port.<span class="noprint">hidden</span></p><figure><figcaption>A picture</figcaption></figure>
<div class="mw-heading mw-heading2"><h2 id="History">History</h2><span class="mw-editsection">[edit]</span></div>
<section><p>Founded in 1203.<br>Burned in 1410.</p><ul><li>one</li><li>two</li></ul></section>
<h3><span class="mw-headline">The <i>bridge</i></span></h3><p>Old.</p><!-- NewPP limit report --><div class="reflist">notes</div></div>"""
    lines = [
        "Varn is a town on the Ost & a port.", "== History ==", "Founded in 1203.", "Burned in 1410.",
        "one", "two", "=== The bridge ===",
    ]  # fmt: skip
    assert plain_text(markup) == "\n".join([*lines, "Old."])


@pytest.mark.parametrize(
    "markup",
    ["", "<!-- nothing -->", '<div class="mw-parser-output"></div>', "<table><tr><td>x</td></tr></table>"],
)
def test_a_page_without_sentences_is_empty(markup):
    assert plain_text(markup) == ""


# ---- the command -------------------------------------------------------------------------------------------
def command(wiki, folder, *more):
    words = ["fetch-articles", str(folder), "--contact", "me@example.org", "--languages", "en", *more]
    return subprocess.run(
        [sys.executable, "-m", "truerate", *words], cwd=ROOT, capture_output=True, text=True
    )


def test_the_command_writes_the_folder(wiki, tmp_path):
    wiki.pages = [page(1, "Varn", LONG * 10), *PAGES[1:]]  # params.yaml asks for 2,000 characters
    done = command(wiki, tmp_path / "new", "--n", "2", "--api", wiki.api, "--allow-private", "127.0.0.1")
    assert (done.returncode, done.stdout, done.stderr) == (0, "en: 1 articles\n", "")
    reasons = defaultdict(int)
    for line in (tmp_path / "new" / "left_out.jsonl").read_text("utf-8").splitlines():
        reasons[json.loads(line)["reason"]] += 1
    assert reasons == {"too-short": 5}


def test_the_command_says_what_is_wrong_in_one_line(wiki, tmp_path):
    done = command(wiki, tmp_path / "new", "--n", "2", "--api", wiki.api)
    assert (
        done.returncode == 2
        and done.stderr.count("\n") == 1
        and "allow it with --allow-private" in done.stderr
    )
    assert not (tmp_path / "new").exists()
