// SPDX-License-Identifier: MIT
// explorer.js -- the frame of the explorer: the command in a worker, the state in the link, forms
//
// A view has a title, fields with what they hold at first, and show(state, into, reveal), which fills a
// part of the page; reveal() shows what is there so far. All that it shows is output of the command:
// no rule of a format is written here.
'use strict';

const explorer = (() => {
    const views = {};
    let worker, shown = 0;
    let questions = []; // for the worker, which answers one at a time
    let asked = null;

    // ---- the command

    function startWorker() {
        const url = URL.createObjectURL(new Blob([softfp8Built.worker], {type: 'text/javascript'}));
        worker = new Worker(url);
        worker.onmessage = ({data}) => {
            const {resolve} = asked;
            asked = null;
            next();
            resolve(data);
        };
        worker.postMessage({module: softfp8Built.module});
    }

    function next() {
        if (asked || !questions.length) return;
        asked = questions.shift();
        worker.postMessage(asked.message);
    }

    // ask(['explain', ...]) -> {status, out, err}. A question of the page, and not of a view, `stays`
    // when another view is drawn; what a view asked before has no answer then.
    function ask(argv, files = {}, stdin = '', stays = false) {
        return new Promise(resolve => {
            questions.push({resolve, stays, message: {argv, files, stdin}});
            next();
        });
    }

    async function askJson(argv, files, stdin) {
        const answer = await ask(argv, files, stdin);
        if (!answer.out) throw new Error(answer.err.trim());
        return JSON.parse(answer.out);
    }

    // Text and JSON of one run over a file.
    async function report(argv, {name, bytes}) {
        const answer = await ask([...argv, '--json', 'report.json', name], {[name]: bytes}), json = answer.files['/report.json'];
        if (!json) throw new Error(answer.err.trim());
        return {argv: [...argv, name], out: answer.out, json: JSON.parse(new TextDecoder().decode(json))};
    }

    // The value of each code, as the command writes it.
    async function valuesOf(format, codes) {
        const {out, err} = await ask(['convert', '--from', format, '--to', 'f64', '--show'], {}, codes.join('\n') + '\n');
        const lines = out.trim().split('\n').map(line => line.split(' ').pop());
        if (lines.length !== codes.length) throw new Error(err.trim());
        return lines;
    }

    // [{code, value, kind}] of all codes, as `softfp8 table --csv` writes them.
    async function codesOf(format) {
        const {out, err} = await ask(['table', format, '--csv']);
        if (!out) throw new Error(err.trim());
        return out.trim().split('\n').slice(1).map(line => {
            const [code, value, kind] = line.split(',');
            return {code: code.slice(2), value, kind};
        });
    }

    // ---- elements

    // element('p', {class: 'x'}, 'text', child...)
    function element(name, attributes = {}, ...children) {
        const svg = ['svg', 'g', 'path', 'line', 'text', 'circle', 'rect', 'title'].includes(name);
        const made = svg ? document.createElementNS('http://www.w3.org/2000/svg', name) : document.createElement(name);
        for (const [key, value] of Object.entries(attributes)) {
            if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
            else if (value !== false && value !== undefined) made.setAttribute(key, value === true ? '' : value);
        }
        made.append(...children.filter(child => child !== null && child !== undefined));
        return made;
    }

    function table(caption, head, rows) {
        const line = (cells, kind) => element('tr', {}, ...cells.map(cell => element(kind, kind === 'th' ? {scope: 'col'} : {}, cell)));
        return element('div', {class: 'wide', tabindex: 0, role: 'region', 'aria-label': caption},
            element('table', {}, element('caption', {}, caption), element('thead', {}, line(head, 'th')),
                element('tbody', {}, ...rows.map(row => line(row, 'td')))));
    }

    // What is between blanks and commas.
    const words = text => text.split(/[\s,;]+/).filter(word => word);

    const quoted = word => /^[\w./:=+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

    const section = (title, ...children) => element('section', {}, element('h2', {}, title), ...children);

    // The same questions in a terminal: [arguments, output] each.
    function terminal(...commands) {
        return section('In a terminal', element('pre', {tabindex: 0}, ...commands.flatMap(([argv, text]) =>
            [element('b', {}, '$ softfp8 ' + argv.map(quoted).join(' ')), '\n' + text])));
    }

    // A picture of a width in pixels, so that its text keeps its size; a wider one can be scrolled.
    function picture(label, [width, height], kind, ...children) {
        return element('div', {class: 'wide', tabindex: 0, role: 'region', 'aria-label': label},
            element('svg', {viewBox: `0 0 ${width} ${height}`, style: `width: ${width}px`, class: kind, role: 'img', 'aria-label': label}, ...children));
    }

    // The width that a picture may have.
    const room = () => Math.max(300, Math.min(960, document.querySelector('main').clientWidth));

    // ---- numbers, to draw them: 0x1.8p+3 -> 12

    function number(text) {
        const parts = /^([+-]?)0x([0-9a-f]+)(?:\.([0-9a-f]*))?p([+-]?\d+)$/i.exec(text);
        if (!parts) return text === 'inf' ? Infinity : text === '-inf' ? -Infinity : Number(text);
        const digits = parts[2] + (parts[3] || '');
        const size = parseInt(digits, 16) * 2 ** (Number(parts[4]) - 4 * (parts[3] || '').length);
        return parts[1] === '-' ? -size : size;
    }

    const decimal = text => {
        const value = number(text);
        return Number.isNaN(value) ? text : Object.is(value, -0) ? '-0' : String(value).replace('e+', 'e');
    };

    // ---- the state: #view?field=value&...

    function read() {
        const [name, query = ''] = location.hash.slice(1).split('?');
        const view = views[name] ? name : Object.keys(views)[0];
        const state = {};
        for (const field of views[view].fields) state[field.name] = field.value;
        for (const [key, value] of new URLSearchParams(query)) if (key in state) state[key] = value;
        for (const {name, value, choices} of views[view].fields)
            if (choices && !choices.some(choice => [choice].flat()[0] === state[name])) state[name] = value;
        return {view, state};
    }

    // The link of a view in a state; what is not said in it has its first value.
    function link(view, state) {
        const fields = views[view].fields.filter(field => state[field.name] !== undefined && state[field.name] !== field.value);
        const query = new URLSearchParams(fields.map(field => [field.name, state[field.name]]));
        return '#' + view + (fields.length ? '?' + query : '');
    }

    function set(changes, silently = false) {
        const {view, state} = read(), to = link(view, {...state, ...changes});
        if (!silently) location.hash = to;
        else {
            history.replaceState(null, '', to);
            draw();
        }
    }

    // ---- the page

    // A field: one line, several lines in which Enter ends, or a choice: of values, or of [value, text].
    function input(field, state) {
        const id = 'field-' + field.name, change = event => set({[field.name]: event.target.value.trim()});
        const common = {id, name: field.name, autocomplete: 'off', spellcheck: 'false', onchange: change};
        const enter = event => {
            if (event.key !== 'Enter' || event.shiftKey) return;
            event.preventDefault();
            change(event);
        };
        return element('div', {class: 'field ' + (field.kind || (field.slider ? 'sliding' : ''))}, element('label', {for: id}, field.label),
            field.kind === 'area' ? element('textarea', {...common, rows: 2, onkeydown: enter}, state[field.name])
                : field.choices ? element('select', common, ...field.choices.map(choice => [choice].flat()).map(([value, said = value]) => element('option', {value}, said)))
                    : element('input', {...common, list: field.list, value: state[field.name]}),
            field.slider ? slider(field) : null);
    }

    // Moves a value by powers of two. What it passes on the way is not a page to go back to.
    function slider({name, slider: {label, ...range}}) {
        return element('input', {...range, id: 'slider-' + name, type: 'range', 'aria-label': label,
            oninput: event => set({[name]: String(Number((2 ** event.target.value).toPrecision(3)))}, true)});
    }

    function fill(field, value) {
        document.getElementById('field-' + field.name).value = value;
        if (!field.slider) return;
        const moved = document.getElementById('slider-' + field.name);
        moved.setAttribute('aria-valuetext', value);
        if (moved !== document.activeElement && Number(value) > 0) moved.value = Math.log2(Number(value));
    }

    // A file that comes with the page.
    const example = name => Uint8Array.from(atob(softfp8Built.examples[name]), letter => letter.charCodeAt(0));

    // A place for a file: a button, and where one is dropped. What take(file) throws is said there.
    function place(name, label, said, take) {
        const id = 'file-' + name, status = element('span', {role: 'status'}, said || 'or drop a file here');
        const taken = async list => {
            try {
                if (list.length) await take(list[0]);
            } catch (error) {
                status.replaceChildren(element('b', {class: 'error'}, error.message));
            }
        };
        return element('div', {class: 'drop', ondrop: event => taken(event.dataTransfer.files)},
        element('label', {for: id}, label), element('input', {id, type: 'file', 'data-keep': id, onchange: event => taken(event.target.files)}), status);
    }

    async function draw() {
        const turn = ++shown, {view, state} = read(), main = document.querySelector('main');
        document.getElementById('questions').hidden = location.hash.length > 1;
        for (const link of document.querySelectorAll('nav a')) {
            if (link.hash === '#' + view) link.setAttribute('aria-current', 'page');
            else link.removeAttribute('aria-current');
        }
        document.title = views[view].title + ' - softfp8 explorer';
        if (main.dataset.view !== view) {
            main.dataset.view = view;
            main.replaceChildren(element('h1', {class: 'title'}, views[view].title), element('p', {}, views[view].purpose),
                element('form', {onsubmit: event => event.preventDefault()}, ...views[view].fields.map(field => input(field, state))),
                element('div', {id: 'answer', 'aria-busy': 'true'}, element('p', {}, 'Computing ...')));
        }
        for (const field of views[view].fields) fill(field, state[field.name]);
        const answer = document.getElementById('answer'), into = element('div');
        answer.setAttribute('aria-busy', 'true');
        questions = questions.filter(question => question.stays);
        // A first answer is shown as it grows; a later one replaces the one before when it is complete.
        const reveal = () => {
            if (turn !== shown || answer.querySelector('.verdict')) return;
            answer.classList.add('growing');
            answer.replaceChildren(into);
        };
        try {
            await views[view].show(state, into, reveal);
        } catch (error) {
            into.replaceChildren(element('p', {class: 'error', role: 'alert'}, error.message));
        }
        if (turn !== shown) return;
        answer.classList.remove('growing');
        const focused = document.activeElement && document.activeElement.dataset.keep;
        answer.replaceChildren(into);
        answer.setAttribute('aria-busy', 'false');
        document.getElementById('said').textContent = into.querySelector('.verdict, .error')?.textContent || ''; // read aloud
        const again = focused && answer.querySelector(`[data-keep="${CSS.escape(focused)}"]`);
        if (again) again.focus();
    }

    async function fillLists() {
        const lists = {formats: ['formats', '--names'], policies: ['policies', '--names'], recipes: ['recipes', '--names'], units: ['mma', '--list']};
        for (const [id, argv] of Object.entries(lists)) {
            const {out} = await ask(argv, {}, '', true), names = out.split('\n\n')[0].trim().split('\n').map(line => line.split(' ')[0]);
            document.body.append(element('datalist', {id},
                ...[...new Set(names)].filter(name => name !== 'unit').map(value => element('option', {value}))));
        }
    }

    // In the list of views: A matrix unit -> Matrix unit.
    const short = title => title.replace(/^(One|My|A) /, '').replace(/^./, first => first.toUpperCase());

    function start() {
        startWorker();
        for (const [name, view] of Object.entries(views))
            document.querySelector('nav').append(element('a', {href: '#' + name}, short(view.title)));
        addEventListener('hashchange', draw);
        for (const kind of ['dragover', 'drop']) addEventListener(kind, event => event.preventDefault()); // beside a place: no other page
        matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw); // a canvas keeps its colours
        draw();
        fillLists();
    }

    return {views, ask, askJson, report, valuesOf, codesOf, element, table, terminal, picture, room, section, place, words, example, link, number, decimal, set, draw, start};
})();
