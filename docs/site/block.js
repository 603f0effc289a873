// SPDX-License-Identifier: MIT
// block.js -- the view of blocks that share a scale: their codes and errors, by two recipes
'use strict';

(() => {
    const {ask, askJson, valuesOf, element, table, terminal, picture, room, section, place, words, number, decimal, set} = explorer;
    const SHOWN = 64; // values of a file; they are a part of the link

    // Elements, amax and scale of each block, of `softfp8 explain --recipe`.
    function blocksOf(text) {
        return text.trim().split('\n\n').map(block => {
            const line = key => (new RegExp(`^  ${key} +(.*)$`, 'm').exec(block) || ['', ''])[1];
            const [, of, global] = /: (elements? \d+(?: to \d+)?), \w+(?:, g = (.*))?/.exec(block);
            const rows = block.split('\n').filter(row => /^ {5,}\d+  /.test(row) && row.trim().split(/ {2,}/).length > 4);
            return {of, global, amax: line('amax'), scale: line('stored'), elements: rows.map(row => {
                const [at, x, converted, code, value, error, remarks = ''] = row.trim().split(/ {2,}/);
                return {at, x, converted, code, value, error, remarks};
            })};
        });
    }

    async function quantized(state, recipe) {
        const [row] = await askJson(['recipes', recipe, '--json']);
        const argv = ['explain', '--recipe', recipe, ...(row.g_of ? ['--global-scale', state.global] : []),
            ...(state.from === 'f32' ? [] : ['--from', state.from]), '--', ...words(state.values)];
        const {out, err} = await ask(argv);
        if (!out) throw new Error(err.trim());
        const blocks = blocksOf(out), elements = blocks.flatMap(block => block.elements);
        const errors = elements.filter(item => item.error !== '--');
        const worst = errors.reduce((most, item) => Math.abs(item.error) > Math.abs(most.error) ? item : most, errors[0]);
        return {recipe, row, argv, out, blocks, elements, worst};
    }

    // Each value as a line, and what each recipe makes of it as a mark.
    function chart(sides) {
        const values = sides.flatMap(side => side.elements.flatMap(item => [Number(item.x), Number(item.value)])).filter(Number.isFinite);
        const low = Math.min(0, ...values), high = Math.max(0, ...values), count = sides[0].elements.length;
        const width = Math.max(room(), 80 + 16 * count), right = width - 10, x = i => 70 + (right - 70) * (i + .5) / count, y = value => 210 - 190 * (value - low) / (high - low || 1);
        const mark = (side, i, value) => !Number.isFinite(value) ? null : side === 0
            ? element('circle', {cx: x(i) - 3, cy: y(value), r: 4.5, class: 'recipe0'})
            : element('path', {d: `M${x(i) + 4} ${y(value) - 5.5}l5.5 5.5l-5.5 5.5l-5.5 -5.5z`, class: 'recipe1'});
        const every = Math.ceil(24 * count / (right - 70));
        return picture('Values, and what is read back by ' + sides.map(side => side.recipe).join(' and by '), [width, 250], 'chart',
            ...[low, 0, high].filter((value, i, all) => all.indexOf(value) === i).flatMap(value => [
                element('line', {x1: 64, x2: right, y1: y(value), y2: y(value), class: 'grid'}),
                element('text', {x: 58, y: y(value) + 5, class: 'left'}, String(Number(value.toPrecision(4))))]),
            ...sides[0].elements.map((item, i) => element('g', {},
                Number.isFinite(Number(item.x)) ? element('line', {x1: x(i), x2: x(i), y1: y(0), y2: y(Number(item.x))}) : null,
                ...sides.map((side, s) => mark(s, i, Number(side.elements[i].value))),
                i % every === 0 ? element('text', {x: x(i), y: 240}, item.at) : null)));
    }

    function scales(sides) {
        return table('Blocks and their scales', ['recipe', 'elements', 'amax', 'scale', 'global scale'], sides.flatMap(side =>
            side.blocks.map(block => [side.recipe, block.of.replace(/elements? /, ''), block.amax.replace(/^\S+ +/, ''), block.scale, block.global || 'none'])));
    }

    function elements(sides) {
        const error = (side, item) => element('span', {class: item === side.worst && Number(item.error) !== 0 ? 'worst' : false},
            item.error + (item.remarks ? ` (${item.remarks})` : ''));
        const rows = sides[0].elements.map((item, i) => [item.at, item.x, ...sides.flatMap(side => {
            const mine = side.elements[i];
            return [element('span', {class: 'code'}, mine.code), mine.value, error(side, mine)];
        })]);
        return table('The largest error of each recipe is bold',
            ['at', 'value', ...sides.flatMap(side => [`code, ${side.recipe}`, 'read back', 'error'])], rows);
    }

    // Numbers of a text; of a .npy file the command reads the first ones.
    async function take(file) {
        const bytes = new Uint8Array(await file.arrayBuffer());
        if (bytes[0] !== 0x93) return set({values: words(new TextDecoder().decode(bytes)).slice(0, SHOWN).join(' ')});
        const header = new TextDecoder('latin1').decode(bytes.subarray(0, 4096));
        const type = (/'descr': *'([^']*)'/.exec(header) || [])[1], format = {'<f4': 'f32', '<f2': 'f16', '<u2': 'bf16'}[type];
        if (!format) throw new Error(`${file.name}: its type is ${type}; expected <f4, <f2, or <u2 for bf16`);
        const size = format === 'f32' ? 4 : 2;
        const data = bytes.subarray(new DataView(bytes.buffer).getUint16(8, true) + (bytes[6] > 1 ? 12 : 10));
        const codes = Array.from({length: Math.min(SHOWN, Math.floor(data.length / size))}, (_, i) =>
            Array.from(data.subarray(i * size, (i + 1) * size)).reverse().map(byte => byte.toString(16).padStart(2, '0')).join(''));
        return set({from: format, values: (await valuesOf(format, codes)).map(decimal).join(' ')});
    }

    explorer.views.block = {
        title: 'A block',
        purpose: 'Values that share a scale: what a recipe makes of each of them, and what another recipe makes of the same values.',
        fields: [
            {name: 'values', label: 'Values', kind: 'area',
                value: '0.1 -0.4 0.75 1.3 -2.6 3.4 0.02 5.1 -0.9 1.75 2.5 -3.5 0.3 -1.1 0.6 4.9'},
            {name: 'recipe', label: 'Recipe', value: 'nvfp4-te', list: 'recipes'},
            {name: 'other', label: 'Compared with', value: 'mxfp4-floor', list: 'recipes'},
            {name: 'from', label: 'Values are', value: 'f32', choices: ['f32', 'bf16', 'f16']},
            {name: 'global', label: 'Global scale', value: 'auto'},
        ],
        async show(state, into, reveal) {
            const sides = [];
            for (const recipe of [state.recipe, state.other]) if (recipe) sides.push(await quantized(state, recipe));
            const [mine, other] = sides, worst = side => side.worst ? side.worst.error.replace('-', '') : 'none that is a number';
            const differing = other && mine.elements.filter((item, i) => item.value !== other.elements[i].value).length;
            into.append(element('p', {class: 'verdict'}, `${mine.recipe}: largest error ${worst(mine)}` + (other ? `; ${other.recipe}: ${worst(other)}` : ''),
                element('small', {}, sides.map(({recipe, row}) => `${recipe}: ${row.element}, a scale of ${row.scale} for `
                    + (row.block ? `${row.block} elements` : `each ${row.per}`)).join('; ')
                    + (other ? `. ${differing} of ${mine.elements.length} values differ.` : ''))));
            into.append(element('p', {class: 'legend marks'}, ...sides.map((side, s) => element('span', {class: 'recipe' + s}, side.recipe))), chart(sides));
            reveal();
            into.append(section('Scales', scales(sides)), section('Elements', elements(sides)),
                section('A file', place('values', `Numbers as text, or a .npy file: its first ${SHOWN} values`, null, take)),
                terminal(...sides.map(side => [side.argv, side.out])));
        },
    };
})();
