// SPDX-License-Identifier: MIT
// outputs.js -- the view of two outputs of attention: where they part, and which orders give them
'use strict';

(() => {
    const {ask, element, terminal, picture, room, section, place, example, draw} = explorer;
    const files = {}; // of a, b, q, k, v: {name, bytes}
    const PLACES = [['a', 'One output: .npy'], ['b', 'Another output of the same request'],
        ['q', 'Its queries, if at hand'], ['k', 'Its keys'], ['v', 'Its values']];

    function file([kind, label]) {
        const said = files[kind] ? `${files[kind].name}, ${files[kind].bytes.length} bytes` : files.a || files.b ? '' : 'example';
        return place(kind, label, said, async given => {
            files[kind] = {name: kind + '.npy', bytes: new Uint8Array(await given.arrayBuffer())};
            draw();
        });
    }

    // The example: a row of vLLM's Triton kernel in tiles of 32 keys, as decode has them, and of 16.
    async function examples(orders) {
        const made = Object.fromEntries(['q', 'k', 'v'].map(name => [name + '.npy', example('keys.npy')]));
        const request = ['--q', 'q.npy', '--k', 'k.npy', '--v', 'v.npy'];
        for (const [i, name] of ['a.npy', 'b.npy'].entries()) {
            const {files: out, err} = await ask(['attend', ...request, '--order', orders[i], '-o', name], made);
            if (!out['/' + name]) throw new Error(err.trim());
            made[name] = out['/' + name];
        }
        return [made, request];
    }

    // A field of cells by query and head, darker where more values differ.
    function field({each, values}) {
        const heads = values[0].length, all = room(), most = Math.max(...values.flat());
        const width = (all - 90) / heads, height = Math.max(4, Math.min(20, 320 / values.length));
        const query = i => each > 1 ? `queries ${i * each} to ${i * each + each - 1}` : `query ${i}`;
        return picture(`Values that differ, by query from top to bottom and by head: at most ${most} in a row`,
            [all, 40 + height * values.length], 'field',
            element('text', {x: 84, y: 34 + height / 2, class: 'left'}, query(0).replace(/ to .*/, '')),
            element('text', {x: 84 + width / 2, y: 20}, 'head 0'), heads > 1 ? element('text', {x: 84 + width * (heads - .5), y: 20}, `head ${heads - 1}`) : null,
            ...values.flatMap((row, i) => row.map((count, head) => element('rect', {x: 90 + width * head, y: 28 + height * i,
                width: width * .97, height: height * .92, class: count ? 'above' : 'none', 'fill-opacity': count ? .25 + .75 * count / most : 1},
            element('title', {}, `${query(i)}, head ${head}: ${count} values differ`)))));
    }

    explorer.views.outputs = {
        title: 'Two outputs',
        purpose: 'Two kernels, decode and prefill, or two batches gave different outputs of attention: where do they part? Files never leave this machine.',
        fields: [
            {name: 'keys', label: 'Keys of the request', value: ''},
            {name: 'heads', label: 'Heads, if the files have two dimensions', value: ''},
            {name: 'first', label: 'Order of the first example', value: 'vllm-triton'},
            {name: 'second', label: 'Order of the second example', value: 'vllm-triton tile=16'},
        ],
        async show(state, into) {
            into.append(section('Files', element('div', {class: 'drops'}, ...PLACES.map(file))));
            const given = Object.fromEntries(Object.values(files).map(({name, bytes}) => [name, bytes]));
            const own = ['q', 'k', 'v'].every(name => files[name]) ? ['--q', 'q.npy', '--k', 'k.npy', '--v', 'v.npy'] : [];
            const [all, request] = files.a && files.b ? [given, own] : await examples([state.first, state.second]);
            if (!own.length && request === own && state.keys) request.push('--keys', state.keys);
            if (state.heads) request.push('--heads', state.heads);
            const argv = ['attend', '--same', 'a.npy', 'b.npy', ...request];
            const {out, err, files: written} = await ask([...argv, '--json', 'report.json'], all), json = written['/report.json'];
            if (!json) throw new Error(err.trim());
            const found = JSON.parse(new TextDecoder().decode(json)), [verdict, ...more] = out.trim().split('\n');
            into.prepend(element('p', {class: found.same ? 'verdict' : 'verdict bad'}, verdict, ...more.slice(0, 3).map(line => element('small', {}, line))),
                ...(found.differ ? [section('Where they differ', field(found.differ))] : []));
            into.append(terminal([argv, out]));
        },
    };
})();
