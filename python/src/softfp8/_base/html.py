# SPDX-License-Identifier: MIT
"""html.py -- what a notebook shows of a value: a title, facts, bars, a table"""

from html import escape

BAR = "display:inline-block;width:{width:.2f}%;height:{height:.1f}%;background:currentColor;opacity:.75"


def number(x):
    return f"{x:,}" if isinstance(x, int) else f"{x:.6g}" if isinstance(x, float) else str(x)


def card(title, facts, *more):
    """A title, pairs of a name and a value, and pieces of HTML."""
    rows = "".join(f"<tr><th scope='row' style='text-align:left'>{escape(name)}</th>"
                   f"<td style='text-align:left'>{escape(number(value))}</td></tr>"
                   for name, value in facts if value is not None)
    return f"<div><p><b>{escape(title)}</b></p><table>{rows}</table>{''.join(more)}</div>"


def bars(label, counts, ends):
    """How often each of some things occurs; what is at both ends."""
    most = max(max(counts), 1)
    all_bars = "".join(f"<span title='{count}' style='{BAR.format(width=100 / len(counts), height=100 * count / most)}'></span>"
                       for count in counts)
    return (f"<figure style='margin:1em 0'><figcaption>{escape(label)}</figcaption>"
            f"<div role='img' aria-label='{escape(label)}' style='height:6em;display:flex;align-items:flex-end'>{all_bars}</div>"
            f"<div style='display:flex;justify-content:space-between'><span>{escape(ends[0])}</span><span>{escape(ends[1])}</span></div></figure>")


def table(head, rows):
    cells = "".join(f"<th scope='col'>{escape(name)}</th>" for name in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(number(x))}</td>" for x in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"
