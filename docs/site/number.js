// SPDX-License-Identifier: MIT
// number.js -- the view of one number: its code and bits, neighbours, every format, every policy
'use strict';

(() => {
    const {ask, askJson, valuesOf, element, table, terminal, picture, room, section, number, decimal, set} = explorer;

    // The bits of a code as buttons. A click sets the value to that of the code with this bit changed.
    function bits(result, format) {
        const groups = result.fields.split(' '), names = ['sign', 'exponent', 'mantissa'].slice(3 - groups.length);
        let at = groups.join('').length;
        return element('div', {class: 'bits'}, ...groups.map((group, g) => element('div', {role: 'group', 'aria-label': names[g]},
            element('div', {}, ...[...group].map(bit => {
                const place = --at;
                return element('button', {type: 'button', 'data-keep': 'bit' + place, 'aria-label': `bit ${place}: ${bit}`,
                    onclick: () => flip(result.code, place, format)}, bit);
            })), element('span', {'aria-hidden': 'true'}, names[g]))));
    }

    async function flip(code, place, format) {
        const changed = (BigInt('0x' + code) ^ (1n << BigInt(place))).toString(16).padStart(code.length, '0');
        const [value] = await valuesOf(format, [changed]);
        set({value});
    }

    // The value between its neighbours.
    function line(answer) {
        const points = [['below', answer.below], ['midpoint', {value: answer.midpoint}], ['above', answer.above]]
            .filter(([, point]) => point && point.value);
        const at = number(answer.value), all = [at, number(answer.below.value), number(answer.above.value)];
        const low = Math.min(...all), high = Math.max(...all), long = points.concat([['', answer]]).some(([, point]) => decimal(point.value).length > 8);
        const width = long ? 720 : Math.min(720, room()), x = value => 60 + (width - 120) * (value - low) / (high - low);
        return picture(`${decimal(answer.value)}, ${decimal(answer.below.value)} and ${decimal(answer.above.value)}`, [width, 120], 'line',
            element('line', {x1: 20, x2: width - 20, y1: 70, y2: 70}),
            ...points.map(([name, point]) => element('g', {class: name},
                element('line', {x1: x(number(point.value)), x2: x(number(point.value)), y1: 58, y2: 82}),
                element('text', {x: x(number(point.value)), y: 103}, decimal(point.value)),
                point.code ? element('text', {x: x(number(point.value)), y: 48}, point.code) : null)),
            element('circle', {cx: x(at), cy: 70, r: 8}),
            element('text', {x: x(at), y: 22, class: 'value'}, decimal(answer.value)));
    }

    async function everyFormat(state) {
        const names = (await ask(['formats', '--names'])).out.trim().split('\n');
        const answers = await Promise.all(names.map(name => ask(['explain', '--to', name, '--json', '--', state.value])));
        return table('The value in every format, by each format\'s default policy', ['format', 'value', 'code', 'flags', 'bits'],
            answers.flatMap(({out}, i) => {
                if (!out) return [];
                const {result} = JSON.parse(out);
                return [[element('a', {href: `#number?value=${encodeURIComponent(state.value)}&to=${names[i]}`}, names[i]),
                    decimal(result.value), result.code, result.flags.names.join(', '), element('span', {class: 'digits'}, result.fields)]];
            }));
    }

    async function policies(answer) {
        const groups = answer.policies, values = await valuesOf(answer.to, groups.map(group => group.code));
        return table('What each policy gives', ['code', 'value', 'policies'],
            groups.map((group, i) => [group.code, decimal(values[i]), group.names.join(', ')]));
    }

    explorer.views.number = {
        title: 'One number',
        purpose: 'What a value becomes in a small format, which rule decides, and who does otherwise.',
        fields: [
            {name: 'value', label: 'Value', value: '464'},
            {name: 'to', label: 'Format', value: 'e4m3', list: 'formats'},
            {name: 'policy', label: 'Policy or product', value: 'ocp', list: 'policies'},
        ],
        async show(state, into, reveal) {
            const argv = ['explain', '--to', state.to, '--policy', state.policy, '--', state.value];
            const [answer, text] = await Promise.all([askJson(['explain', '--json', ...argv.slice(1)]), ask(argv)]);
            const {result} = answer;
            into.append(element('p', {class: 'verdict'}, `${answer.given} becomes ${decimal(result.value)}`,
                element('small', {}, `code ${result.code} of ${answer.to}, policy ${answer.policy}`)));
            if (answer.rules.length)
                into.append(element('ul', {}, ...answer.rules.map(rule => element('li', {}, rule.text))));
            into.append(bits(result, state.to));
            if (answer.below && answer.above) into.append(section('Neighbours', line(answer)));
            reveal();
            into.append(section('Policies', await policies(answer)));
            into.append(section('Formats', await everyFormat(state)),
                terminal([argv.filter(word => word !== '--' || state.value.startsWith('-')), text.out]));
        },
    };
})();
