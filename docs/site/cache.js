// SPDX-License-Identifier: MIT
// cache.js -- the view of a KV cache: whether a scale is safe for keys or values, and what lies in codes
'use strict';

(() => {
    const {askJson, report, valuesOf, element, table, terminal, picture, room, section, place, example, link, number, decimal, draw} = explorer;
    const files = {}; // 'values' and 'codes': {name, bytes}
    const EXAMPLE = 'keys.npy', SHOWN = 3;

    function file(kind, label) {
        const said = files[kind] ? `${files[kind].name}, ${files[kind].bytes.length} bytes` : kind === 'values' && !files.codes ? `example: ${EXAMPLE}` : '';
        return place(kind, label, said, async given => {
            files[kind] = {name: given.name.replace(/[^\w.-]/g, '_'), bytes: new Uint8Array(await given.arrayBuffer())};
            draw();
        });
    }

    // Bars with a name below some of them. A bar is [count, what it is, class].
    function bars(label, list, ticks) {
        const all = room(), width = (all - 60) / list.length;
        const most = Math.max(1, ...list.map(([count]) => count)), x = i => 50 + width * i;
        return picture(label, [all, 250], 'bars', element('line', {x1: 50, x2: all - 10, y1: 210, y2: 210}),
            element('text', {x: 44, y: 27, class: 'left'}, String(most)), element('text', {x: 44, y: 215, class: 'left'}, '0'),
            ...list.map(([count, what, kind], i) => element('rect', {x: x(i) + width * .06, y: 210 - 190 * count / most, width: width * .88,
                height: 190 * count / most, class: kind}, element('title', {}, `${what}: ${count}`))),
            ...ticks.map(([i, text]) => element('text', {x: x(i), y: 235}, text)));
    }

    // Magnitudes of x / scale by powers of two; what is above the largest number of the format is red.
    async function histogram({of, first_log2: first, counts}, to) {
        const [format] = await askJson(['formats', to, '--json']), largest = number(format.max.value), smallest = number(format.min_normal.value);
        const kind = power => 2 ** power > largest ? 'above' : 2 ** power < smallest ? 'below' : 'inside';
        const list = counts.map((count, i) => [count, `from 2^${first + i}`, kind(first + i)]);
        const every = Math.ceil(list.length / (innerWidth < 600 ? 5 : 12));
        return [element('p', {class: 'legend marks'}, element('span', {class: 'inside'}, `numbers of ${to}`),
            element('span', {class: 'below'}, `below ${smallest}`), element('span', {class: 'above'}, `2^${Math.floor(Math.log2(largest)) + 1} and more; the largest is ${largest}`)),
        bars(`How many magnitudes of ${of} lie from each power of two to the next`, list, list.map((_, i) => [i, `2^${first + i}`]).filter((_, i) => i % every === 0))];
    }

    const where = row => ['token', 'head', 'channel'].filter(axis => row[axis] !== undefined).map(axis => `${axis} ${row[axis]}`).join(', ');

    function worst(caption, rows) {
        return table(caption, ['where', 'SQNR dB', 'amax', 'clipped', 'zeros', 'NaN, Inf'],
            rows.map(row => [where(row), row.sqnr_db, row.amax, row.clipped, row.made_zero, row.wrong].map(String)));
    }

    async function ways(state, rows) {
        const known = rows.filter(row => row.scale), values = known.length ? await valuesOf('f32', known.map(row => row.scale)) : [];
        const scale = row => {
            const text = row.scale ? String(Number(number(values[known.indexOf(row)]).toPrecision(9))) : '', to = row.name.split(',')[0];
            return row.scale && /^e\dm\d/.test(to) ? element('a', {href: link('cache', {...state, to, scale: text})}, text) : text;
        };
        return table('Other ways to store it; a scale can be chosen', ['storage', 'scale', 'SQNR dB', 'median channel', 'clipped', 'zeros', 'made NaN', 'bytes'],
            rows.map(row => [row.name, scale(row), ...[row.sqnr_db, row.median_channel_sqnr_db, row.clipped, row.made_zero, row.made_nan, row.bytes].map(String)]));
    }

    async function doctor(state, given, into, reveal) {
        const {argv, out, json: [json]} = await report(['kv', 'doctor', '--scale', state.scale, '--to', state.to, '--policy', state.policy,
            ...(state.from ? ['--from', state.from] : []), ...(state.shape ? ['--shape', state.shape] : [])], given);
        const configured = json.ways[0];
        into.append(element('p', {class: json.problems ? 'verdict bad' : 'verdict'}, json.problems ? `The scale ${state.scale} is not safe` : `The scale ${state.scale} is safe for these values`,
            element('small', {}, `${json.clipped} of ${json.count} values are clipped, ${json.made_nan} become NaN, ${configured.made_zero} become zero; amax ${json.amax} at ${where(json.amax_at)}; SQNR ${configured.sqnr_db} dB.`),
            element('small', {}, json.advice)));
        into.append(section('Magnitudes', ...await histogram(json.histogram, state.to)));
        reveal();
        into.append(section('Ways to store it', await ways(state, json.ways)),
            section('Channels and tokens', worst('Channels with the lowest SQNR', json.worst_channels), worst('Tokens with the lowest SQNR', json.worst_tokens)));
        return [argv, out];
    }

    function most(counts) {
        const list = Object.entries(counts).sort((a, b) => b[1] - a[1]);
        return list.slice(0, SHOWN).map(([at, count]) => `${at}: ${count}`).join(', ') + (list.length > SHOWN ? `, ${list.length - SHOWN} more` : '') || 'none';
    }

    async function inspect(state, given, into) {
        const {argv, out, json: [json]} = await report(['kv', 'inspect', '--from', state.to, ...(state.shape ? ['--shape', state.shape] : [])], given);
        const values = await valuesOf(state.to, json.each_code.map((_, code) => code.toString(16).padStart(2, '0')));
        const kind = i => !Number.isFinite(number(values[i])) ? 'above' : number(values[i]) === 0 ? 'below' : 'inside';
        into.append(element('p', {class: json.findings.length ? 'verdict bad' : 'verdict'}, json.findings[0] || 'Nothing is wrong with these codes',
            ...json.findings.slice(1).map(text => element('small', {}, text)),
            element('small', {}, `${json.codes} codes of ${json.format}: ${json.axes.map(axis => `${axis.length} by ${axis.name}`).join(', ')}`)));
        into.append(section('Codes', element('p', {class: 'legend marks'}, element('span', {class: 'inside'}, 'numbers'),
            element('span', {class: 'below'}, 'zeros'), element('span', {class: 'above'}, 'NaN or infinite')),
        bars('How often each code occurs, from 00 to ff', json.each_code.map((count, i) => [count, `${i.toString(16).padStart(2, '0')} = ${decimal(values[i])}`, kind(i)]),
            [0, 4, 8, 12].map(i => [16 * i + 4, `${i.toString(16)}0`])),
        table('By axis: the index and how many codes', ['axis', 'length', 'NaN', 'infinite', 'largest number', 'zero'],
            json.axes.map(axis => [axis.name, String(axis.length), ...['NaN', 'infinite', 'largest', 'zero'].map(what => most(axis[what]))]))));
        return [argv, out];
    }

    explorer.views.cache = {
        title: 'A cache',
        purpose: 'Is a scale safe for these keys or values? What lies in the codes of a cache? Files never leave this machine.',
        fields: [
            {name: 'scale', label: 'Scale', value: '0.025', slider: {label: 'Scale, as a power of two', min: -12, max: 4, step: 0.0625}},
            {name: 'to', label: 'Codes are', value: 'e4m3', list: 'formats'},
            {name: 'policy', label: 'Policy', value: 'cuda-satfinite', list: 'policies'},
            {name: 'from', label: 'Values are', value: '', choices: [['', 'as in the file'], 'f32', 'bf16', 'f16']},
            {name: 'shape', label: 'Shape of raw data', value: ''},
        ],
        async show(state, into, reveal) {
            const places = section('Files', element('div', {class: 'drops'}, file('values', 'Keys or values: .npy or raw'),
                file('codes', 'Codes of a cache: .npy, torch.save or raw')));
            const said = [];
            if (files.codes) said.push(await inspect(state, files.codes, into));
            if (files.values || !files.codes) said.push(await doctor(state, files.values || {name: EXAMPLE, bytes: example(EXAMPLE)}, into, reveal));
            into.append(places, terminal(...said));
        },
    };
})();
