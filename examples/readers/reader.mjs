// SPDX-License-Identifier: MIT
// reader.mjs -- reads JSON vectors, and checks a function with them: node reader.mjs FILE.json
//
// Here the functions are two of our own: from and to e4m3, rounding to nearest even, saturating.
import {readFileSync} from "node:fs";

const view = new DataView(new ArrayBuffer(4));

function decode(code) {
    const sign = code & 0x80 ? -1 : 1, field = code >> 3 & 15, fraction = code & 7;
    if ((code & 0x7f) === 0x7f) return NaN;
    return sign * (field ? (8 + fraction) * 2 ** (field - 10) : fraction * 2 ** -9);
}

function encode(x) {
    const sign = x < 0 || Object.is(x, -0) ? 0x80 : 0, magnitude = Math.abs(x);
    if (Number.isNaN(x)) return 0x7f;
    if (magnitude > 448) return sign | 0x7e;
    let low = 0, high = 0x7e; // the codes of positive numbers ascend
    while (low < high) {
        const middle = low + high + 1 >> 1;
        if (decode(middle) <= magnitude) low = middle;
        else high = middle - 1;
    }
    const up = low < 0x7e ? decode(low + 1) - magnitude : Infinity, down = magnitude - decode(low);
    return sign | (up < down || (up === down && low & 1) ? low + 1 : low);
}

const functions = {
    f32_to_e4m3(a) {
        view.setUint32(0, a);
        return encode(view.getFloat32(0));
    },
    e4m3_to_f32(a) {
        view.setFloat32(0, decode(a));
        return view.getUint32(0);
    },
};

let cases = 0, wrong = 0;
for (const group of JSON.parse(readFileSync(process.argv[2], "utf8")).groups) {
    const call = functions[group.function];
    if (!call || group.policy !== "ocp") continue;
    for (const {id, a, result, why} of group.cases) {
        const found = call(parseInt(a, 16));
        cases++;
        if (found === parseInt(result, 16)) continue;
        wrong++;
        console.log(`${id}: expected ${result}, got ${found.toString(16)}`, why);
    }
}
console.log(`${cases} cases, ${wrong} wrong`);
process.exitCode = wrong || !cases ? 1 : 0;
