// SPDX-License-Identifier: MIT
// wasi.js -- runs the command softfp8 as WebAssembly: the part of WASI that it uses, files in memory
//
//     const run = program(await WebAssembly.compile(bytes));
//     run(['explain', '--to', 'e4m3', '464'])  ->  {status, stdout, stderr, files}
//
// Nothing here belongs to a browser or to node, nothing is fetched, and nothing is kept between runs.

const OK = 0, BADF = 8, EXIST = 20, INVAL = 28, ISDIR = 31, NOENT = 44, NOSPC = 51, NOSYS = 52, NOTDIR = 54, NOTEMPTY = 55;
const DEVICE = 2, FOLDER = 3, FILE = 4; // types of files
const CREATE = 1, MUST_BE_FOLDER = 2, EXCLUSIVE = 4, EMPTY = 8, APPEND = 1;
const ROOT = 3; // the descriptor of "/", after the standard streams

class Exit extends Error {
    constructor(status) {
        super('exit ' + status);
        this.status = status;
    }
}

// "/a/./b/../c" -> "/a/c"
function tidy(path) {
    const parts = [];
    for (const part of path.split('/')) {
        if (part === '..') parts.pop();
        else if (part && part !== '.') parts.push(part);
    }
    return '/' + parts.join('/');
}

const folderOf = path => tidy(path + '/..');

// ---- files --------------------------------------------------------------------------------------

export class Node {
    constructor(type, id, data = new Uint8Array(0)) {
        Object.assign(this, {type, id, data, size: data.length, time: Date.now(), changed: false});
    }

    read(at, size) {
        return this.data.subarray(at, Math.max(at, Math.min(at + size, this.size)));
    }

    write(at, bytes) {
        if (this.type === DEVICE) return;
        const end = at + bytes.length;
        if (end > this.data.length) {
            const grown = new Uint8Array(Math.max(end, 2 * this.data.length));
            grown.set(this.data.subarray(0, this.size));
            this.data = grown;
        }
        this.data.set(bytes, at);
        this.resize(Math.max(end, this.size));
    }

    resize(size) {
        if (size > this.data.length) this.write(size - 1, new Uint8Array(1));
        this.size = size;
        this.time = Date.now();
        this.changed = true;
    }
}

// Files by their paths. run.mjs has a class that looks on the disk for those that are not here.
export class Files {
    constructor(files = {}) {
        this.nodes = new Map();
        this.ids = 0;
        this.make('/', FOLDER);
        this.make('/dev', FOLDER);
        this.make('/dev/null', DEVICE);
        for (const [path, data] of Object.entries(files)) this.add(tidy(path), data);
    }

    add(path, data) {
        for (let at = path.indexOf('/', 1); at > 0; at = path.indexOf('/', at + 1))
            if (!this.find(path.slice(0, at))) this.make(path.slice(0, at), FOLDER);
        this.make(path, FILE, data).changed = false;
    }

    find(path) {
        return this.nodes.get(path) || null;
    }

    make(path, type, data) {
        const node = new Node(type, ++this.ids, data);
        node.changed = true;
        this.nodes.set(path, node);
        return node;
    }

    remove(path) {
        this.nodes.set(path, null);
    }

    names(folder) {
        const inside = folder === '/' ? '/' : folder + '/';
        return [...this.nodes].filter(([path, node]) => node && path !== '/' && path.startsWith(inside)
            && !path.includes('/', inside.length)).map(([path]) => path.slice(inside.length)).sort();
    }

    // What the program wrote.
    changed() {
        const list = {};
        for (const [path, node] of this.nodes)
            if (node && node.type === FILE && node.changed) list[path] = node.data.slice(0, node.size);
        return list;
    }
}

// ---- streams: each is a file of its own, or an output would seem to overwrite the input ---------

class Source {
    constructor(bytes) {
        this.node = new Node(FILE, -1, bytes);
        this.at = 0;
    }

    read(size) {
        const bytes = this.node.read(this.at, size);
        this.at += bytes.length;
        return bytes;
    }
}

class Sink {
    constructor(id) {
        this.node = new Node(FILE, id);
    }

    write(bytes) {
        this.node.write(this.node.size, bytes);
    }

    bytes() {
        return this.node.data.slice(0, this.node.size);
    }
}

// ---- the system ---------------------------------------------------------------------------------

// What the module imports. `system` has argv, environment, files and three streams, of which each may
// be a file; the memory of the instance is set when there is one.
function imports(system) {
    const {files} = system;
    const open = [...system.streams.map(stream => stream instanceof Node ? {node: stream, at: 0} : {stream}), {path: '/', node: files.find('/'), at: 0}];
    const view = () => new DataView(system.memory.buffer);
    const bytes = (at, size) => new Uint8Array(system.memory.buffer, at, size);
    const text = (at, size) => new TextDecoder().decode(bytes(at, size).slice());
    const u32 = (at, value) => view().setUint32(at, value, true);
    const u64 = (at, value) => view().setBigUint64(at, BigInt(value), true);
    const pathAt = (fd, at, size) => tidy(open[fd].path + '/' + text(at, size));

    // Texts, each with its end, and where they are.
    function putTexts(list, pointers, at) {
        for (const item of list) {
            const encoded = new TextEncoder().encode(item + '\0');
            u32(pointers, at);
            bytes(at, encoded.length).set(encoded);
            pointers += 4;
            at += encoded.length;
        }
        return OK;
    }

    function putSizes(list, count, size) {
        u32(count, list.length);
        u32(size, list.reduce((sum, item) => sum + new TextEncoder().encode(item).length + 1, 0));
        return OK;
    }

    function putStat(node, at) {
        bytes(at, 64).fill(0);
        u64(at, node.device || 1);
        u64(at + 8, node.id);
        view().setUint8(at + 16, node.type);
        u64(at + 24, 1);
        u64(at + 32, node.size);
        for (const field of [40, 48, 56]) u64(at + field, Math.floor(node.time) * 1e6);
        return OK;
    }

    // The pieces of a vector of buffers: [address, size].
    function pieces(list, count) {
        return Array.from({length: count},
            (_, i) => [view().getUint32(list + 8 * i, true), view().getUint32(list + 8 * i + 4, true)]);
    }

    function take(file, size) {
        if (file.stream) return file.stream.read(size);
        const part = file.node.type === DEVICE ? new Uint8Array(0) : file.node.read(file.at, size);
        file.at += part.length;
        return part;
    }

    function give(file, part) {
        if (file.stream) return file.stream.write(part);
        if (file.append) file.at = file.node.size;
        file.node.write(file.at, part);
        file.at += part.length;
    }

    function removeIf(fd, at, size, folder) {
        const path = pathAt(fd, at, size), node = files.find(path);
        if (!node) return NOENT;
        if ((node.type === FOLDER) !== folder) return folder ? NOTDIR : ISDIR;
        if (folder && files.names(path).length) return NOTEMPTY;
        files.remove(path);
        return OK;
    }

    function openPath(path, flags, append, result) {
        let node = files.find(path);
        if (node && flags & CREATE && flags & EXCLUSIVE) return EXIST;
        if (!node && !(flags & CREATE)) return NOENT;
        if (!node && !files.find(folderOf(path))) return NOENT;
        if (node && flags & MUST_BE_FOLDER && node.type !== FOLDER) return NOTDIR;
        if (!node) node = files.make(path, FILE);
        else if (flags & EMPTY && node.type === FILE) node.resize(0);
        let fd = open.findIndex((file, i) => i > ROOT && !file);
        if (fd < 0) fd = open.length;
        open[fd] = {path, node, at: 0, append};
        u32(result, fd);
        return OK;
    }

    function list(fd, to, size, from, result) {
        const {path} = open[fd], names = ['.', '..', ...files.names(path)];
        let used = 0;
        for (let i = Number(from); i < names.length && used < size; i++) {
            const name = new TextEncoder().encode(names[i]), entry = new Uint8Array(24 + name.length);
            const fields = new DataView(entry.buffer), node = files.find(tidy(path + '/' + names[i]));
            fields.setBigUint64(0, BigInt(i + 1), true);
            fields.setBigUint64(8, BigInt(node.id), true);
            fields.setUint32(16, name.length, true);
            fields.setUint8(20, node.type);
            entry.set(name, 24);
            bytes(to + used, Math.min(entry.length, size - used)).set(entry.subarray(0, size - used));
            used += Math.min(entry.length, size - used);
        }
        u32(result, used);
        return OK;
    }

    const nodeOf = file => file.stream ? file.stream.node : file.node;
    const environment = Object.entries(system.environment).map(([name, value]) => name + '=' + value);

    // Calls with a descriptor first, which has to be open.
    const onDescriptor = {
        fd_close(fd) {
            if (fd > ROOT) open[fd] = undefined;
            return OK;
        },
        fd_fdstat_get(fd, at) {
            bytes(at, 24).fill(0);
            view().setUint8(at, nodeOf(open[fd]).type);
            view().setUint16(at + 2, open[fd].append ? APPEND : 0, true);
            u64(at + 8, 0x1fffffff);
            u64(at + 16, 0x1fffffff);
            return OK;
        },
        fd_fdstat_set_flags: () => OK,
        fd_filestat_get: (fd, at) => putStat(nodeOf(open[fd]), at),
        fd_filestat_set_size(fd, size) {
            open[fd].node.resize(Number(size));
            return OK;
        },
        fd_prestat_get(fd, at) {
            if (fd !== ROOT) return BADF;
            u64(at, 0);
            u32(at + 4, 1);
            return OK;
        },
        fd_prestat_dir_name(fd, at) {
            bytes(at, 1)[0] = 47; // "/"
            return OK;
        },
        fd_read(fd, list, count, result) {
            let sum = 0;
            if (nodeOf(open[fd]).type === FOLDER) return ISDIR;
            for (const [at, size] of pieces(list, count)) {
                const part = take(open[fd], size);
                bytes(at, part.length).set(part);
                sum += part.length;
                if (part.length < size) break;
            }
            u32(result, sum);
            return OK;
        },
        fd_readdir: list,
        fd_seek(fd, offset, whence, result) {
            const file = open[fd];
            if (file.stream) return 70; // SPIPE
            const at = Number(offset) + [0, file.at, file.node.size][whence];
            if (!(at >= 0)) return INVAL;
            file.at = at;
            u64(result, at);
            return OK;
        },
        fd_sync: () => OK,
        fd_write(fd, list, count, result) {
            let sum = 0;
            try {
                for (const [at, size] of pieces(list, count)) {
                    give(open[fd], bytes(at, size));
                    sum += size;
                }
            } catch (error) {
                if (error.code === 'ENOSPC') return NOSPC; // node's, of a stream
                throw error;
            }
            u32(result, sum);
            return OK;
        },
        path_create_directory(fd, at, size) {
            const path = pathAt(fd, at, size);
            if (files.find(path)) return EXIST;
            if (!files.find(folderOf(path))) return NOENT;
            files.make(path, FOLDER);
            return OK;
        },
        path_filestat_get(fd, flags, at, size, result) {
            const node = files.find(pathAt(fd, at, size));
            return node ? putStat(node, result) : NOENT;
        },
        path_open(fd, lookup, at, size, flags, rights, inheriting, fdflags, result) {
            return openPath(pathAt(fd, at, size), flags, fdflags & APPEND, result);
        },
        path_readlink: () => INVAL,
        path_remove_directory: (fd, at, size) => removeIf(fd, at, size, true),
        path_rename(fd, at, size, toFd, toAt, toSize) {
            const from = pathAt(fd, at, size), to = pathAt(toFd, toAt, toSize), node = files.find(from);
            if (!node) return NOENT;
            files.remove(from);
            files.nodes.set(to, node);
            return OK;
        },
        path_unlink_file: (fd, at, size) => removeIf(fd, at, size, false),
    };
    const calls = {
        args_get: (pointers, at) => putTexts(system.argv, pointers, at),
        args_sizes_get: (count, size) => putSizes(system.argv, count, size),
        environ_get: (pointers, at) => putTexts(environment, pointers, at),
        environ_sizes_get: (count, size) => putSizes(environment, count, size),
        clock_time_get(clock, precision, at) {
            u64(at, Math.round((clock === 0 ? Date.now() : performance.now()) * 1e6));
            return OK;
        },
        proc_exit(status) {
            throw new Exit(status);
        },
        random_get(at, size) {
            crypto.getRandomValues(bytes(at, size));
            return OK;
        },
    };
    for (const [name, call] of Object.entries(onDescriptor))
        calls[name] = (fd, ...others) => open[fd] ? call(fd, ...others) : BADF;
    return calls;
}

// Runs the module on a system, and returns the exit status.
export function execute(module, system) {
    const calls = imports(system), wasi = {};
    for (const {name} of WebAssembly.Module.imports(module)) wasi[name] = calls[name] || (() => NOSYS);
    try {
        const instance = new WebAssembly.Instance(module, {wasi_snapshot_preview1: wasi});
        system.memory = instance.exports.memory;
        instance.exports._start();
        return 0;
    } catch (error) {
        if (error instanceof Exit) return error.status;
        system.streams[2].write(new TextEncoder().encode(`softfp8: ${error}\n`));
        return 134; // as after abort()
    }
}

// The command as a function. `files` has contents by names, `stdin` is text or bytes.
export function program(module) {
    return (argv, files = {}, stdin = '') => {
        const input = typeof stdin === 'string' ? new TextEncoder().encode(stdin) : stdin;
        const disk = new Files(files), [out, err] = [new Sink(-2), new Sink(-3)];
        const status = execute(module, {
            argv: ['softfp8', ...argv], environment: {PWD: '/'}, files: disk,
            streams: [new Source(input), out, err],
        });
        return {status, stdout: out.bytes(), stderr: err.bytes(), files: disk.changed()};
    };
}
