// SPDX-License-Identifier: MIT
// bytes.js -- the view of files: which rules gave these codes, how this layout must be read
'use strict';

(() => {
    const {ask, report, element, table, terminal, section, place, example, link, set, draw} = explorer;
    const files = {}; // {name, bytes} by what they are; they live as long as the page

    function file(kind, label) {
        return place(kind, label, files[kind] && `${files[kind].name}, ${files[kind].bytes.length} bytes`, async given => {
            files[kind] = {name: given.name.replace(/[^\w.-]/g, '_'), bytes: new Uint8Array(await given.arrayBuffer())};
            if (location.hash.includes('example=')) set({example: ''});
            else draw();
        });
    }

    // The first line that is no heading, and the lines below it that belong to it.
    function verdict(answer) {
        const lines = (answer.out || answer.err).trim().split('\n');
        const at = Math.max(0, lines.findIndex(text => !/^(input:| )/.test(text)));
        const more = lines.slice(at + 1), end = more.findIndex(text => !text.startsWith(' '));
        return element('p', {class: answer.status === 0 ? 'verdict' : 'verdict bad'}, lines[at],
            ...more.slice(0, Math.max(0, end)).map(text => element('small', {}, text.trim())));
    }

    async function generated(state) {
        const {out} = await ask(['gen', `${state.from}_to_${state.to}`, '--steps', '--policy', 'torch-2.12']);
        return {codes: {name: 'codes.txt', bytes: new TextEncoder().encode(out)}};
    }

    const named = name => ({name, bytes: example(name)});
    const examples = {
        codes: generated,
        layout: () => ({codes: named('codes.bin'), scales: named('scales.bin'), expected: named('weights.npy')}),
        checkpoint: () => ({checkpoint: named('model.safetensors')}),
    };

    async function said(argv, given, into) {
        const answer = await ask(argv, Object.fromEntries(given.map(({name, bytes}) => [name, bytes])));
        into.append(verdict(answer), terminal([argv, answer.out || answer.err]));
    }

    const identify = (state, {codes}, into) => said(['identify', '--from', state.from, '--to', state.to, codes.name], [codes], into);

    const layout = (state, {codes, scales, expected}, into) => said(['layout', 'identify', ...(state.recipe ? ['--recipe', state.recipe] : []),
        ...(state.global ? ['--global-scale', state.global] : []), '--codes', codes.name, '--scales', scales.name, '--expected', expected.name,
        ...(state.shape ? ['--shape', state.shape] : [])], [codes, scales, expected], into);

    async function checkpoint({checkpoint: given}, into) {
        const {argv, out, json} = await report(['checkpoint'], given), {findings, layers} = json;
        into.append(element('p', {class: findings.length ? 'verdict bad' : 'verdict'},
            findings.length ? `${findings[0].name}: ${findings[0].finding}` : 'Nothing is wrong with these tensors',
            ...findings.slice(1).map(({name, finding}) => element('small', {}, `${name}: ${finding}`)),
            element('small', {}, json.schemes.map(({scheme, recipe}) => `${scheme}: recipe ${recipe}`).join('; '))));
        into.append(section('Layers', table('Quantized layers', ['layer', 'recipe', 'shape', 'amax', 'NaN codes', 'scales'],
            layers.map(layer => [layer.name, layer.recipe && element('a', {href: link('block', {recipe: layer.recipe})}, layer.recipe), `${layer.rows} x ${layer.columns}`,
                String(layer.amax), String(layer.nan_codes), `${layer.least_scale} to ${layer.largest_scale}`]))), terminal([argv, out]));
    }

    explorer.views.bytes = {
        title: 'My bytes',
        purpose: 'Which rules gave these codes? With scales and expected values: how must they be read? What is wrong with a checkpoint? '
            + 'Files never leave this machine.',
        fields: [
            {name: 'example', label: 'Example', value: '', choices: [['', 'none: my files'], ['codes', 'codes of a cast'],
                ['layout', 'packed codes and scales'], ['checkpoint', 'a checkpoint']]},
            {name: 'from', label: 'Inputs were', value: 'f16', list: 'formats'},
            {name: 'to', label: 'Codes are', value: 'e4m3', list: 'formats'},
            {name: 'recipe', label: 'Expected recipe', value: '', list: 'recipes'},
            {name: 'global', label: 'Global scale', value: ''},
            {name: 'shape', label: 'Shape, for a layout', value: ''},
        ],
        async show(state, into) {
            const places = section('Files', element('div', {class: 'drops'}, file('codes', 'Codes: inputs and codes as text, or packed'), file('scales', 'Scales'),
                file('expected', 'Expected values'), file('checkpoint', 'A checkpoint: .safetensors or .gguf')));
            const given = state.example ? await examples[state.example](state) : files;
            if (given.checkpoint) await checkpoint(given, into);
            if (given.codes && given.scales && given.expected) await layout(state, given, into);
            else if (given.codes) await identify(state, given, into);
            into.append(places);
        },
    };
})();
