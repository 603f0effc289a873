// SPDX-License-Identifier: MIT
// worker.js -- answers the page: runs the command for each message, in a thread of its own
import {program} from './wasi.js';

let run; // a promise of the command

async function compiled(base64) {
    const bytes = Uint8Array.from(atob(base64), letter => letter.charCodeAt(0));
    return program(await WebAssembly.compile(bytes));
}

self.onmessage = async ({data: {module, id, argv, files, stdin}}) => {
    if (module) {
        run = compiled(module);
        return;
    }
    const {status, stdout, stderr} = (await run)(argv, files, stdin);
    self.postMessage({id, status, out: new TextDecoder().decode(stdout), err: new TextDecoder().decode(stderr)});
};
