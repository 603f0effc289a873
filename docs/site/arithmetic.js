// SPDX-License-Identifier: MIT
// arithmetic.js -- the view of an operation: a map of all pairs of codes, and one pair explained
'use strict';

(() => {
    const {ask, codesOf, element, terminal, section, link, number} = explorer;
    const SIZE = 768, AROUND = 3;
    const NAMES = {add: 'sums', sub: 'differences', mul: 'products', div: 'divisions'};
    const SIGNS = {add: '+', sub: '\u2212', mul: '\u00d7', div: '/'};
    const INVALID = 16, INFINITE = 8, OVERFLOW = 4, UNDERFLOW = 2, INEXACT = 1;

    const isNumber = kind => ['normal', 'subnormal', 'zero'].includes(kind);

    // Results of all pairs in the order of the codes: [{code, flags}].
    async function results(state, policy, ...options) {
        const argv = ['gen', `${state.format}_${state.op}`, '--columns', 'result,flags', '--policy', policy, ...options];
        const {out, err} = await ask(argv);
        if (!out) throw new Error(err.trim());
        return out.trim().split('\n').map(line => line.split(' ')).map(([code, flags]) => ({code: parseInt(code, 16), flags: parseInt(flags, 16)}));
    }

    // Kinds of cells: what it is called, and its class, which has a colour in style.css.
    async function kinds(state, found, codes) {
        if (state.show === 'flags') {
            return found.map(({flags}) => flags & INVALID ? 'invalid' : flags & INFINITE ? 'division by zero' : flags & OVERFLOW ? 'overflow'
                : flags & UNDERFLOW ? 'underflow' : flags & INEXACT ? 'inexact' : 'no flag');
        }
        if (state.show === 'difference') {
            const other = await results(state, state.other);
            return found.map(({code}, i) => code === other[i].code ? 'same' : `differs from ${state.other}`);
        }
        if (state.show === 'result') {
            return found.map(({code}) => !isNumber(codes[code].kind) ? codes[code].kind : codes[code].kind === 'zero' ? 'zero'
                : codes[code].value.startsWith('-') ? 'negative' : 'positive');
        }
        const [down, up] = [await results(state, state.policy, '-rmin'), await results(state, state.policy, '-rmax')];
        return found.map(({code, flags}, i) => codes[code].kind === 'nan' ? 'NaN' : flags & OVERFLOW ? 'overflow' : !(flags & INEXACT) ? 'exact'
            : code === down[i].code ? 'rounded down' : code === up[i].code ? 'rounded up' : 'otherwise');
    }

    const classOf = kind => 'kind-' + kind.replace(/ from .*/, '').replaceAll(' ', '-');

    // The colour of each kind, as the style has it in this scheme. Results have one for each place in the order.
    function painter(found, names, rank) {
        const seen = new Map();
        return pair => {
            const kind = names[pair];
            const part = rank && ['negative', 'zero', 'positive'].includes(kind) ? 2 * rank(found[pair].code) - 1 : undefined; // from -1 to 1
            if (part !== undefined) return `hsl(${part < 0 ? 215 : 15} 75% ${85 - 55 * Math.abs(part)}%)`;
            if (!seen.has(kind)) {
                const probe = element('span', {class: classOf(kind)});
                document.body.append(probe);
                seen.set(kind, getComputedStyle(probe).getPropertyValue('--kind'));
                probe.remove();
            }
            return seen.get(kind);
        };
    }

    explorer.views.arithmetic = {
        title: 'Arithmetic',
        purpose: 'All pairs of codes of a format of up to 8 bits: what their sum or product is, and which way it is rounded.',
        fields: [
            {name: 'format', label: 'Format', value: 'e4m3', list: 'formats'},
            {name: 'op', label: 'Operation', value: 'add', choices: Object.keys(NAMES)},
            {name: 'show', label: 'Colours show', value: 'rounding', choices: ['rounding', 'result', 'flags', 'difference']},
            {name: 'policy', label: 'Policy', value: 'ocp', list: 'policies'},
            {name: 'other', label: 'Difference from', value: 'ocp-nosat', list: 'policies'},
            {name: 'a', label: 'First code', value: ''},
            {name: 'b', label: 'Second code', value: ''},
        ],
        async show(state, into, reveal) {
            const codes = await codesOf(state.format);
            if (codes.length > 256) throw new Error(`${state.format} has ${codes.length} codes; the map is for formats of up to 8 bits`);
            const found = await results(state, state.policy), names = await kinds(state, found, codes), count = codes.length;
            // By value; what is no number comes last.
            const order = codes.map((_, code) => code).sort((i, j) => {
                const [x, y] = [number(codes[i].value), number(codes[j].value)];
                return Number.isNaN(x) || Number.isNaN(y) ? Number.isNaN(x) - Number.isNaN(y) || i - j : x - y || j - i;
            });
            const place = new Map(order.map((code, at) => [code, at])), numbers = order.filter(code => isNumber(codes[code].kind));
            const ranks = new Map(numbers.map((code, at) => [code, at / (numbers.length - 1)])), rank = state.show === 'result' && (code => ranks.get(code));
            const pairOf = (row, column) => order[row] * count + order[column];

            const totals = new Map();
            for (const kind of names) totals.set(kind, (totals.get(kind) || 0) + 1);
            const [first] = [...totals].filter(([kind]) => /^(exact|no flag|differs|positive)/.test(kind)).concat([...totals]);
            into.append(element('p', {class: 'verdict'}, `${first[0][0].toUpperCase() + first[0].slice(1)}: ${first[1]} of ${found.length} ${NAMES[state.op]}`,
                element('small', {}, `${state.format}, policy ${state.policy}` + (rank ? '. A larger magnitude has a darker colour.' : ''))));
            into.append(element('p', {class: 'legend marks kinds'}, ...[...totals].sort((a, b) => b[1] - a[1]).map(([kind, total]) =>
                element('span', {class: classOf(kind)}, `${kind}: ${total}`))));

            const canvas = element('canvas', {width: SIZE, height: SIZE, tabindex: 0, role: 'application', 'data-keep': 'map', 'aria-describedby': 'cell',
                'aria-label': `Map of ${found.length} ${NAMES[state.op]}; arrow keys move by one, Page Up and Page Down by 16`});
            const across = element('i', {class: 'across'}), down = element('i', {class: 'down'}), readout = element('p', {id: 'cell', role: 'status', class: 'readout'});
            const around = element('div'), explained = element('div');
            const end = at => codes[numbers.at(at)].value;
            into.append(element('div', {class: 'mapped'}, element('div', {},
                element('div', {class: 'canvas'}, canvas, across, down),
                element('p', {class: 'quiet'}, `From top to bottom the first operand, from left to right the second: ${end(0)} to ${end(-1)}, then what is no number.`)),
            element('div', {}, readout, around)));

            const paint = canvas.getContext('2d'), cell = SIZE / count;
            const colour = painter(found, names, rank);
            for (let row = 0; row < count; row++) {
                for (let column = 0; column < count; column++) {
                    paint.fillStyle = colour(pairOf(row, column));
                    paint.fillRect(column * cell, row * cell, cell, cell);
                }
            }

            let at = [state.a, state.b].map((text, i) => place.get(parseInt(text, 16)) ?? Math.floor(count * [.7, .64][i]));
            const hex = code => codes[code].code, short = text => text.length > 8 ? String(Number(Number(text).toPrecision(3))) : text;

            function say([row, column]) {
                const pair = pairOf(row, column), {code} = found[pair];
                readout.replaceChildren(element('b', {}, `${codes[order[row]].value} ${SIGNS[state.op]} ${codes[order[column]].value} = ${codes[code].value}`),
                    element('span', {}, `${hex(order[row])}, ${hex(order[column])} give ${hex(code)}: ${names[pair]}`));
            }

            function neighbours() {
                const near = middle => Array.from({length: 2 * AROUND + 1}, (_, i) => middle - AROUND + i).filter(i => i >= 0 && i < count);
                const columns = near(at[1]);
                around.replaceChildren(element('div', {class: 'wide', tabindex: 0, role: 'region', 'aria-label': 'Results around this pair'},
                    element('table', {class: 'around'}, element('caption', {}, 'Results around this pair'),
                        element('thead', {}, element('tr', {}, element('td'), ...columns.map(column => element('th', {scope: 'col'}, short(codes[order[column]].value))))),
                        element('tbody', {}, ...near(at[0]).map(row => element('tr', {}, element('th', {scope: 'row'}, short(codes[order[row]].value)),
                            ...columns.map(column => element('td', {class: classOf(names[pairOf(row, column)]) + (row === at[0] && column === at[1] ? ' chosen' : ''),
                                onclick: () => choose([row, column])}, short(codes[found[pairOf(row, column)].code].value)))))))));
            }

            async function choose(to, told = true) {
                at = to.map(place => Math.max(0, Math.min(count - 1, place)));
                say(at);
                neighbours();
                across.style.top = `${100 * (at[0] + .5) / count}%`;
                down.style.left = `${100 * (at[1] + .5) / count}%`;
                const [a, b] = at.map(place => hex(order[place]));
                [['a', a], ['b', b]].forEach(([name, value]) => { document.getElementById('field-' + name).value = value; });
                if (told) history.replaceState(null, '', link('arithmetic', {...state, a, b}));
                const asked = at, argv = ['explain', `${state.format}_${state.op}`, a, b, '--policy', state.policy], {out, err} = await ask(argv);
                if (asked === at) explained.replaceChildren(terminal([argv, out || err]));
            }

            const under = event => {
                const box = canvas.getBoundingClientRect(), part = (value, low, size) => Math.max(0, Math.min(count - 1, Math.floor((value - low) / size * count)));
                return [part(event.clientY, box.top, box.height), part(event.clientX, box.left, box.width)];
            };
            canvas.addEventListener('pointermove', event => say(under(event)));
            canvas.addEventListener('pointerleave', () => say(at));
            canvas.addEventListener('click', event => choose(under(event)));
            canvas.addEventListener('keydown', event => {
                const step = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], PageUp: [-16, 0], PageDown: [16, 0]}[event.key];
                if (!step) return;
                event.preventDefault();
                choose([at[0] + step[0], at[1] + step[1]]);
            });
            into.append(explained);
            await choose(at, false);
        },
    };
})();
