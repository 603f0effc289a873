# SPDX-License-Identifier: MIT
"""conf.py -- the pages of the repository as a site: tools/site runs Sphinx with it

Sphinx, with MyST for Markdown and the theme Furo, since its search works from the disk too: the index
is a script and not a file to fetch. It checks the links between pages, and a page is light.
"""

import pathlib

from pygments.lexers import CommonLispLexer

HERE = pathlib.Path(__file__).resolve().parent

project = html_title = "softfp8"
extensions = ["myst_parser"]
root_doc = "docs/index"
include_patterns = ["*.md", "docs/**.md", "*/README.md", "*/**/README.md", "vectors/**.md"]
exclude_patterns = ["build/**", "**/node_modules/**", "docs/site/**"]
myst_heading_anchors = 4
html_theme = "furo"
html_static_path = [str(HERE / "run.js"), str(HERE / "run.css")]
html_js_files, html_css_files = ["run.js"], ["run.css"]
html_show_search_summary = html_show_sourcelink = html_show_copyright = html_copy_source = False
html_theme_options = {"navigation_with_keys": True}
pygments_style, pygments_dark_style = "tango", "monokai"

# The menu: all pages, by what they are about.
MENU = {
    "Begin": "/README\n/docs/glossary",
    "Guides": "guides/*",
    "Rules": "spec/*\nspec/*/*",
    "Products": "products\nmuseum\ncompatibility\n/docs/matrix/*",
    "Evidence": "testing\nproofs\ngpu\nbenchmarks\nbenchmarks/*\n/conformance/**",
    "Files": "/vectors/**\n/examples/**\n/python/**",
    "Inside": "architecture\ninternals/*\nadding/*\n/CONTRIBUTING\n/SECURITY\n/CHANGELOG",
}


def add_menu(app, name, source):
    if name == root_doc:
        for caption, pages in MENU.items():
            source[0] += f"\n```{{toctree}}\n:hidden:\n:glob:\n:caption: {caption}\n\n{pages}\n```\n"


def setup(app):
    app.add_lexer("smt", CommonLispLexer)
    app.connect("source-read", add_menu)
