// SPDX-License-Identifier: MIT
// mma.js -- the view of a matrix unit: a dot product step by step, with the bits that are cut
'use strict';

(() => {
    const {ask, valuesOf, element, table, terminal, picture, section, words, decimal} = explorer;
    const WIDEST = 48; // columns of bits in a picture

    // The rows of `softfp8 mma --list`: its header says where the columns begin.
    async function units() {
        const lines = (await ask(['mma', '--list'])).out.split('\n'), header = lines[0];
        const [formats, result] = [header.indexOf('operands'), header.indexOf(' out') + 1];
        return lines.slice(1, lines.indexOf('')).map(line => {
            const [out, k] = line.slice(result).split(/ +/);
            return {unit: line.slice(0, formats).trim(), formats: line.slice(formats, result).trim().split(/[ +]/), out, k: Number(k)};
        });
    }

    const fits = (item, state) => item.out === state.result && words(state.in).every(format => item.formats.includes(format));

    const codesOf = async (format, numbers) => {
        const {out, err} = await ask(['convert', '--as-numbers', '--to', format], {}, numbers.join('\n') + '\n');
        if (out.trim().split('\n').length !== numbers.length) throw new Error(err.trim());
        return out.trim().split('\n');
    };

    // What the user typed, as rows of the command: a, b, the scales if there are any, c.
    async function operands(state) {
        const [first, second = first] = words(state.in), numbers = state.as === 'numbers';
        const [zeroA, zeroB] = [(await codesOf(first, ['0']))[0], (await codesOf(second, ['0']))[0]];
        const side = (format, text, zero) => numbers ? codesOf(format, words(text))
            : words(text).join('').match(new RegExp(`.{1,${zero.length}}`, 'g')) || [];
        const [a, b] = [await side(first, state.a, zeroA), await side(second, state.b, zeroB)];
        const c = numbers ? (await codesOf(state.result, [state.c]))[0] : state.c;
        return k => {
            const length = Math.max(1, Math.ceil(Math.max(a.length, b.length) / k)) * k;
            const filled = (codes, zero) => codes.join('') + zero.repeat(length - codes.length);
            return [filled(a, zeroA), filled(b, zeroB), ...words(state.scales), c].join(' ');
        };
    }

    function given(state, {unit, k}, row) {
        return {argv: ['mma', '--unit', unit, '--in', state.in, '--result', state.result, '--explain', 'abc.txt'],
            files: {'abc.txt': new TextEncoder().encode(row(k) + '\n')}};
    }

    // The sums of `softfp8 mma --explain`: terms, and what follows them.
    function sumsOf(text) {
        const sums = [];
        let title = '', rest = [], open = false;
        for (const line of text.split('\n').slice(1)) {
            const term = /^ {2}(c|k \d+-?) +(.*?) +(\S+) +e +(-?\d+) +keeps ([^,]+)(?:, loses (.*))?$/.exec(line);
            const sum = /^ {2}sum +([^,]+), a multiple of 2\^(-?\d+)/.exec(line);
            if (/^ \S/.test(line)) {
                title = open || !title ? line.trim() : `${title}: ${line.trim()}`;
                open = false;
                if (/^ (exact|nearest)/.test(line)) rest.push(line.trim());
            } else if (term || sum) {
                if (!open) sums.push({title, terms: [], after: []});
                open = true;
                const at = sums[sums.length - 1];
                if (term) at.terms.push({of: term[1], codes: term[2], value: term[3], exponent: Number(term[4]), keeps: term[5], loses: term[6]});
                else Object.assign(at, {sum: sum[1], last: Number(sum[2])});
            } else if (line.trim()) sums[sums.length - 1].after.push(line.trim());
        }
        return {sums: sums.filter(sum => sum.terms.some(term => Number(term.value) !== 0)), rest};
    }

    const isSet = (value, place) => Math.floor(Math.abs(value) / 2 ** place) % 2 === 1;
    const highest = value => Math.floor(Math.log2(Math.abs(value)));

    function lowest(value) {
        let place = highest(value);
        for (let left = Math.abs(value); left > 0; place--) {
            if (left >= 2 ** place) left -= 2 ** place;
            if (left === 0) return place;
        }
        return place;
    }

    // Each term under the others, a column for each power of two; what is cut is right of the line.
    function alignment({terms, sum, last}) {
        const rows = [...terms.map(term => ({name: term.of, keeps: Number(term.keeps), loses: Number(term.loses || 0)})),
            {name: 'sum', keeps: Number(sum), loses: 0}];
        const parts = rows.flatMap(row => [row.keeps, row.loses]).filter(value => value !== 0 && Number.isFinite(value));
        if (!parts.length) return null;
        const top = Math.max(...parts.map(highest)), bottom = Math.max(top - WIDEST + 1, Math.min(...parts.map(lowest), Math.max(last, top - WIDEST + 1)));
        const x = place => 70 + 16 * (top - place), width = x(bottom) + 90, y = i => 48 + 26 * i;
        const bits = (value, i, kind) => !value || !Number.isFinite(value) ? [] : Array.from({length: top - bottom + 1}, (_, at) => top - at)
            .filter(place => place <= highest(value) && place >= lowest(value)).flatMap(place => [
                element('rect', {x: x(place), y: y(i) - 16, width: 15, height: 22, class: kind}),
                element('text', {x: x(place) + 7.5, y: y(i), class: kind}, isSet(value, place) ? '1' : '0')]);
        const lost = rows.filter(row => row.loses).length, cut = x(last) + 15.5;
        const places = Array.from({length: top - bottom + 1}, (_, at) => top - at).filter(place => place % 4 === 0);
        return picture(`Aligned bits of ${rows.length - 1} terms; ${lost} of them lose bits below 2^${last}`, [width, y(rows.length) + 4], 'align',
            ...places.map(place => element('text', {x: x(place) + 7.5, y: 22, class: 'quiet'}, `2^${place}`)),
            ...rows.flatMap((row, i) => [element('text', {x: 62, y: y(i), class: 'left'}, (row.keeps || row.loses) < 0 ? `${row.name}  \u2212` : row.name),
                ...bits(row.keeps, i, 'kept'), ...bits(row.loses, i, 'lost')]),
            last >= bottom ? element('line', {x1: cut, x2: cut, y1: 30, y2: y(rows.length) - 14, class: 'cut'}) : null,
            element('line', {x1: 10, x2: width - 80, y1: y(rows.length - 1) - 19.5, y2: y(rows.length - 1) - 19.5}));
    }

    const said = text => text.replace(/^rounded (\S+) /, 'rounded to $1 = ').replace(/^./, first => first.toUpperCase()) + '.';

    function step(sum, i, all) {
        const losing = sum.terms.filter(term => term.loses).length;
        const big = sum.terms.reduce((most, term) => Number(term.value) !== 0 && term.exponent > most ? term.exponent : most, -Infinity);
        return section(all.length > 1 ? `Sum ${i + 1}: ${sum.title}` : 'The sum, step by step', element('ol', {},
            element('li', {}, Number.isFinite(big) ? `Alignment: the largest exponent is ${big}.` : 'Alignment: all terms are zero.'),
            element('li', {}, `Cut: ${losing || 'no'} ${losing === 1 ? 'term loses' : 'terms lose'} bits below 2^${sum.last}.`),
            element('li', {}, `Sum: ${sum.sum}, exactly.`), ...sum.after.map(text => element('li', {}, said(text)))),
        element('p', {class: 'legend marks'}, element('span', {class: 'kept'}, 'kept'), element('span', {class: 'lost'}, 'cut')),
        alignment(sum), table('Terms', ['term', 'codes', 'value', 'exponent', 'keeps', 'loses'],
            sum.terms.map(term => [term.of, term.codes, term.value, String(term.exponent), term.keeps, term.loses || ''])));
    }

    // What each unit of these formats gives.
    async function others(state, list, row) {
        const fit = list.filter(item => fits(item, state));
        const answers = await Promise.all(fit.map(item => {
            const {argv, files} = given(state, item, row);
            return ask(argv, files);
        }));
        const known = fit.map((item, i) => ({unit: item.unit, code: answers[i].out.split('\n')[0]})).filter(item => item.code);
        const values = await valuesOf(state.result, known.map(item => item.code));
        return table('What each unit gives for these operands', ['unit', 'code', 'value'], known.map((item, i) =>
            [item.unit === state.unit ? element('b', {}, item.unit) : item.unit, element('span', {class: 'code'}, item.code), decimal(values[i])]));
    }

    explorer.views.mma = {
        title: 'A matrix unit',
        purpose: 'A dot product as a GPU computes it: terms are aligned to the largest exponent, low bits are cut, the rest is added and rounded once.',
        fields: [
            {name: 'a', label: 'a', value: '1 1.25 1', kind: 'area'},
            {name: 'b', label: 'b', value: '-1 1.875 1', kind: 'area'},
            {name: 'c', label: 'c (accumulator)', value: '1.0002440214157104'},
            {name: 'as', label: 'These are', value: 'numbers', choices: ['numbers', 'codes']},
            {name: 'unit', label: 'Unit', value: 'hopper-qgmma', list: 'units'},
            {name: 'in', label: 'Format of a and b', value: 'e4m3', list: 'formats'},
            {name: 'result', label: 'Result', value: 'f32', choices: ['f32', 'f16']},
            {name: 'scales', label: 'Block scales: sa sb', value: ''},
        ],
        async show(state, into, reveal) {
            const list = await units(), unit = list.find(item => item.unit === state.unit && fits(item, state)) || {unit: state.unit, k: 1};
            const row = await operands(state), {argv, files} = given(state, unit, row);
            const {out, err} = await ask(argv, files);
            if (!out) throw new Error(err.trim());
            const {sums, rest} = sumsOf(out), code = out.split('\n')[0], [value] = await valuesOf(state.result, [code]);
            into.append(element('p', {class: rest.some(line => line.startsWith('nearest')) ? 'verdict bad' : 'verdict'}, `${state.unit} gives ${decimal(value)}`,
                element('small', {}, `code ${code}; ` + rest.map(line => line.replace(/^(\w+) +/, '$1: ')).join('; '))));
            into.append(...sums.map(step));
            reveal();
            into.append(section('Units', await others(state, list, row)),
                terminal([argv, out]));
        },
    };
})();
