// SPDX-License-Identifier: MIT
// format.js -- the view of one format: its facts, a map of its codes, another format beside it
'use strict';

(() => {
    const {ask, askJson, codesOf, element, table, terminal, picture, room, section, number} = explorer;

    const short = value => value.length > 6 ? Number(value).toPrecision(3).replace(/\.?0+(e|$)/, '$1').replace('e+', 'e') : value;

    function map(codes, other) {
        const columns = Math.min(16, codes.length);
        const cells = codes.map((item, i) => {
            const differs = other && (!other[i] || other[i].value !== item.value || other[i].kind !== item.kind);
            const what = `${item.code}: ${item.value}, ${item.kind}` + (differs ? `; ${other[i] ? other[i].value : 'no code'} in the other` : '');
            return element('td', {class: item.kind.replace(/\W/g, '-') + (differs ? ' differs' : ''), title: what},
                element('span', {class: 'code'}, item.code), short(item.value));
        });
        const rows = Array.from({length: codes.length / columns}, (_, r) => element('tr', {}, ...cells.slice(r * columns, (r + 1) * columns)));
        return element('div', {class: 'wide', tabindex: 0, role: 'region', 'aria-label': 'Map of codes'},
            element('table', {class: 'map'}, element('caption', {}, 'Every code and its value' + (other ? '; outlined where the two differ' : '')),
                element('tbody', {}, ...rows)));
    }

    // Ticks at the positive values, a row for each format, by powers of two.
    function ruler(rows) {
        const values = rows.map(([, codes]) => codes.map(item => number(item.value)).filter(value => value > 0 && value < Infinity));
        const all = values.flat(), low = Math.log2(Math.min(...all)), high = Math.log2(Math.max(...all));
        const width = room(), x = value => 20 + (width - 40) * (Math.log2(value) - low) / (high - low || 1);
        return picture('Positive values on a logarithmic line: ' + rows.map(([name]) => name).join(', '),
            [width, 20 + 64 * rows.length], 'ruler', ...rows.flatMap(([name], r) => [
                element('text', {x: 20, y: 24 + 64 * r}, name),
                element('path', {d: values[r].map(value => `M${x(value).toFixed(1)} ${34 + 64 * r}v24`).join('')})]));
    }

    function facts(rows) {
        const shown = value => value && typeof value === 'object' ? `${value.value} (${value.code})` : String(value);
        return table('Numbers are hexadecimal, with their codes', ['', ...rows.map(row => row.name)],
            Object.keys(rows[0]).filter(key => key !== 'name').map(key => [key.replaceAll('_', ' '), ...rows.map(row => shown(row[key]))]));
    }

    explorer.views.format = {
        title: 'One format',
        purpose: 'All codes of a format of up to 8 bits. A format of your own is written by its fields: e=4 m=3 bias=11 nan=top.',
        fields: [
            {name: 'format', label: 'Format', value: 'e4m3', list: 'formats'},
            {name: 'other', label: 'Compared with', value: '', list: 'formats'},
        ],
        async show(state, into) {
            const names = [state.format, state.other].filter(name => name);
            const rows = (await Promise.all(names.map(name => askJson(['formats', name, '--json'])))).flat();
            const small = rows.every(row => row.bits <= 8);
            into.append(element('p', {class: 'verdict'}, names.join(' and '),
                element('small', {}, rows.map(row => `${row.bits} bits, up to ${Number(number(row.max.value))}`).join('; '))));
            if (small) {
                const codes = await Promise.all(names.map(codesOf));
                into.append(section('Codes', map(codes[0], codes[1])), section('Spacing', ruler(names.map((name, i) => [name, codes[i]]))));
            }
            into.append(section('Facts', facts(rows)));
            const argv = ['formats', ...names];
            into.append(terminal([argv, (await ask(argv)).out]));
        },
    };
})();
