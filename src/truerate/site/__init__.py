"""The static site: rows and cards in, Markdown and data files out."""

from truerate.site.render import render_site, rendered
from truerate.site.tables import Board, Tables

__all__ = ["Board", "Tables", "render_site", "rendered"]
