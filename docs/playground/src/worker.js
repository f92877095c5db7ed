// The worker runs ppl. A message is {id, put, args, get}: files to write, the command line, names of files to return.
// Answers are {id, stream, text} while it prints, and {id, code, files} at its end. The first message is {program}:
// how to get it, or the compiled module of another worker; the answer is {module}.
import { MemoryFS, pathForGo, processForGo } from "./memoryfs.js";
import { loadProgram } from "./program.js";

let module;
let current = 0;
let program; // the running program: begin(args, done) carries out a command, ended is its exit code
const decoders = { 1: new TextDecoder(), 2: new TextDecoder() };
const files = new MemoryFS((stream, bytes) => {
  postMessage({ id: current, stream, text: decoders[stream].decode(bytes, { stream: true }) });
});
globalThis.fs = files.forGo();
globalThis.process = processForGo;
globalThis.path = pathForGo;
importScripts("wasm_exec.js");

// start starts the program, which hands over what begins a command.
async function start() {
  const go = new Go();
  go.argv = ["ppl"];
  go.env = { HOME: "/tmp", TMPDIR: "/tmp", PWD: "/work", COLUMNS: "100" };
  let code = 0;
  go.exit = (c) => { code = c; };
  const instance = await WebAssembly.instantiate(module, go.importObject);
  return new Promise((serves, fails) => {
    const started = {};
    globalThis.pplServes = (begin) => {
      started.begin = begin;
      serves(started);
    };
    started.ended = go.run(instance).then(() => {
      for (const timer of go._scheduledTimeouts.values()) clearTimeout(timer); // they would wake a program that has ended
      program = null;
      fails(new Error("ppl does not start"));
      return code;
    });
  });
}

async function run({ id, put = {}, remove = [], args, get = [] }) {
  current = id;
  for (const name of remove) files.remove("/work/" + name);
  for (const [name, bytes] of Object.entries(put)) files.put("/work/" + name, bytes);
  program ??= await start();
  const code = await Promise.race([program.ended, new Promise((done) => program.begin(args, done))]);
  const found = {};
  for (const name of get) found[name] = files.get("/work/" + name);
  postMessage({ id, code, files: found });
}

// closeNetwork takes away what could send data: the page's policy does not hold in a worker.
function closeNetwork() {
  for (const name of ["fetch", "XMLHttpRequest", "WebSocket", "WebTransport", "EventSource", "importScripts"]) {
    Object.defineProperty(globalThis, name, { value: undefined, writable: false, configurable: false });
  }
}

let queue = Promise.resolve();
onmessage = ({ data }) => {
  queue = queue.then(async () => {
    try {
      if (data.program) {
        module = data.program.module ?? await loadProgram(data.program, (loaded) => postMessage({ loaded }));
        closeNetwork();
        postMessage({ module });
        program = await start();
      } else {
        await run(data);
      }
    } catch (e) {
      postMessage({ id: data.id, code: 3, failure: String(e), files: {} });
    }
  });
};
