"""A built site in fewer bytes: pages read as before, what nothing asks for is gone."""

from html.parser import HTMLParser

from truerate.pipeline.publishing.slim_site import slim, slim_html
from truerate.site.safety import inert

HOSTILE = "<img src=x onerror=alert(1)> & \"a\" 'b' </script> {{ x }} [l](javascript:1) é\u202e"


class Read(HTMLParser):
    """What a browser reads: tags with their attributes, and the text between them."""

    def __init__(self, page: str):
        super().__init__(convert_charrefs=True)
        self.events: list[tuple] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.events.append((tag, attrs))

    def handle_data(self, data):
        if self.events and isinstance(self.events[-1], str):
            data = self.events.pop() + data
        self.events.append(data)


def test_a_page_reads_as_before_and_is_shorter():
    page = f'<p title="{inert(HOSTILE)}">{inert(HOSTILE)}</p><script>x = "&#45;"</script><pre>a&#10;b</pre>'
    short = slim_html(page)
    assert Read(short).events == Read(page).events
    assert len(short) < len(page)
    assert 'x = "&#45;"' in short and "a&#10;b" in short and "&#60;img" in short


def test_files_that_no_page_asks_for_are_removed(tmp_path):
    names = (
        "assets/javascripts/bundle.js",
        "assets/javascripts/bundle.js.map",
        "assets/javascripts/lunr/min/x.js",
        "a/b.html",
    )
    for name in names:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("a&#45;b", "utf-8")
    slim(tmp_path)
    left = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {"assets/javascripts/bundle.js", "a/b.html"}
    assert (tmp_path / "a/b.html").read_text("utf-8") == "a-b"
