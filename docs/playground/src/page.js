// The page: it binds the controls to commands of ppl. Two workers have the program: one checks while the user types,
// the other samples and draws, so that a long run stops nothing.
import { diagnosticsOf, newEditor } from "./editor.js";
import { Runner } from "./runner.js";
import { address, pack, unpack } from "./share.js";

const $ = (id) => document.getElementById(id);
const modelFile = "model.ppl", runDirectory = "model.run";
const data = new Map(); // the bytes of data files by name
let settings, examples, editor, checker, runner;
let sampled = false; // there is a run

function say(text) { $("state").textContent = text; }

function print(text) {
  $("output").textContent += text;
  $("output").scrollTop = $("output").scrollHeight;
}

const modelText = () => editor.state.doc.toString();

// files are the model and its data, for a command of a worker.
function files() {
  return { [modelFile]: new TextEncoder().encode(modelText()), ...Object.fromEntries(data) };
}

// sources are the flags that give data files that the model does not name.
function sources() {
  const text = modelText();
  return [...data.keys()].filter((name) => !text.includes(`"${name}`)).flatMap((name) => ["--data", name]);
}

async function captured(worker, command) {
  let out = "";
  const end = await worker.run(command, (text, stream) => { if (stream === 1) out += text; });
  return { ...end, out };
}

async function check(text) {
  const { out } = await captured(checker, { put: files(), args: ["check", modelFile, "--json", ...sources()] });
  try {
    return diagnosticsOf(JSON.parse(out), text, modelFile);
  } catch {
    return []; // the text is not one that check answers in JSON
  }
}

function setBusy(busy) {
  $("run").disabled = busy;
  $("stop").disabled = !busy;
  for (const id of ["plot", "predict", "report", "ask"]) $(id).disabled = busy || !sampled;
}

// carryOut runs a command of the second worker, with what it prints on the page.
async function carryOut(what, command) {
  setBusy(true);
  say(what + " …");
  const start = performance.now();
  const end = await runner.run(command, print);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  if (end.failure) print(end.failure + "\n");
  if (end.stopped) sampled = false; // the files of the worker went with it
  say(end.stopped ? "Stopped" : `${what}: ${end.code === 0 ? "done" : "failed"} in ${seconds} s`);
  return { ...end, seconds };
}

async function sample() {
  $("output").textContent = "";
  $("picture").replaceChildren();
  sampled = false;
  const numbers = ["chains", "draws", "seed"].flatMap((name) => ["--" + name, $(name).value]);
  const { code } = await carryOut("Sampling", {
    put: files(), remove: [runDirectory],
    args: ["sample", modelFile, ...numbers, "--out", runDirectory, ...sources()],
  });
  sampled = code === 0;
  setBusy(false);
  if (sampled) await draw("forest", []);
}

async function draw(kind, names) {
  const { code, files } = await carryOut("Drawing", {
    args: ["plot", runDirectory, kind, ...names, "--out", "picture.svg"], get: ["picture.svg"],
  });
  setBusy(false);
  if (code !== 0) return;
  const image = new Image();
  image.alt = `Picture: ${kind} ${names.join(" ")}`;
  image.src = URL.createObjectURL(new Blob([files["picture.svg"]], { type: "image/svg+xml" }));
  image.onload = () => URL.revokeObjectURL(image.src);
  $("picture").replaceChildren(image);
}

async function predict() {
  const { code } = await carryOut("Drawing replicates", { args: ["predict", runDirectory] });
  setBusy(false);
  if (code === 0) await draw("ppc", []);
}

// reportPolicy lets a report run its own script, which makes pictures larger, and nothing else; it has no origin.
const reportPolicy = "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; " +
  "img-src data:";

// report shows the report in the page, if the service worker can give it: the page's own policy allows no script in it.
async function report() {
  const { code, files } = await carryOut("Writing the report", {
    args: ["report", runDirectory, "--out", "report.html"], get: ["report.html"],
  });
  setBusy(false);
  if (code !== 0) return;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([files["report.html"]], { type: "text/html" }));
  link.download = "report.html";
  link.textContent = "Save this report";
  $("picture").replaceChildren(link);
  if (!navigator.serviceWorker?.controller) return link.click();
  const cache = await caches.open("ppl-report");
  await cache.put("report.html", new Response(files["report.html"], {
    headers: { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": reportPolicy },
  }));
  const frame = document.createElement("iframe");
  frame.title = "Report";
  frame.src = "report.html";
  $("picture").append(frame);
}

async function ask(event) {
  event.preventDefault();
  if ($("ask").disabled || $("question").value.trim() === "") return;
  print(`\n> ${$("question").value}\n`);
  await carryOut("Asking", { args: ["query", runDirectory, "--", $("question").value] });
  setBusy(false);
}

async function format() {
  const { code, out } = await captured(checker, { put: files(), args: ["fmt", modelFile] });
  if (code === 0) setModel(out);
}

async function explain() {
  $("output").textContent = "";
  await carryOut("Checking", { put: files(), args: ["check", modelFile, ...sources()] });
  setBusy(false);
}

function stop() {
  runner.stop();
  setBusy(false);
}

async function share() {
  const named = examples[$("examples").value];
  const what = named && named.text === modelText() ? { example: $("examples").value } : { model: await pack(modelText()) };
  history.replaceState(null, "", "#" + new URLSearchParams(what));
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link is copied; it has the model, not the data");
  } catch {
    say("The address of this page is the link; it has the model, not the data");
  }
}

function setModel(text) {
  editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
}

function showFiles() {
  $("preview").hidden = true;
  $("files").replaceChildren(...[...data.keys()].map((name) => {
    const item = document.createElement("li");
    item.append(button(name, "Show " + name, () => preview(name)), button("×", "Remove " + name, () => {
      data.delete(name);
      showFiles();
    }));
    return item;
  }));
}

function button(text, label, click) {
  const b = document.createElement("button");
  b.textContent = text;
  b.setAttribute("aria-label", label);
  b.onclick = click;
  return b;
}

function preview(name) {
  const text = new TextDecoder().decode(data.get(name).subarray(0, 4000));
  $("preview").textContent = text.split("\n").slice(0, 12).join("\n");
  $("preview").hidden = false;
}

async function addFiles(chosen) {
  for (const file of chosen) data.set(file.name, new Uint8Array(await file.arrayBuffer()));
  $("add").value = "";
  showFiles();
  setModel(modelText()); // is checked with the new data
}

const empty = { text: "data y[N]\nmu ~ Normal(0, 10)\nsigma ~ HalfNormal(5)\ny[i in N] ~ Normal(mu, sigma)\n", files: {} };

// showExample brings an example with its data, or for the empty name a short model without any.
function showExample(name) {
  const example = examples[name] ?? empty;
  data.clear();
  for (const [file, text] of Object.entries(example.files)) data.set(file, new TextEncoder().encode(text));
  showFiles();
  setModel(example.text);
  $("examples").value = name;
  if (example.takes) say(`${name} takes longer than most: ${example.takes}`);
}

async function fromAddress() {
  const wanted = address();
  if (wanted.has("model")) {
    try {
      setModel(await unpack(wanted.get("model")));
      $("examples").value = "";
      return;
    } catch (e) {
      print(`The link cannot be read: ${e.message}\n`);
    }
  }
  showExample(examples[wanted.get("example")] ? wanted.get("example") : "eight_schools");
}

function bind() {
  $("run").onclick = sample;
  $("stop").onclick = stop;
  $("share").onclick = share;
  $("format").onclick = format;
  $("check").onclick = explain;
  $("plot").onclick = () => draw($("kind").value, $("names").value.split(/\s+/).filter(Boolean));
  $("predict").onclick = predict;
  $("report").onclick = report;
  $("questions").onsubmit = ask;
  $("add").onchange = () => addFiles($("add").files);
  $("examples").onchange = () => showExample($("examples").value);
  addEventListener("hashchange", fromAddress);
  addEventListener("dragover", (e) => e.preventDefault());
  addEventListener("drop", (e) => { e.preventDefault(); addFiles(e.dataTransfer.files); });
}

async function main() {
  settings = await (await fetch("settings.json")).json();
  examples = settings.examples;
  for (const [name, { takes }] of Object.entries(examples)) {
    $("examples").append(new Option(takes ? `${name} (${takes})` : name, name));
  }
  for (const kind of settings.pictures) $("kind").append(new Option(kind, kind));
  const megabytes = (n) => (n / 1e6).toFixed(1);
  runner = new Runner({ digest: settings.digest }, (n) => say(`Loading ppl: ${megabytes(n)} MB unpacked or read …`));
  const module = await runner.ready;
  checker = new Runner({ module });
  await checker.ready;
  editor = newEditor($("editor"), {
    text: "", check, names: settings.names, changed: () => {}, run: () => { if (!$("run").disabled) sample(); },
  });
  bind();
  await fromAddress();
  setBusy(false);
  say("Ready");
  globalThis.playground = { modelText, setModel }; // for the script that drives the page
  if ("serviceWorker" in navigator) navigator.serviceWorker.register("serviceworker.js");
}

main().catch((e) => { say("ppl could not be loaded"); print(String(e) + "\n"); });
