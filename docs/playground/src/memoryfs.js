// A file system in memory, behind the functions that Go's wasm_exec.js calls. Paths that are not absolute begin at /work; a node is a directory
// or a file, which has an array of bytes that may be longer than the file.

const flags = {
  O_WRONLY: 1, O_RDWR: 2, O_CREAT: 0o100, O_EXCL: 0o200, O_TRUNC: 0o1000, O_APPEND: 0o2000, O_DIRECTORY: 0o200000,
};

function failure(code) {
  return Object.assign(new Error(code), { code });
}

function absolute(path) {
  const parts = [];
  for (const part of (path.startsWith("/") ? path : "/work/" + path).split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return "/" + parts.join("/");
}

const parent = (path) => path.slice(0, Math.max(1, path.lastIndexOf("/")));

class Node {
  static count = 0;
  constructor(directory) {
    this.directory = directory;
    this.bytes = new Uint8Array(0);
    this.size = 0;
    this.time = Date.now();
    this.inode = ++Node.count;
  }
  resize(size) {
    if (size > this.bytes.length) {
      const larger = new Uint8Array(Math.max(size, 2 * this.bytes.length));
      larger.set(this.bytes.subarray(0, this.size));
      this.bytes = larger;
    } else if (size < this.size) {
      this.bytes.fill(0, size, this.size);
    }
    this.size = size;
    this.time = Date.now();
  }
  stat() {
    const { directory, size, time, inode } = this;
    return {
      isDirectory: () => directory, mode: directory ? 0o40755 : 0o100644, size, dev: 1, ino: inode, nlink: 1, uid: 0,
      gid: 0, rdev: 0, blksize: 4096, blocks: Math.ceil(size / 512), atimeMs: time, mtimeMs: time, ctimeMs: time,
    };
  }
}

export class MemoryFS {
  constructor(print) {
    this.print = print; // gets the number of the stream, 1 or 2, and bytes
    this.nodes = new Map([["/", new Node(true)], ["/tmp", new Node(true)], ["/work", new Node(true)]]);
    this.opened = new Map();
    this.next = 10;
  }

  // What the page uses.

  put(path, bytes) {
    const node = new Node(false);
    node.resize(bytes.length);
    node.bytes.set(bytes);
    this.nodes.set(absolute(path), node);
  }
  get(path) {
    const node = this.nodes.get(absolute(path));
    return node && node.bytes.slice(0, node.size);
  }
  remove(path) {
    const gone = absolute(path);
    for (const name of [...this.nodes.keys()]) {
      if (name === gone || name.startsWith(gone + "/")) this.nodes.delete(name);
    }
  }

  // What Go calls.

  node(path) {
    const node = this.nodes.get(absolute(path));
    if (!node) throw failure("ENOENT");
    return node;
  }
  file(number) {
    const file = this.opened.get(number);
    if (!file) throw failure("EBADF");
    return file;
  }
  create(path, directory) {
    const above = this.nodes.get(parent(path));
    if (!above) throw failure("ENOENT");
    if (!above.directory) throw failure("ENOTDIR");
    const node = new Node(directory);
    this.nodes.set(path, node);
    return node;
  }
  open(path, how) {
    path = absolute(path);
    let node = this.nodes.get(path);
    if (node && how & flags.O_CREAT && how & flags.O_EXCL) throw failure("EEXIST");
    if (!node && !(how & flags.O_CREAT)) throw failure("ENOENT");
    node ??= this.create(path, false);
    if (how & flags.O_TRUNC) node.resize(0);
    this.opened.set(this.next, { node, at: 0, append: !!(how & flags.O_APPEND) });
    return this.next++;
  }
  close(number) {
    this.file(number);
    this.opened.delete(number);
  }
  read(number, into, offset, length, position) {
    if (number === 0) return 0;
    const file = this.file(number);
    if (file.node.directory) throw failure("EISDIR");
    const at = position ?? file.at;
    const n = Math.max(0, Math.min(length, file.node.size - at));
    into.set(file.node.bytes.subarray(at, at + n), offset);
    if (position === null) file.at = at + n;
    return n;
  }
  write(number, from, offset, length, position) {
    const bytes = from.subarray(offset, offset + length);
    if (number === 1 || number === 2) {
      this.print(number, bytes.slice());
      return length;
    }
    const file = this.file(number);
    const at = position ?? (file.append ? file.node.size : file.at);
    if (at + length > file.node.size) file.node.resize(at + length);
    file.node.bytes.set(bytes, at);
    if (position === null) file.at = at + length;
    return length;
  }
  mkdir(path) {
    path = absolute(path);
    if (this.nodes.has(path)) throw failure("EEXIST");
    this.create(path, true);
  }
  below(path) {
    const prefix = path === "/" ? path : path + "/";
    return [...this.nodes.keys()].filter((name) => name !== "/" && name.startsWith(prefix));
  }
  readdir(path) {
    if (!this.node(path).directory) throw failure("ENOTDIR");
    path = absolute(path);
    const start = path === "/" ? 1 : path.length + 1;
    return this.below(path).map((name) => name.slice(start)).filter((name) => !name.includes("/"));
  }
  rename(from, to) {
    from = absolute(from);
    to = absolute(to);
    this.node(from);
    if (this.nodes.get(to)?.directory && this.below(to).length > 0) throw failure("ENOTEMPTY");
    for (const name of [from, ...this.below(from)]) {
      const node = this.nodes.get(name);
      this.nodes.delete(name);
      this.nodes.set(to + name.slice(from.length), node);
    }
  }
  unlink(path) {
    if (this.node(path).directory) throw failure("EISDIR");
    this.nodes.delete(absolute(path));
  }
  rmdir(path) {
    if (!this.node(path).directory) throw failure("ENOTDIR");
    if (this.below(absolute(path)).length > 0) throw failure("ENOTEMPTY");
    this.nodes.delete(absolute(path));
  }
  stat(path) { return this.node(path).stat(); }
  lstat(path) { return this.node(path).stat(); }
  fstat(number) { return number < 3 ? new Node(false).stat() : this.file(number).node.stat(); }
  truncate(path, size) { this.node(path).resize(size); }
  ftruncate(number, size) { this.file(number).node.resize(size); }
  fsync() {}
  chmod() {}
  fchmod() {}
  chown() {}
  lchown() {}
  fchown() {}
  utimes() {}
  link() { throw failure("ENOSYS"); }
  symlink() { throw failure("ENOSYS"); }
  readlink() { throw failure("EINVAL"); }

  // forGo is the object that wasm_exec.js expects as globalThis.fs: each function ends in a call of its last argument.
  forGo() {
    const fs = { constants: flags, writeSync: (number, bytes) => this.write(number, bytes, 0, bytes.length, null) };
    for (const name of ["open", "close", "read", "write", "mkdir", "readdir", "rename", "unlink", "rmdir", "stat",
      "lstat", "fstat", "truncate", "ftruncate", "fsync", "chmod", "fchmod", "chown", "lchown", "fchown", "utimes",
      "link", "symlink", "readlink"]) {
      fs[name] = (...args) => {
        const done = args.pop();
        let result;
        try {
          result = this[name](...args);
        } catch (e) {
          return done(e);
        }
        done(null, result);
      };
    }
    return fs;
  }
}

// The rest of what wasm_exec.js expects of Node.
export const processForGo = {
  getuid: () => 0, getgid: () => 0, geteuid: () => 0, getegid: () => 0, getgroups: () => [], pid: 1, ppid: 0,
  umask: () => 0, cwd: () => "/work", chdir() {},
};
export const pathForGo = { resolve: (...parts) => absolute(parts.join("/")) };
