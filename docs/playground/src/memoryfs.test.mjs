import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryFS } from "./memoryfs.js";
import { pack, unpack } from "./share.js";

const bytes = (text) => new TextEncoder().encode(text);
const string = (found) => new TextDecoder().decode(found);
const { O_CREAT, O_EXCL, O_TRUNC, O_APPEND } = new MemoryFS().forGo().constants;

function write(fs, path, text, flags = O_CREAT) {
  const file = fs.open(path, flags);
  fs.write(file, bytes(text), 0, text.length, null);
  fs.close(file);
}

test("files are written, read, appended to and cut", () => {
  const fs = new MemoryFS();
  write(fs, "/work/a", "hello");
  write(fs, "a", " you", O_APPEND);
  assert.equal(string(fs.get("/work/a")), "hello you");
  const file = fs.open("/work/../work/./a", 0);
  const into = new Uint8Array(20);
  assert.equal(fs.read(file, into, 0, 5, null), 5);
  assert.equal(fs.read(file, into, 5, 10, null), 4);
  assert.equal(fs.read(file, into, 0, 10, null), 0);
  assert.equal(fs.read(file, into, 0, 3, 6), 3);
  assert.equal(string(into.subarray(0, 3)), "you");
  fs.truncate("/work/a", 2);
  fs.ftruncate(file, 4);
  assert.equal(string(fs.get("/work/a")), "he\0\0");
  write(fs, "/work/a", "x", O_TRUNC);
  assert.equal(string(fs.get("/work/a")), "x");
});

test("directories have entries, move as a whole, and go when they are empty", () => {
  const fs = new MemoryFS();
  fs.mkdir("/work/d");
  fs.mkdir("/work/d/e");
  write(fs, "/work/d/e/f", "1");
  assert.deepEqual(fs.readdir("/work/d"), ["e"]);
  assert.throws(() => fs.rmdir("/work/d"), { code: "ENOTEMPTY" });
  fs.rename("/work/d", "/work/g");
  assert.equal(string(fs.get("/work/g/e/f")), "1");
  assert.throws(() => fs.stat("/work/d"), { code: "ENOENT" });
  fs.unlink("/work/g/e/f");
  fs.rmdir("/work/g/e");
  assert.deepEqual(fs.readdir("/work/g"), []);
});

test("what cannot be done has the code that Go expects", () => {
  const fs = new MemoryFS();
  write(fs, "/work/a", "1");
  assert.throws(() => fs.open("/work/b", 0), { code: "ENOENT" });
  assert.throws(() => fs.open("/work/a", O_CREAT | O_EXCL), { code: "EEXIST" });
  assert.throws(() => fs.open("/none/b", O_CREAT), { code: "ENOENT" });
  assert.throws(() => fs.open("/work/a/b", O_CREAT), { code: "ENOTDIR" });
  assert.throws(() => fs.mkdir("/work"), { code: "EEXIST" });
  assert.throws(() => fs.unlink("/work"), { code: "EISDIR" });
  assert.throws(() => fs.read(99, new Uint8Array(1), 0, 1, null), { code: "EBADF" });
  fs.forGo().stat("/work/b", (e) => assert.equal(e.code, "ENOENT"));
});

test("a link brings a model back, and one that is damaged or too long is refused", async () => {
  const model = "y ~ Normal(μ, 1) # \u{1F600}\n".repeat(20);
  const packed = await pack(model);
  assert.match(packed, /^[A-Za-z0-9_-]+$/);
  assert.equal(await unpack(packed), model);
  await assert.rejects(unpack("no-model"));
  await assert.rejects(unpack(await pack("x".repeat(2 ** 21))), /too long/);
});
