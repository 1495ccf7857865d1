"""HTML by which other pages show a board's figure; addresses are below the site's own, which the page puts before them."""

from html import escape

from truerate.site.safety import plain


def snippets(name: str, title: str, size: tuple[int, int]) -> dict[str, str]:
    """Return an image that leads to the page of a real board, and a frame, by what they are called; `size`: of
    the figure, in pixels.
    """
    page, figure, words = f"real/{name}.html", f"real/{name}.svg", escape(plain(title))
    width, height = size
    return {
        "image": f'<a href="{page}"><img src="{figure}" alt="{words}" width="{width}" height="{height}"></a>',
        "frame": f'<iframe src="{figure}" title="{words}" width="{width}" height="{height}" style="border:0"></iframe>',
    }
