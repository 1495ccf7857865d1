"""The first screen in a browser: filters leave some dots of each line, and say which is the least of them."""


def test_a_name_leaves_its_dots_and_says_their_rates(visit):
    page = visit("index.html")
    line, said = page.locator(".tr-strip-line"), page.locator("[data-best]")
    before = said.inner_text()
    assert before.startswith("Made-up rate. Least: alpha 0.0 % (0.0–49.0).")
    page.get_by_placeholder("claude").fill("LARCH 8b")
    assert line.locator("b:not(.is-out)").count() == 1 and line.locator("b.is-in").count() == 1
    assert said.inner_text() == "1 shown: larch-3.1-8b-instruct 50.0 % (2.0–98.0)."
    page.get_by_placeholder("claude").fill("no such model")
    assert said.inner_text() == "No such model on this board."
    page.get_by_role("button", name="All models").click()
    page.wait_for_function("document.querySelectorAll('.is-out').length === 0")
    assert said.inner_text() == before


def test_a_filter_keeps_no_model_of_which_nothing_is_published(visit):
    page = visit("index.html")
    page.get_by_label("Weights").select_option("open")
    assert page.locator(".tr-strip-line b.is-in").count() == 0


def test_a_dot_leads_to_its_model_and_a_board_says_its_age(visit):
    page = visit("index.html")
    assert page.locator(".tr-strip .tr-dated").inner_text().split("\n")[0].startswith("May 2020")
    assert page.locator(".tr-strip .tr-old").inner_text() == "older than a year"
    page.locator(".tr-strip-line b[data-name=beta]").click()
    page.wait_for_url("**/models/real/beta.html")


def test_without_a_script_the_lines_stand_and_no_filter_does(visit):
    page = visit("index.html", script=False)
    assert page.locator(".tr-strip-line b").count() == 4
    assert not page.locator("[data-filters]").is_visible()
