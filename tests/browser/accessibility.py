"""What assistive technology would stumble over on a page, as axe finds it."""

from pathlib import Path

import pytest

ALWAYS = {"preload": False, "resultTypes": ["violations"]}
RULES = {  # a page is one in both schemes but for its colours
    "light": ALWAYS | {"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "best-practice"]},
    "dark": ALWAYS | {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}},
}


def axe(page, *schemes: str) -> list[tuple[str, list[str]]]:
    """What the rules of these schemes find, of both where none is named: each finding with three of its places."""
    missing = "axe-playwright-python is not installed: pip install -e .[dev]"
    package = pytest.importorskip("axe_playwright_python", reason=missing)
    page.add_script_tag(path=str(Path(package.__file__).parent / "axe.min.js"))
    asked = [RULES[scheme] for scheme in schemes or RULES]
    found = [
        one
        for rules in asked
        for one in page.evaluate("rules => axe.run(document, rules)", rules)["violations"]
    ]
    return [(one["id"], [node["html"][:160] for node in one["nodes"]][:3]) for one in found]
