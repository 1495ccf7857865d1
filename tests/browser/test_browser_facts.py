"""Replies cut into facts, in a browser: from a number to a reply to the passages behind a fact, on a phone, in the dark, under attack."""

from .accessibility import axe

NAME = "wildhallucinations-closed-world"


def test_a_number_leads_to_a_reply_and_a_fact_to_its_evidence(visit):
    page = visit(f"boards/{NAME}.html", scheme="dark", width=390)
    page.locator(".tr-table tbody tr", has_text="elm").first.locator("a.tr-num").first.click()
    page.get_by_role("link", name="Read the replies").click()
    page.locator(".tr-reply").first.wait_for()
    assert page.get_by_label("Reply of").input_value() == "elm"
    assert page.get_by_role("status").inner_text() == "7 of 35 records"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390

    reply = page.locator(".tr-reply", has=page.get_by_role("heading", name="Lantern Isle"))
    fact = reply.locator(".tr-fact").nth(1)
    fact.locator("summary").click()
    link = fact.get_by_role("link", name="Lantern Isle – a guide")
    assert link.get_attribute("href") == "http://almanac0.invalid/1" and "noopener" in link.get_attribute(
        "rel"
    )
    assert (
        fact.get_by_role("link").count() == 1 and "no address of the web" in fact.inner_text()
    )  # the other page has a script for one
    assert "is-lit" in reply.locator(".tr-sentence").nth(1).get_attribute("class")

    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    assert page.evaluate("window.__xss") is None
    assert page.locator(".tr-record img, .tr-record script").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert axe(page) == []
