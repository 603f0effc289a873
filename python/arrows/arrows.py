# SPDX-License-Identifier: MIT
# arrows.py -- checks which folder uses which, by the table of docs/architecture.md, and draws it
#
#     tools/arrows            prints each include that the table does not allow as FILE:LINE: "NAME"
#     tools/arrows --svg      prints docs/architecture.svg
#
# A row of the table has a folder, or several, and in its last column the folders that it may use; it
# may also use what these may. A file in that column stands for this file alone. A folder below lib,
# gpu, conformance or tools with sources needs a row, and so does each folder at the top. Tests may
# use everything, and only tests use them.
import itertools
import os
import re
import sys
import textwrap

PAGE = 'docs/architecture.md'
AREAS = ('lib', 'gpu', 'conformance', 'tools')
ROOTS = ('lib/include', 'lib/core', 'lib/src', 'lib', 'conformance', 'gpu', 'conformance/proof',
         'tools/softfp8', 'tools/bench')
SOURCE = re.compile(r'\.(c|h|cu|cuh|cpp|inc)$')
INCLUDE = re.compile(r'\s*#\s*include\s*(["<]([^">]+)[">])')

if sys.argv[1:] in (['--help'], ['-h']):
    with open(__file__, encoding='utf-8') as own_text:
        for own_line in itertools.takewhile(lambda one: one[0] == '#', itertools.islice(own_text, 1, None)):
            print(own_line[2:].rstrip().replace('arrows.py', 'arrows'))
    sys.exit()

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..'))
wrong = []
circles = set()


def breach(place, why):
    wrong.append(f'{place}    <- {why}')


def read_table():
    """The text and the uses of each folder, with the line of the row."""
    rows = {}
    inside = False
    with open(PAGE, encoding='utf-8') as page:
        for number, line in enumerate(page, 1):
            cells = [cell.strip() for cell in line.strip().strip('|').split('|')]
            if not line.startswith('|') or len(cells) != 3:
                inside = False
            elif cells[0] == 'folder':
                inside = True
            elif inside and '---' not in cells[0]:
                uses = [name.rstrip('/') for name in re.findall(r'`([^`]+)`', cells[2])]
                for folder in re.findall(r'`([^`]+)`', cells[0]):
                    rows[folder.rstrip('/')] = (cells[1], uses, number)
                for name in list(uses) + re.findall(r'`([^`]+)`', cells[0]):
                    if not os.path.exists(name):
                        breach(f'{PAGE}:{number}: {name}', 'the row names what does not exist')
    return rows


def closure(rows, folder, path=()):
    """All that a folder may use, itself too."""
    own = folder if folder in rows else os.path.dirname(folder)
    if own in path:
        circle = path[path.index(own):]
        if own == min(circle):
            circles.add(circle)
        return {folder}
    found = {folder}
    for name in rows[own][1] if own in rows else ():
        found |= closure(rows, name, path + (own,))
    return found


def sources():
    for area in AREAS:
        for folder, folders, files in os.walk(area):
            folders[:] = [name for name in folders if name not in ('__pycache__', '.git')]
            for name in files:
                if SOURCE.search(name):
                    yield f'{folder}/{name}'


def is_test(file):
    return '/tests/' in file


def folder_of(file, rows):
    """The longest row that has the file; or None."""
    folder = os.path.dirname(file)
    while folder and folder not in rows:
        folder = os.path.dirname(folder)
    return folder or None


def includes(file, files):
    """The lines of the includes of the project's files: number, text, file."""
    own = [root for root in ROOTS if file.startswith(root + '/')]
    with open(file, encoding='utf-8', errors='replace') as text:
        for number, line in enumerate(text, 1):
            match = INCLUDE.match(line)
            if not match or (match[1][0] == '<' and not match[2].startswith('softfp8')):
                continue
            for root in [os.path.dirname(file), *reversed(own), *ROOTS]:
                name = os.path.normpath(os.path.join(root, match[2]))
                if name in files:
                    yield number, match[1], name
                    break


def check(rows):
    """The arrows between folders that the table allows."""
    files = set(sources())
    arrows = set()
    used = set()
    may = {folder: closure(rows, folder) for folder in rows}
    for file in sorted(files):
        folder = folder_of(file, rows)
        if folder is None:
            breach(file + ':1', f'its folder has no row in {PAGE}')
            continue
        for number, text, name in includes(file, files):
            target = folder_of(name, rows)
            place = f'{file}:{number}: {text}'
            if is_test(file):
                if target == 'lib/src' and not file.startswith('lib/'):
                    breach(place, 'only lib and its tests use lib/src')
            elif is_test(name):
                breach(place, 'only tests use tests')
            elif target not in (None, folder):
                used |= {(folder, target), (folder, name)}
                if target in may[folder] or name in may[folder]:
                    arrows.add((folder, target))
                else:
                    breach(place, f'by {PAGE} {folder} may not use {target}')
    for circle in sorted(circles):
        breach(f'{PAGE}:{rows[circle[0]][2]}: ' + ' -> '.join(circle + circle[:1]),
               'no folder uses a folder that uses it')
    with_sources = {folder_of(file, rows) for file in files if not is_test(file)}
    for folder, (_, uses, number) in rows.items():
        for name in uses if folder in with_sources else ():
            if os.path.exists(name) and (folder, name) not in used:
                breach(f'{PAGE}:{number}: {name}', f'{folder} does not use it')
    for entry in os.scandir('.'):
        if entry.is_dir() and entry.name not in rows and entry.name[0] != '.' and \
                not entry.name.startswith('build') and \
                not any(row.startswith(entry.name + '/') for row in rows):
            breach(entry.name + '/', f'it has no row in {PAGE}')
    return arrows


# ---- the picture

WIDE, HIGH, GAP, DEEP = 196, 76, 16, 50


def reduced(arrows):
    """Without the arrows that others imply."""
    reach = {}

    def behind(folder):
        if folder not in reach:
            reach[folder] = set()
            for a, b in arrows:
                if a == folder:
                    reach[folder] |= {b} | behind(b)
        return reach[folder]

    return {(a, b) for a, b in arrows
            if not any(a == c and d != b and b in behind(d) for c, d in arrows)}


def levels(arrows):
    """The folders by height: what uses nothing is 0."""
    height = {}

    def of(folder):
        if folder not in height:
            height[folder] = 1 + max((of(b) for a, b in arrows if a == folder), default=-1)
        return height[folder]

    for a, b in arrows:
        of(a), of(b)
    rows = [[] for _ in range(max(height.values()) + 1)]
    for folder in sorted(height):
        rows[height[folder]].append(folder)
    # those that are used stand below their users
    for level, row in enumerate(rows[1:], 1):
        place = {name: i / len(low) for low in rows[:level] for i, name in enumerate(low)}
        row.sort(key=lambda name: (sum(place[b] for a, b in arrows if a == name) /
                                   sum(1 for a, _ in arrows if a == name), name))
    return rows[::-1]


def box(name, text, x, y):
    plain = re.sub(r'\[([^]]*)\]\([^)]*\)|`', lambda m: m[1] or '', text).split(';')[0]
    lines = textwrap.wrap(plain, 30, max_lines=3, placeholder=' ...')
    yield f'  <rect class="box {name.split("/")[0]}" x="{x}" y="{y}" width="{WIDE}" height="{HIGH}" rx="6"/>'
    yield f'  <text class="name" x="{x + 8}" y="{y + 20}">{name}</text>'
    for i, line in enumerate(lines):
        line = line.replace('&', '&amp;').replace('<', '&lt;')
        yield f'  <text class="text" x="{x + 8}" y="{y + 37 + 14 * i}">{line}</text>'


def draw(rows, arrows):
    arrows = reduced(arrows)
    rank = levels(arrows)
    most = max(len(row) for row in rank)
    width = most * (WIDE + GAP) + GAP
    place = {}
    for y, row in enumerate(rank):
        left = (width - len(row) * (WIDE + GAP) + GAP) // 2
        for x, name in enumerate(row):
            place[name] = (left + x * (WIDE + GAP), GAP + y * (HIGH + DEEP))
    high = GAP + len(rank) * (HIGH + DEEP) - DEEP + GAP
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {high}" role="img" aria-labelledby="title" font-family="Helvetica, Arial, sans-serif">'
    yield '''  <!-- SPDX-License-Identifier: MIT -->
  <!-- architecture.svg: which folder uses which; made by tools/arrows -->
  <title id="title">The folders of softfp8 and which one uses which</title>
  <style>
    .box { stroke: #57606a; stroke-width: 1.2 }
    .lib { fill: #ddf4ff } .conformance { fill: #dafbe1 } .gpu { fill: #fff1c9 } .tools { fill: #f1e6ff }
    .name { font-size: 12px; font-weight: bold; fill: #1f2328 }
    .text { font-size: 11px; fill: #1f2328 }
    .arrow { stroke: #57606a; stroke-width: 1.4; fill: none; marker-end: url(#head) }
    .tip { fill: #57606a }
    @media (prefers-color-scheme: dark) {
      .box, .arrow { stroke: #9ea7b3 }
      .lib { fill: #0c2d4d } .conformance { fill: #0f3620 } .gpu { fill: #4a3a08 } .tools { fill: #34214f }
      .name, .text { fill: #f0f3f6 }
      .tip { fill: #9ea7b3 }
    }
  </style>
  <defs>
    <marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">
      <path class="tip" d="M0 0 L10 5 L0 10 z"/>
    </marker>
  </defs>'''
    for a, b in sorted(arrows):
        (ax, ay), (bx, by) = place[a], place[b]
        ax, ay, bx, by = ax + WIDE // 2, ay + HIGH, bx + WIDE // 2, by
        yield f'  <path class="arrow" d="M{ax} {ay} C{ax} {ay + DEEP} {bx} {by - DEEP} {bx} {by}"/>'
    for name in itertools.chain(*rank):
        yield from box(name, rows[name][0], *place[name])
    yield '</svg>'


table = read_table()
allowed = check(table)
picture = '' if circles else '\n'.join(draw(table, allowed)) + '\n'
if sys.argv[1:] == ['--svg']:
    print(picture, end='')
    sys.exit(0)
with open('docs/architecture.svg', encoding='utf-8') as old:
    if not circles and old.read() != picture:
        breach('docs/architecture.svg:1', 'not current: tools/arrows --svg makes it')
print('\n'.join(wrong), end='\n' if wrong else '')
sys.exit(bool(wrong))
