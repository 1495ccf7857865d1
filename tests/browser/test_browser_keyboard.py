"""By the keyboard alone, in a browser: from the first page to a number, the replies behind it, a filter and a record's
own address, with the focus seen at each stop; and a right-to-left text with its spans.
"""

import pytest

# What has the focus: its place and name, whether it is seen there, and where a link leads. A radio button of the
# scheme has no size; its label bears its outline.
FOCUSED = """() => {
  const at = document.activeElement, shown = at.matches(".md-option") ? at.nextElementSibling : at;
  const style = getComputedStyle(shown), box = shown.getBoundingClientRect();
  const isSeen = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 && box.width > 1 && box.height > 1
    && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
  return { tag: at.tagName, kind: at.className, leads: at.getAttribute("href") || "", text: at.innerText || "", isSeen };
}"""


@pytest.fixture
def tab(visit):
    """Go on by the Tab key until a stop is the wanted one; every stop on the way is seen."""

    def run(page, is_wanted, n: int = 120) -> dict:
        for _ in range(n):
            page.keyboard.press("Tab")
            found = page.evaluate(FOCUSED)
            if found["tag"] == "BODY":  # round the end of the page
                continue
            assert found["isSeen"], found
            if is_wanted(found):
                return found
        raise AssertionError(f"not reached in {n} steps of the Tab key; the last: {found}")

    return run


def test_from_home_to_the_address_of_a_record(visit, tab):
    page = visit("index.html", width=1280)
    tab(page, lambda at: at["leads"].endswith("checks.html"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/checks.html")
    tab(page, lambda at: at["leads"].endswith("boards/halueval-closed-world.html"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/boards/halueval-closed-world.html")
    tab(page, lambda at: "tr-num" in at["kind"])
    page.keyboard.press("Enter")
    page.locator("dialog[open]").wait_for()
    tab(page, lambda at: "samples.html#board=" in at["leads"], n=9)
    page.keyboard.press("Enter")
    page.wait_for_url("**/samples.html#board=halueval-closed-world*")
    page.locator(".tr-record").first.wait_for()
    status = page.get_by_role("status")
    before = status.inner_text()
    tab(page, lambda at: at["tag"] == "SELECT" and "Both labels" in at["text"])
    page.keyboard.press("ArrowDown")
    page.wait_for_function(
        "before => document.querySelector('[role=status]').innerText !== before", arg=before
    )
    assert "label=" in page.url
    page.keyboard.press("j")  # typed in a choice, it is the choice's
    assert page.evaluate("document.activeElement.tagName") == "SELECT"
    tab(page, lambda at: "&id=" in at["leads"])
    page.keyboard.press("Enter")
    page.wait_for_function("location.hash.includes('&id=')")
    page.wait_for_function("document.querySelectorAll('.tr-record').length === 1")


@pytest.mark.parametrize("name", ["index", "samples", "ledger", "boards/halueval-closed-world"])
def test_the_first_stop_leads_past_the_head(visit, tab, name):
    page = visit(f"{name}.html", width=1280)
    page.locator("h1").first.wait_for()
    assert tab(page, lambda at: True)["text"].strip() == "Skip to content"
    address = page.evaluate("location.href.split('#')[0]")
    page.keyboard.press("Enter")
    assert tab(page, lambda at: True) and page.evaluate("document.activeElement.closest('main') !== null")
    assert page.evaluate("location.href.split('#')[0]") == address


# Where the words of the first record's text stand in their box, and the first piece that a layer underlines.
PLACES = """() => {
  const box = document.querySelector(".tr-record .tr-text"), range = document.createRange();
  range.selectNodeContents(box);
  const right = Math.max(...[...range.getClientRects()].map(one => one.right)), mark = box.querySelector("mark");
  range.setEndBefore(mark);
  const before = range.getBoundingClientRect(), edges = box.getBoundingClientRect();
  return { direction: getComputedStyle(box).direction, gap: edges.right - right,
    after: before.left - mark.getBoundingClientRect().right, before: before.width };
}"""


def test_an_arabic_text_begins_at_the_right_and_its_spans_go_on_to_the_left(visit):
    page = visit("samples.html#board=mfava-closed-world&lang=ar", width=1280)
    page.locator(".tr-record mark").first.wait_for()
    found = page.evaluate(PLACES)
    assert found["direction"] == "rtl" and abs(found["gap"]) < 2
    assert abs(found["after"]) < 2 and found["before"] > 20  # some letters, then the span to the left of them
