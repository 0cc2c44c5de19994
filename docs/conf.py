"""How the site is built: offline, every page with code in it run, warnings taken for errors."""

from __future__ import annotations

import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from untaken import __version__  # noqa: E402

project = "untaken"
author = "The untaken maintainers"
copyright = author
release = version = __version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
    "sphinx_design",
    "extensions.public_names",
]
exclude_patterns = ["_static", "extensions", "images/draw.py"]
templates_path = ["_templates"]
nitpicky = False
suppress_warnings = ["misc.highlighting_failure"]  # commands of several lines, after a !

# Pages are notebooks in Markdown. They run in a folder of their own, from nothing, every time.
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_cache_path = str(HERE.parent / "out" / "docs-cache")
nb_execution_timeout = 180
nb_output_stderr = "error"
nb_merge_streams = True
nb_execution_show_tb = True
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "attrs_inline"]
myst_heading_anchors = 3

# The kernels of notebooks draw lines, not dots.
_ipython = Path(mkdtemp(prefix="untaken-docs-"))
(_ipython / "profile_default").mkdir()
(_ipython / "profile_default" / "ipython_kernel_config.py").write_text(
    "c.InlineBackend.figure_formats = {'svg'}\n"
    "c.HistoryManager.enabled = False\n"
    "c.IPKernelApp.log_level = 'ERROR'\n"
)
os.environ["IPYTHONDIR"] = str(_ipython)
os.environ["COLUMNS"] = "100"

autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_class_signature = "mixed"
autodoc_inherit_docstrings = False
autosummary_generate = False
default_role = "code"
add_module_names = False
toc_object_entries_show_parents = "hide"

# Formulas are set by MathJax, which lies beside the pages.
_mathjax = Path(str(find_spec("sphinx-mathjax-offline").origin)).parent / "static"
html_static_path = ["_static"]
mathjax_path = "mathjax/tex-chtml.js"
mathjax3_config = {"options": {"enableMenu": False}}

html_theme = "pydata_sphinx_theme"
html_title = "untaken"
html_show_sourcelink = False
html_copy_source = False
html_css_files = ["site.css"]
html_theme_options = {
    "logo": {"text": "untaken"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button"],
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
    "header_links_before_dropdown": 8,
    "show_toc_level": 1,
    "pygments_light_style": "tango",
    "pygments_dark_style": "github-dark",
}
html_sidebars = {"index": [], "start": [], "gallery": [], "design": [], "benchmarks": []}
copybutton_exclude = ".linenos, .gp, .go"


def _skip_what_says_nothing(_app, _what, _name, value, _skip, _options):
    """Fields of named tuples are described by Python itself: as aliases of numbers."""
    return True if (getattr(value, "__doc__", "") or "").startswith("Alias for field") else None


def _place_mathjax(app, exception):
    """Only what pages load: the script, and its fonts."""
    if exception is None and app.builder.format == "html":
        target = Path(app.outdir) / "_static" / "mathjax"
        fonts = Path("output") / "chtml" / "fonts" / "woff-v2"
        shutil.copytree(_mathjax / "mathjax" / fonts, target / fonts, dirs_exist_ok=True)
        shutil.copy(_mathjax / "mathjax" / "tex-chtml.js", target)


def setup(app):
    app.connect("autodoc-skip-member", _skip_what_says_nothing)
    app.connect("build-finished", _place_mathjax)
