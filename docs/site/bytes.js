// SPDX-License-Identifier: MIT
// bytes.js -- the view of files: which rules gave these codes, how this layout must be read
'use strict';

(() => {
    const {ask, element, terminal, section, place, draw} = explorer;
    const files = {}; // by the name that the command sees; they live as long as the page

    // A place for a file that the command sees by this name.
    const file = (name, label) => place(name, label, files[name] && `${files[name].length} bytes`, async given => {
        files[name] = new Uint8Array(await given.arrayBuffer());
        draw();
    });

    function verdict(answer) {
        const lines = (answer.out || answer.err).trim().split('\n');
        const line = lines.find(text => !/^(input:| )/.test(text)) || lines[0];
        return element('p', {class: answer.status === 0 ? 'verdict' : 'verdict bad'}, line);
    }

    async function example(state) {
        const {out} = await ask(['gen', `${state.from}_to_${state.to}`, '--steps', '--policy', 'torch-2.12']);
        files.codes = new TextEncoder().encode(out);
        draw();
    }

    async function identify(state, into) {
        const argv = ['identify', '--from', state.from, '--to', state.to, 'codes'];
        const answer = await ask(argv, {codes: files.codes});
        into.append(verdict(answer), terminal([argv, answer.out || answer.err]));
    }

    async function layout(state, into) {
        const argv = ['layout', 'identify', '--codes', 'codes', '--scales', 'scales', '--expected', 'expected',
            ...(state.shape ? ['--shape', state.shape] : [])];
        const answer = await ask(argv, files);
        into.append(verdict(answer), terminal([argv, answer.out || answer.err]));
    }

    explorer.views.bytes = {
        title: 'My bytes',
        purpose: 'Which rules gave these codes? With scales and expected values: how must they be read? Files never leave this machine.',
        fields: [
            {name: 'from', label: 'Inputs were', value: 'f16', list: 'formats'},
            {name: 'to', label: 'Codes are', value: 'e4m3', list: 'formats'},
            {name: 'shape', label: 'Shape, for a layout', value: ''},
        ],
        async show(state, into) {
            const places = section('Files', file('codes', 'Codes'), file('scales', 'Scales'), file('expected', 'Expected values'),
                element('button', {type: 'button', 'data-keep': 'example', onclick: () => example(state)}, 'Try an example'));
            if (files.codes && files.scales && files.expected) await layout(state, into);
            else if (files.codes) await identify(state, into);
            into.append(places);
        },
    };
})();
