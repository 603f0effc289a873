# SPDX-License-Identifier: MIT
"""pages.py -- drives the documentation in Chromium, from the disk: pages.py FOLDER CHROMIUM NATIVE

Each example that a page runs prints what the native command prints; a page is light; its search finds;
nothing is fetched.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from playwright.sync_api import expect, sync_playwright

folder, chromium, native = sys.argv[1:]
ROOT = pathlib.Path(__file__).parents[3]
PAGES = pathlib.Path(folder).resolve() / 'pages'
LEAST = 28  # examples that can be run
failures = examples = 0
expect.set_options(timeout=60000)


def check(what, good):
    global failures
    if not good:
        failures += 1
        print('FAILED:', what)


def check_size(path):
    """A page with all that it loads from its folder."""
    text = path.read_text()
    used = {(path.parent / name).resolve() for name in re.findall(r'(?:src|href)="([^"?#]*\.(?:js|css))', text)}
    size = path.stat().st_size + sum(file.stat().st_size for file in used if file.is_file())
    check(f'{path.name}: {size} bytes', size < 300_000 or path.name == 'search.html')  # which has the index


def answer_of(lines, where):
    """What a shell says, with the native command as softfp8."""
    said = ''
    path = f'{pathlib.Path(native).parent}:{os.environ["PATH"]}'
    for line in lines:
        done = subprocess.run(['sh', '-c', line], capture_output=True, text=True, check=False, cwd=where,
                              env={**os.environ, 'PATH': path})
        said += done.stdout + done.stderr
    return said


def run_examples(page, name, where):
    global examples
    for i in range(page.locator('.run').count()):
        block = page.locator('.run').nth(i)
        shown = block.locator('.highlight pre').inner_text()
        lines = re.sub(r'\\\n(> )?', ' ', shown).replace('|\n> ', '| ').split('\n')
        commands = [line[2:] for line in lines if line.startswith('$ ')]
        block.locator('button').click()
        expect(block.locator('button')).to_be_enabled()
        got = block.locator('.answer').text_content()
        check(f'{name}: {commands}: {got[:200]!r}', got == answer_of(commands, where))
        examples += 1


with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=chromium, args=['--no-sandbox'])
    page = browser.new_page()
    fetched = []
    page.on('request', lambda request: fetched.append(request.url))
    page.on('pageerror', lambda error: check(f'error in {page.url}: {error}', False))
    for path in sorted(PAGES.rglob('*.html')):
        check_size(path)
        if 'highlight-console' in path.read_text():
            page.goto(path.as_uri())
            with tempfile.TemporaryDirectory() as where:
                os.symlink(ROOT / 'examples', f'{where}/examples')
                run_examples(page, str(path.relative_to(PAGES)), where)
    check(f'{examples} examples can be run', examples >= LEAST)
    page.goto((PAGES / 'search.html').as_uri() + '?q=saturates')
    expect(page.locator('#search-results li').first).to_be_visible()
    for width in (1440, 375):
        page.set_viewport_size({'width': width, 'height': 900})
        page.goto((PAGES / 'docs' / 'index.html').as_uri())
        check(f'{width}: wider than the window', not page.evaluate('document.documentElement.scrollWidth > innerWidth'))
    check('nothing is fetched', all(url.startswith(('file:', 'blob:', 'about:', 'data:')) for url in fetched))
    browser.close()

print(f'{examples} examples, {failures} failed')
sys.exit(failures > 0)
