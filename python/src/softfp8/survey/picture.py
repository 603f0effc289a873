# SPDX-License-Identifier: MIT
"""picture.py -- the conversions from f32 as an SVG: who follows which policy"""
import html

SOURCE = "f32"
COLUMNS = "e4m3", "e5m2", "e2m1", "e3m2", "e8m0", "e4m3fnuz"
MARKS = {"known": "\u0394 ", "differs": "\u2717 ", "broken": "! "}
LEFT, WIDE, HIGH, TOP = 270, 132, 20, 64
GOLDEN_ANGLE = 137.5
STYLE = """
text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: #1b1f24 }
.cell { font: 11px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace }
.soft { fill: #57606a } .paper { fill: #fff } .title { font-size: 16px; font-weight: 600 }
rect.red { fill: #ffb4ab } rect.known { stroke: #1b1f24; stroke-dasharray: 3 2 }
@media (prefers-color-scheme: dark) {
  text { fill: #e3e7eb } .soft { fill: #9aa5b0 } .paper { fill: #12161a }
  rect.policy { filter: brightness(.42) } rect.known { stroke: #e3e7eb }
}
"""


def _label(cell):
    if cell["status"] == "absent":
        return "absent"
    name = cell.get("policy") or (f"near {cell['nearest']}" if "nearest" in cell else
                                  f"{cell['differ']:,} inputs" if "differ" in cell else "broken")
    return MARKS.get(cell["status"], "") + name


def rows(result):
    """(package, modes, cells by format): modes in which all columns are the same are one row."""
    for package in result["packages"]:
        found = {}
        modes = dict.fromkeys((cell.get("device"), mode) for cell in package["cells"]
                              for mode in cell["modes"])
        for device, mode in modes:
            cells = {cell["to"]: cell for cell in package["cells"] if mode in cell["modes"] and
                     cell["from"] == SOURCE and not cell.get("operation")
                     and cell["to"] in COLUMNS and cell.get("device") == device}
            if any(cell["status"] != "absent" for cell in cells.values()):
                same = device, *sorted((to, _label(cell)) for to, cell in cells.items())
                found.setdefault(same, ([], cells))[0].append(mode)
        for (device, *_), (names, cells) in found.items():
            yield f"{package['package']} {package.get('version', '')}", \
                "; ".join(names) if len(found) > 1 or device else "", cells


def _clipped(text, most):
    return html.escape(text if len(text) <= most else text[:most - 1] + "\u2026")


def svg(result):
    """The picture."""
    table = list(rows(result))
    labels = sorted({cell["policy"] for _, _, cells in table for cell in cells.values()
                     if cell.get("policy")})
    width, height = LEFT + WIDE * len(COLUMNS) + 10, TOP + HIGH * len(table) + 10
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
             f'width="{width}" height="{height}" role="img" aria-label="Who converts f32 how">',
             f"<style>{STYLE}</style>", f'<rect class="paper" width="{width}" height="{height}"/>',
             '<text class="title" x="10" y="24">Who converts f32 how</text>',
             f'<text class="soft" x="{LEFT}" y="24">A colour is a policy. \u0394: differs from '
             f'the policy of the product, for a known reason. {result["date"]}</text>']
    parts += [f'<text class="soft" x="{LEFT + WIDE * i}" y="{TOP - 8}">{to}</text>'
              for i, to in enumerate(COLUMNS)]
    for number, (title, modes, cells) in enumerate(table):
        y = TOP + HIGH * number
        parts.append(f'<text x="10" y="{y + 14}">{_clipped(title, 24)} <tspan class="soft">'
                     f'{_clipped(modes, 42 - min(len(title), 24))}</tspan></text>')
        parts += [_cell(LEFT + WIDE * i, y, cells[to], labels)
                  for i, to in enumerate(COLUMNS) if to in cells]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _cell(x, y, cell, labels):
    policy, status = cell.get("policy"), cell["status"]
    kind = " ".join(filter(None, ["policy" if policy else "", status if status == "known" else "",
                                  "red" if status in ("differs", "broken") else ""]))
    hue = round(labels.index(policy) * GOLDEN_ANGLE) % 360 if policy else 0
    fill = f' fill="hsl({hue} 55% 84%)"' if policy else ' fill="#8884"'
    box = "" if status == "absent" else f'<rect class="{kind}"{fill} x="{x}" y="{y + 1}" ' \
        f'width="{WIDE - 4}" height="{HIGH - 3}" rx="2"/>'
    soft = " soft" if status == "absent" else ""
    return f'{box}<text class="cell{soft}" x="{x + 4}" y="{y + 14}">' \
        f'{_clipped(_label(cell), 18)}</text>'
