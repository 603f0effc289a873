// SPDX-License-Identifier: MIT
// conversion.js -- the view of one conversion: its staircase, two policies and where they differ
'use strict';

(() => {
    const {ask, valuesOf, element, terminal, picture, room, section, number} = explorer;

    // The rows of a step table: the first input of each step, and its code.
    async function stepsOf(state, policy) {
        const argv = ['gen', `${state.from}_to_${state.to}`, '--steps', '--policy', policy];
        const {out, err} = await ask(argv);
        if (!out) throw new Error(err.trim());
        const rows = out.trim().split('\n').filter(line => !line.startsWith('#')).map(line => line.split(' '));
        const merged = rows.filter((row, i) => i === 0 || row[1] !== rows[i - 1][1]);
        const inputs = await valuesOf(state.from, merged.map(row => row[0])), codes = await valuesOf(state.to, merged.map(row => row[1]));
        return {out, steps: merged.map((row, i) => ({x: number(inputs[i]), y: number(codes[i])}))};
    }

    // The part of a staircase between two inputs, as a path.
    function path(steps, low, high, x, y) {
        const sorted = steps.filter(step => !Number.isNaN(step.x)).sort((a, b) => a.x - b.x);
        let drawn = '';
        sorted.forEach((step, i) => {
            const from = Math.max(step.x, low), to = Math.min(i + 1 < sorted.length ? sorted[i + 1].x : Infinity, high);
            if (to < from || !Number.isFinite(step.y)) return;
            drawn += `${drawn ? 'L' : 'M'}${x(from).toFixed(1)} ${y(step.y).toFixed(1)}H${x(to).toFixed(1)}`;
        });
        return drawn;
    }

    function staircase(lists, low, high) {
        const width = room(), right = width - 20, x = value => 70 + (right - 70) * (value - low) / (high - low), y = value => 300 - 270 * (value - low) / (high - low);
        const ticks = Array.from({length: 5}, (_, i) => low + (high - low) * i / 4);
        const name = value => String(Number(value.toPrecision(4)));
        return picture(`Staircase of the conversion from ${low} to ${high}`, [width, 340], 'stairs', ...ticks.flatMap(tick => [
            element('line', {x1: x(tick), x2: x(tick), y1: 30, y2: 300}), element('line', {x1: 70, x2: right, y1: y(tick), y2: y(tick)}),
            element('text', {x: x(tick), y: 325}, name(tick)), element('text', {x: 62, y: y(tick) + 5, class: 'left'}, name(tick))]),
        ...lists.map((steps, i) => element('path', {d: path(steps, low, high, x, y), class: 'policy' + i})));
    }

    explorer.views.conversion = {
        title: 'One conversion',
        purpose: 'The staircase of a conversion: which inputs give which value. Two policies show where products differ.',
        fields: [
            {name: 'from', label: 'From', value: 'f32', list: 'formats'},
            {name: 'to', label: 'To', value: 'e4m3', list: 'formats'},
            {name: 'policy', label: 'Policy', value: 'torch-2.13', list: 'policies'},
            {name: 'other', label: 'Compared with', value: 'torch-2.12', list: 'policies'},
            {name: 'low', label: 'Inputs from', value: '380'},
            {name: 'high', label: 'Inputs to', value: '520'},
        ],
        async show(state, into) {
            const [low, high] = [Number(state.low), Number(state.high)];
            if (!(low < high)) throw new Error(`inputs from ${state.low} to ${state.high}: two numbers, the smaller one first`);
            const names = [state.policy, state.other].filter(name => name);
            const lists = await Promise.all(names.map(name => stepsOf(state, name)));
            const argv = ['identify', '--from', state.from, '--to', state.to, '--product', state.other || state.policy, 'codes.txt'];
            const answer = await ask(argv, {'codes.txt': new TextEncoder().encode(lists[0].out)});
            const [, verdict] = /^product: ([^]*?)\n(?! )/m.exec(answer.out) || [null, answer.err];
            into.append(element('p', {class: 'verdict'}, names.length > 1 ? `${names[0]} against ${names[1]}` : names[0],
                element('small', {}, verdict.replace(/\s+/g, ' '))));
            into.append(section('Staircase', element('p', {class: 'legend'},
                ...names.map((name, i) => element('span', {class: 'policy' + i}, name))),
            staircase(lists.map(list => list.steps), low, high)));
            const written = ['gen', `${state.from}_to_${state.to}`, '--steps', '--policy', state.policy, '-o', 'codes.txt'];
            into.append(terminal([written, ''], [argv, answer.out || answer.err]));
        },
    };
})();
