"""Draws site/overrides/assets/preview.png, the picture of a shared link: name, one sentence, and the forest plot of a real
board from its committed rows. Needs Chromium and playwright:

    python scripts/preview.py [BOARD]
"""

import shutil
import sys
from html import escape
from pathlib import Path

from playwright.sync_api import sync_playwright

from truerate.results.board import RealBoard
from truerate.results.figures import CARD, forest
from truerate.results.pages import who_leads
from truerate.results.read import read_board

ROOT = Path(__file__).parents[1]
OUT = ROOT / "site/overrides/assets/preview.png"
WIDTH, HEIGHT, N_LINES = 1200, 630, 20
PAPER, INK, MUTED, LINE, ACCENT, TOP = "#fcfbf8", "#1c2130", "#565d6e", "#dedbd1", "#0b5a8f", "#e6efec"
STYLE = f"""
body {{ margin: 0; width: {WIDTH}px; height: {HEIGHT}px; background: {PAPER}; color: {INK}; position: relative;
  font-family: 'Segoe UI', Roboto, 'Noto Sans', sans-serif; overflow: hidden; }}
.left {{ position: absolute; left: 64px; top: 66px; width: 390px; }}
.left img {{ width: 74px; display: block; margin-bottom: 26px; }}
h1 {{ font: 700 66px/1 Palatino, 'Noto Serif', Georgia, serif; letter-spacing: -1.4px; margin: 0 0 22px; }}
p {{ font-size: 27px; line-height: 1.36; margin: 0; }}
.below {{ position: absolute; left: 64px; bottom: 50px; width: 400px; color: {MUTED}; font-size: 19px; }}
.right {{ position: absolute; right: 44px; top: 50px; width: 664px; height: 530px; background: #fff;
  border: 1px solid {LINE}; border-radius: 8px; box-sizing: border-box; padding: 16px 22px; }}
.right b {{ display: block; margin-bottom: 8px; font: 700 22px Palatino, 'Noto Serif', Georgia, serif; }}
text {{ font-size: 12px; fill: {INK}; }}
.muted {{ fill: {MUTED}; }}
.end {{ text-anchor: end; }}
"""


def drawn(board: RealBoard) -> str:
    """The board's first lines as an SVG."""
    made = forest(board, board.models[:N_LINES], CARD)
    unit = ", %" if board.headline.unit == "share" else ""
    parts = [
        f'<text class="muted" x="{made["start"] + 6}" y="11">{escape(board.headline.label)}{unit}</text>'
        f'<text class="end muted" x="{made["rank_at"]}" y="11">rank</text>'
    ]
    parts += [
        f'<rect x="0" y="{row["top"]}" width="{made["width"]}" height="{made["row"]}" fill="{TOP}"/>'
        for row in made["rows"]
        if row["is_top"]
    ]
    parts += [
        f'<line x1="{x}" x2="{x}" y1="{made["head"]}" y2="{made["floor"]}" stroke="{LINE}"/>'
        f'<text class="muted" x="{x}" y="{made["floor"] + 15}" text-anchor="middle">{text}</text>'
        for x, text in made["ticks"]
    ]
    for row in made["rows"]:
        middle = row["middle"]
        parts += [
            f'<text x="4" y="{middle + 4}">{escape(row["name"])}</text>',
            f'<line x1="{row["low"]}" x2="{row["high"]}" y1="{middle}" y2="{middle}" stroke="{ACCENT}" '
            'stroke-opacity=".6" stroke-width="3" stroke-linecap="round"/>',
            f'<circle cx="{row["at"]}" cy="{middle}" r="3.8" fill="{ACCENT}"/>',
            f'<text class="end" x="{made["value_at"]}" y="{middle + 4}" font-weight="700">{row["value"]}</text>',
            f'<text class="end muted" x="{made["rank_at"]}" y="{middle + 4}">{row["score"].rank}</text>',
        ]
    size = f'viewBox="0 0 {made["width"]} {made["height"]}" width="100%"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{"".join(parts)}</svg>'


def page(board: RealBoard) -> str:
    """The whole picture as HTML."""
    first = who_leads(board)
    note = " The judge’s own error is unknown." if board.is_judged and not board.card["labelled_by"] else ""
    logo = (ROOT / "site/assets/logo.svg").as_uri()
    return f"""<!doctype html><meta charset="utf-8"><style>{STYLE}</style>
<div class="left"><img src="{logo}" alt=""><h1>truerate</h1>
<p>How often do language models make things up? Rates with intervals, ranks as ranges, and the rows behind them.</p></div>
<div class="below">{escape(first)}{note}</div>
<div class="right"><b>{escape(str(board.card["title"]))}</b>{drawn(board)}</div>"""


def main(name: str) -> None:
    """Draw the picture of a committed board."""
    html = OUT.with_suffix(".html")
    OUT.parent.mkdir(parents=True, exist_ok=True)
    html.write_text(page(read_board(ROOT / "results" / name)), "utf-8")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        view = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        view.goto(html.as_uri())
        view.screenshot(path=OUT)
        browser.close()
    html.unlink()


if __name__ == "__main__":
    main(*(sys.argv[1:] or ["faithjudge"]))
