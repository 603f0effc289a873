#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// run.mjs -- the command in WebAssembly with the files of this machine: run.mjs MODULE ARGUMENT...
//
// The tests play their sessions with it. Files are read when the program opens them, and written
// when it has ended.
import fs from 'node:fs';
import {webcrypto} from 'node:crypto';
import {execute, Files, Node} from './wasi.js';

globalThis.crypto ??= webcrypto; // node 18
const FOLDER = 3, FILE = 4, DEVICE = 2, UNKNOWN = 0;

function typeOf(stat) {
    if (stat.isDirectory()) return FOLDER;
    return stat.isFile() ? FILE : stat.isCharacterDevice() ? DEVICE : UNKNOWN;
}

// What is at a path, or nothing: also below what is no folder.
function statOf(path) {
    try {
        return fs.statSync(path, {throwIfNoEntry: false});
    } catch (error) {
        if (error.code === 'ENOTDIR') return undefined;
        throw error;
    }
}

class Disk extends Files {
    find(path) {
        if (this.nodes.has(path)) return this.nodes.get(path);
        const stat = statOf(path);
        if (!stat) return null;
        const type = typeOf(stat), data = type === FILE ? fs.readFileSync(path) : undefined;
        const node = this.make(path, type, data);
        return Object.assign(node, {id: stat.ino, device: stat.dev, time: stat.mtimeMs, changed: false});
    }

    names(folder) {
        const here = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
        const gone = name => this.nodes.get((folder === '/' ? '' : folder) + '/' + name) === null;
        return [...new Set([...super.names(folder), ...here])].filter(name => !gone(name)).sort();
    }

    // Puts on the disk what the program changed.
    keep() {
        for (const [path, node] of this.nodes) {
            if (!node) fs.rmSync(path, {recursive: true, force: true});
            else if (node.type === FOLDER && node.changed) fs.mkdirSync(path, {recursive: true});
        }
        for (const [path, data] of Object.entries(this.changed())) fs.writeFileSync(path, data);
    }
}

class Stream {
    constructor(fd) {
        const stat = fs.fstatSync(fd);
        this.fd = fd;
        this.node = {type: typeOf(stat), id: stat.ino, device: stat.dev, size: stat.size, time: stat.mtimeMs};
    }

    read(size) {
        const part = new Uint8Array(size);
        return part.subarray(0, patient(() => fs.readSync(this.fd, part)));
    }

    write(part) {
        for (let done = 0; done < part.length;)
            done += patient(() => fs.writeSync(this.fd, part, done));
    }
}

// Standard input that is a file can be read twice. Who does not read it leaves it to the next program.
class Input extends Node {
    constructor(stream) {
        super(FILE);
        Object.assign(this, stream.node);
    }

    read(at, size) {
        if (!this.whole) this.whole = this.data = fs.readFileSync(0);
        this.size = this.data.length;
        return super.read(at, size);
    }
}

function input() {
    const stream = new Stream(0);
    return stream.node.type === FILE ? new Input(stream) : stream;
}

// Waits for a pipe that is full or empty. A reader that has seen enough ends the program.
function patient(call) {
    for (;;) {
        try {
            return call();
        } catch (error) {
            if (error.code === 'EOF') return 0;
            if (error.code === 'EPIPE') process.exit(141);
            if (error.code !== 'EAGAIN') throw error;
            Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
        }
    }
}

const [name, ...argv] = process.argv.slice(2);
const files = new Disk();
const status = execute(new WebAssembly.Module(fs.readFileSync(name)), {
    argv: ['softfp8', ...argv], environment: {...process.env, PWD: process.cwd()}, files,
    streams: [input(), new Stream(1), new Stream(2)],
});
files.keep();
process.exitCode = status;
