"""The sample browser from disk: filters, deep links, marks, and texts that attack the page."""

HALUEVAL = "#board=halueval-closed-world"


def opened(visit, fragment: str = HALUEVAL):
    page = visit(f"samples.html{fragment}")
    page.locator(".tr-record").first.wait_for()
    return page


def test_filters_narrow_and_the_address_keeps_them(visit):
    page = opened(visit)
    assert page.get_by_role("status").inner_text().startswith("132 of 132 records")
    page.get_by_label("Task").select_option("dialogue")
    page.get_by_label("Label").select_option("right")
    page.get_by_text("22 of 132 records").wait_for()
    assert "task=dialogue" in page.url
    assert set(page.locator(".tr-record .tr-label").all_inner_texts()) == {"Right"}


def test_what_a_judge_missed_can_be_found(visit):
    page = opened(visit, f"{HALUEVAL}&judge=elm · plain&outcome=w".replace(" ", "%20"))
    assert page.get_by_label("Judged by").input_value() == "elm · plain"
    page.locator(".tr-record summary").first.click()
    assert page.locator(".tr-record").first.locator(".said-w", has_text="elm").count() == 1


def test_a_deep_link_shows_one_record(visit):
    page = opened(visit, f"{HALUEVAL}&id=halui0001h")
    assert page.locator(".tr-record").count() == 1
    assert page.get_by_role("link", name="halui0001h").is_visible()


def test_hostile_texts_are_shown_and_never_run(visit):
    page = opened(visit)
    for name in ("halui0000h", "halui0001h", "halui0002h", "halui0003h", "halui0004h"):
        page.goto(page.url.split("#")[0] + f"{HALUEVAL}&id={name}")
        page.get_by_role("link", name=name).wait_for()
    page.goto(page.url.split("#")[0] + f"{HALUEVAL}&id=halui0002h")
    page.get_by_role("link", name="halui0002h").wait_for()
    assert page.locator(".tr-chip").all_inner_texts()[:2] == ["U+202E", "U+202C"]
    assert page.evaluate("window.__xss") is None
    assert page.locator(".tr-record img, .tr-record script, #escaped").count() == 0


def test_overlapping_marks_name_all_their_kinds(visit):
    page = opened(visit, f"{HALUEVAL}&id=halui0000h")
    titles = [mark.get_attribute("title") for mark in page.locator(".tr-record .tr-layers > mark").all()]
    silver = ["silver: non-factual", "silver: unverifiable"]
    assert titles == [silver[0], " · ".join(silver), silver[1]]


def test_show_more_adds_records(visit):
    page = opened(visit)
    assert page.locator(".tr-record").count() == 20
    page.get_by_role("button", name="Show more").click()
    page.locator(".tr-record").nth(39).wait_for()
