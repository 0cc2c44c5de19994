"""Figure 1 of the paper, drawn by code: the structural causal model of a decision process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from untaken.paper.sections import Panel, Section, Table, table
from untaken.paper.settings import Settings
from untaken.paper.style import BLUE, INK, VERMILION, bare, sheet

NAME = "graph"
RADIUS = 0.26
HEAD = "-|>,head_width=0.27,head_length=0.55"


@dataclass(frozen=True)
class Node:
    """A random variable: endogenous, or noise from outside."""

    name: str
    x: float
    y: float
    noise: bool


NODES = (
    Node("S_t", 0.0, 1.0, False),
    Node("A_t", 1.0, 2.0, False),
    Node("S_{t+1}", 2.0, 1.0, False),
    Node("A_{t+1}", 3.0, 2.0, False),
    Node("S_{t+2}", 4.0, 1.0, False),
    Node("V_t", 1.0, 3.0, True),
    Node("V_{t+1}", 3.0, 3.0, True),
    Node("U_t", 2.0, 0.0, True),
    Node("U_{t+1}", 4.0, 0.0, True),
)
ARROWS = (
    ("S_t", "A_t", True),
    ("V_t", "A_t", True),
    ("S_t", "S_{t+1}", False),
    ("A_t", "S_{t+1}", False),
    ("U_t", "S_{t+1}", False),
    ("S_{t+1}", "A_{t+1}", False),
    ("V_{t+1}", "A_{t+1}", False),
    ("S_{t+1}", "S_{t+2}", False),
    ("A_{t+1}", "S_{t+2}", False),
    ("U_{t+1}", "S_{t+2}", False),
)
"""Cause, effect, and whether the intervention do(A_t = a) cuts it."""


def section(settings: Settings) -> Section:
    """The graph needs nothing computed."""
    del settings
    data = table(("cause", "effect", "cut_by_intervention"), ARROWS)
    caption = (
        "Boxes are states and actions, each a function of its causes; circles are independent "
        "noise. The intervention do(Aₜ = a) cuts the dotted arrows. Observing sₜ, aₜ and sₜ₊₁ "
        "tells something about the noise Uₜ, and a counterfactual is the intervention in the model "
        "with that noise."
    )
    panel = Panel("causal_graph", "The causal model (figure 1)", caption, draw, data)
    return Section(NAME, "The causal model", (), (panel,))


def draw(data: Table) -> Any:
    """The graph, with what an intervention cuts."""
    figure, axes = sheet(2.6, width=4.4)
    ax = axes[0, 0]
    shapes = {node.name: _node(ax, node) for node in NODES}
    for cause, effect, cut in data.rows:
        _arrow(ax, shapes[str(cause)], shapes[str(effect)], bool(cut))
    ax.annotate(r"$do(A_t = a)$", (1.0, 2.0), (-24, 13), textcoords="offset points", ha="right",
                color=VERMILION)  # fmt: skip
    ax.set_xlim(-0.5, 4.5)
    ax.set_ylim(-0.4, 3.4)
    ax.set_aspect("equal")
    bare(ax)
    return figure


def _node(ax: Any, node: Node) -> tuple[Node, Any]:
    """A node and its shape, at whose edge arrows end."""
    from matplotlib.patches import Circle, FancyBboxPatch

    centre, size = (node.x, node.y), 2 * RADIUS
    if node.noise:
        shape: Any = Circle(centre, RADIUS, facecolor="#F7E3D4", edgecolor=VERMILION)
    else:
        corner = (node.x - RADIUS, node.y - RADIUS)
        shape = FancyBboxPatch(
            corner, size, size, boxstyle="round,pad=0.02", facecolor="#DCEBF5", edgecolor=BLUE
        )
    shape.set_linewidth(0.9)
    ax.add_patch(shape)
    ax.text(*centre, f"${node.name}$", ha="center", va="center", fontsize=8, color=INK)
    return node, shape


def _arrow(ax: Any, cause: tuple[Node, Any], effect: tuple[Node, Any], cut: bool) -> None:
    """A line with a head. A dotted line gets a head of its own, whose edge is not dotted."""
    colour = VERMILION if cut else INK
    ends: dict[str, Any] = {"patchA": cause[1], "patchB": effect[1], "shrinkA": 0, "shrinkB": 1}
    start, end = (cause[0].x, cause[0].y), (effect[0].x, effect[0].y)
    if not cut:
        ax.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": colour,
                    "linewidth": 0.9, **ends})  # fmt: skip
        return
    ax.annotate("", end, start, arrowprops={"arrowstyle": "-", "color": colour, "linestyle": ":",
                "linewidth": 1.1, **ends, "shrinkB": 6})  # fmt: skip
    near = end[0] + 0.6 * (start[0] - end[0]), end[1] + 0.6 * (start[1] - end[1])
    ax.annotate("", end, near, arrowprops={"arrowstyle": HEAD, "color": colour,
                "linewidth": 0, **ends, "patchA": None})  # fmt: skip
