// SPDX-License-Identifier: MIT
// worker.js -- answers the page: runs the command for each message, in a thread of its own
import {program} from './wasi.js';

let run; // a promise of the command

// The browser decodes and compiles at once: what a page contains is no network.
async function compiled(base64) {
    return program(await WebAssembly.compileStreaming(fetch('data:application/wasm;base64,' + base64)));
}

self.onmessage = async ({data: {module, argv, files, stdin}}) => {
    if (module) {
        run = compiled(module);
        return;
    }
    try {
        const answer = (await run)(argv, files, stdin), text = bytes => new TextDecoder().decode(bytes);
        self.postMessage({out: text(answer.stdout), err: text(answer.stderr), ...answer});
    } catch (error) {
        self.postMessage({status: 134, out: '', err: String(error), files: {}}); // this browser cannot compile it
    }
};
