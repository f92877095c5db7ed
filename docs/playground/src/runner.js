// A Runner has a worker with the program. Its commands run one after the other; stop ends the worker with what it does,
// and the next command starts another, which gets the compiled module.

export class Runner {
  constructor(program, progress = () => {}) {
    this.program = program;
    this.progress = progress;
    this.calls = new Map();
    this.count = 0;
    this.start();
  }
  start() {
    this.worker = new Worker("worker.js");
    this.ready = new Promise((resolve, reject) => {
      this.worker.onmessage = ({ data }) => {
        if (data.module) {
          this.program = { ...this.program, module: data.module };
          resolve(data.module);
        } else if (data.loaded) {
          this.progress(data.loaded);
        } else if (data.id === undefined) {
          reject(new Error(data.failure));
        } else {
          this.answer(data);
        }
      };
      this.worker.onerror = (e) => reject(new Error(e.message));
    });
    this.ready.catch(() => {}); // a call reports it
    this.worker.postMessage({ program: this.program });
  }
  answer({ id, stream, text, ...end }) {
    const call = this.calls.get(id);
    if (!call) return;
    if (stream) return call.print(text, stream);
    this.calls.delete(id);
    call.done(end);
  }
  // run carries out a command: {args, put, remove, get}. The result has code, files and, if it was ended, stopped.
  async run(command, print = () => {}) {
    if (!this.worker) this.start();
    await this.ready;
    const id = ++this.count;
    return new Promise((done) => {
      this.calls.set(id, { print, done });
      this.worker.postMessage({ id, ...command });
    });
  }
  stop() {
    this.worker?.terminate();
    this.worker = null;
    for (const call of this.calls.values()) call.done({ code: 130, files: {}, stopped: true });
    this.calls.clear();
  }
}
