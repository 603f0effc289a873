// SPDX-License-Identifier: MIT
// run.js -- examples of the pages run in place: the command is the module of the explorer
'use strict';

(() => {
    const root = new URL('../../', document.currentScript.src); // of the site; this file is in pages/_static
    const DATA = 'examples/data/';
    let started, asked;

    // The module comes when the first example is run: it is larger than all pages together.
    function start() {
        started = started || new Promise((resolve, reject) => {
            const script = document.createElement('script');
            script.src = new URL('module.js', root);
            script.onerror = () => reject(new Error('the command is not there'));
            script.onload = () => {
                // eslint-disable-next-line no-undef
                const built = softfp8Built;
                const worker = new Worker(URL.createObjectURL(new Blob([built.worker], {type: 'text/javascript'})));
                worker.onmessage = ({data}) => asked(data);
                worker.postMessage({module: built.module});
                resolve({worker, files: Object.fromEntries(Object.entries(built.examples).map(([name, text]) =>
                    [DATA + name, Uint8Array.from(atob(text), letter => letter.charCodeAt(0))]))});
            };
            document.head.append(script);
        });
        return started;
    }

    // ---- as much of a shell as the examples need

    // The words of a line, operators as {is}. null: there is something that only a shell knows.
    function wordsOf(line) {
        const words = [];
        for (const [piece] of line.matchAll(/2>|[|<>]|(?:'[^']*'|"[^"$`\\]*"|\\.|[^\s'"|<>])+/g)) {
            if (/^(2>|[|<>])$/.test(piece)) words.push({is: piece});
            else if (/[;&()$`*?{}~#!\\]/.test(piece.replace(/'[^']*'|"[^"]*"/g, ''))) return null;
            else words.push(piece.replace(/'([^']*)'|"([^"]*)"/g, (_, one, two) => one ?? two));
        }
        return words;
    }

    // [{argv, from, to, errors}], each reading what the one before it wrote.
    function pipeOf(line) {
        const words = wordsOf(line), pipe = [{argv: []}];
        const PLACES = {'<': 'from', '>': 'to', '2>': 'errors'};
        for (let i = 0; words && i < words.length; i++) {
            const {is} = words[i];
            if (!is) pipe.at(-1).argv.push(words[i]);
            else if (is === '|') pipe.push({argv: []});
            else if (typeof words[i + 1] !== 'string') return null;
            else pipe.at(-1)[PLACES[is]] = words[++i];
        }
        return words && pipe.every(({argv}) => argv[0] === 'softfp8' ? !['conform', 'record'].includes(argv[1]) : programs[argv[0]]?.(argv.slice(1))) ? pipe : null;
    }

    const bytes = text => Uint8Array.from(text, letter => letter.charCodeAt(0));
    const text = data => Array.from(data, byte => String.fromCharCode(byte)).join('');
    const lines = data => text(data).match(/[^\n]*\n|[^\n]+$/g) || [];
    const ESCAPES = {n: '\n', t: '\t', '\\': '\\'};

    // PROGRAM OPTION VALUE [FILE]: of the lines of its input those that are wanted.
    function cutter([option, value, name, ...rest], expected, form, wanted) {
        if (option !== expected || !form.test(value) || rest.length) return undefined;
        return ({stdin, files}) => bytes(wanted(lines(name ? files[name] : stdin), value).join(''));
    }

    // Others that examples use: of arguments they know, a function of files and input; else undefined.
    const programs = {
        head: argv => cutter(argv, '-n', /^\d+$/, (all, n) => all.slice(0, n)),
        tail: argv => cutter(argv, '-n', /^\d+$/, (all, n) => all.slice(-n)),
        cut: argv => cutter(argv, '-c', /^\d+-\d+$/, (all, range) => all.map(line => line.replace('\n', '').slice(range.split('-')[0] - 1, range.split('-')[1]) + '\n')),
        sed: argv => cutter(argv, '-n', /^(\d+(,\d+)?p;?)+$/, (all, which) => all.filter((_, i) => which.match(/\d+(,\d+)?/g).some(range => {
            const [from, to = from] = range.split(',').map(Number);
            return from <= i + 1 && i + 1 <= to;
        }))),
        cat: argv => argv.length && argv.every(name => !name.startsWith('-')) ? ({files}) => bytes(argv.map(name => text(files[name])).join('')) : undefined,
        printf: ([format, ...words]) => format !== undefined && /^(%s|[^%])*$/.test(format) ? () => {
            const plain = format.replace(/\\([0-7]{1,3}|.)/g, (_, c) => /[0-7]/.test(c[0]) ? String.fromCharCode(parseInt(c, 8)) : ESCAPES[c] || c);
            let out = '';
            do out += plain.replace(/%s/g, () => words.shift() ?? ''); while (words.length && format.includes('%s'));
            return bytes(out);
        } : undefined,
    };

    // The commands of a block; null if one cannot be run here.
    function commandsOf(shown) {
        const all = shown.replace(/\\\n(> )?/g, ' ').replace(/\|\n> /g, '| ').split('\n');
        const commands = all.filter(line => line.startsWith('$ ')).map(line => pipeOf(line.slice(2)));
        return commands.length && !all.some(line => line.startsWith('> ')) && !commands.includes(null) ? commands : null;
    }

    // ---- running: files stay for the next example of the page

    let kept;

    async function runPipe(pipe) {
        const {worker, files} = await start();
        kept = kept || {...files};
        let said = '', stdin = new Uint8Array();
        for (const {argv, from, to, errors} of pipe) {
            if (from) stdin = kept[from] || new Uint8Array();
            let out;
            if (argv[0] === 'softfp8') {
                const answer = await new Promise(resolve => {
                    asked = resolve;
                    worker.postMessage({argv: argv.slice(1), files: kept, stdin});
                });
                for (const [name, data] of Object.entries(answer.files)) kept[name.replace(/^\//, '')] = data;
                if (errors) kept[errors] = answer.stderr;
                else said += answer.err;
                out = answer.stdout;
            } else out = programs[argv[0]](argv.slice(1))({files: kept, stdin});
            if (to) kept[to] = out;
            stdin = to ? new Uint8Array() : out;
        }
        return new TextDecoder().decode(stdin) + said;
    }

    const before = []; // what earlier examples of the page do; they run first

    async function run(commands) {
        const mine = before.indexOf(commands);
        for (const other of before.slice(0, mine)) if (!other.done) {
            for (const pipe of other) await runPipe(pipe);
            other.done = true;
        }
        let all = '';
        for (const pipe of commands) all += await runPipe(pipe);
        commands.done = true;
        return all;
    }

    // Files that only a shell makes: an example that reads one of them cannot be run either.
    const lost = new Set();

    function add(block) {
        const shown = block.querySelector('pre').innerText, words = shown.match(/[^\s|<>;'"()]+/g) || [];
        const commands = words.some(word => lost.has(word)) ? null : commandsOf(shown);
        if (!commands) {
            for (const [, name] of shown.matchAll(/(?:2?>|-o|--codes|--scales|--reasons|--keep|cp \S+)\s+([\w.\/-]+)/g)) lost.add(name);
            for (const word of words) if (/\.(npy|bin|txt|json|hex|csv|sv|c|blocks)$/.test(word) && !word.startsWith(DATA)) lost.add(word);
            return;
        }
        before.push(commands);
        const button = document.createElement('button'), answer = document.createElement('pre');
        button.type = 'button';
        button.textContent = 'Run';
        answer.className = 'answer';
        answer.setAttribute('role', 'status');
        answer.hidden = true;
        button.onclick = async () => {
            button.disabled = true;
            answer.hidden = false;
            answer.textContent = 'Computing ...';
            try {
                answer.textContent = await run(commands);
            } catch (error) {
                answer.textContent = error.message;
            }
            button.disabled = false;
        };
        block.classList.add('run');
        block.append(button, answer);
    }

    addEventListener('DOMContentLoaded', () => {
        document.querySelectorAll('.highlight-console').forEach(add);
        const menu = document.querySelector('.sidebar-tree'), links = document.createElement('div');
        links.className = 'elsewhere';
        for (const [name, at] of [['Explorer', 'index.html'], ['C reference', 'reference/index.html']]) {
            const link = document.createElement('a');
            link.href = new URL(at, root);
            link.textContent = name;
            links.append(link);
        }
        if (menu) menu.before(links);
    });
})();
