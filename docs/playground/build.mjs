// Writes the playground into a directory: node build.mjs DIR PPL WASM WASM_EXEC, with the native program PPL, which
// lists names and kinds of pictures.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { constants, brotliCompressSync, gzipSync } from "node:zlib";
import { build } from "esbuild";

const [to, ppl, wasm, wasmExec] = process.argv.slice(2);
const here = import.meta.dirname;
const examplesDirectory = join(here, "../../examples");

const help = (...name) => execFileSync(ppl, ["help", ...name], { encoding: "utf8" });

// names are those that the editor completes: functions and distributions, with their signatures.
function names() {
  return ["distributions", "functions"].flatMap((kind) => help(kind).trim().split("\n").map((line) => ({
    label: line.match(/[A-Za-z_]\w*/)[0], detail: line, type: kind === "functions" ? "function" : "class",
  })));
}

function pictures() {
  const found = [...help("plot").matchAll(/^ {2}([a-z][a-z-]*) {2,}\S/gm)].map((m) => m[1]);
  if (!found.includes("trace")) throw new Error("ppl help plot lists no pictures");
  return found;
}

// examples are the models with their data, and how long those take that need more than ten seconds (slow.json).
function examples() {
  const models = readdirSync(examplesDirectory).filter((name) => name.endsWith(".ppl"));
  const slow = JSON.parse(readFileSync(join(here, "slow.json"), "utf8"));
  for (const name of Object.keys(slow)) {
    if (!models.includes(name + ".ppl")) throw new Error(`slow.json: there is no example ${name}`);
  }
  return Object.fromEntries(models.map((model) => {
    const text = readFileSync(join(examplesDirectory, model), "utf8");
    const files = [...text.matchAll(/\bfrom "([^"#]+)/g)].map((m) => m[1]);
    return [model.slice(0, -4), {
      takes: slow[model.slice(0, -4)],
      text,
      files: Object.fromEntries(files.map((f) => [f, readFileSync(join(examplesDirectory, f), "utf8")])),
    }];
  }));
}

// compressed writes the program as brotli and gzip, unless they are there for the same program.
function compressed() {
  const program = readFileSync(wasm);
  const digest = createHash("sha256").update(program).digest("hex").slice(0, 16);
  const kept = join(wasm + "." + digest);
  if (!existsSync(kept + ".gz")) {
    const quality = Number(process.env.BROTLI ?? 10);
    writeFileSync(kept + ".br", brotliCompressSync(program, { params: {
      [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_LGWIN]: 24,
      [constants.BROTLI_PARAM_SIZE_HINT]: program.length,
    } }));
    writeFileSync(kept + ".gz", gzipSync(program, { level: 9 }));
  }
  copyFileSync(kept + ".br", join(to, "ppl.wasm.br.bin"));
  copyFileSync(kept + ".gz", join(to, "ppl.wasm.gz.bin"));
  const size = readFileSync(kept + ".br").length;
  console.log(`playground: ${(program.length / 1e6).toFixed(1)} MB, ${(size / 1e6).toFixed(2)} MB as brotli`);
  if (size > 12e6) throw new Error("the program has more than 12 MB as brotli");
  return digest;
}

const packages = new Set(["katex"]); // of npm, whose code the site has

async function bundle(name, define = {}) {
  const { metafile } = await build({
    entryPoints: [join(here, "src", name)], outfile: join(to, name), bundle: true, minify: true, format: "iife",
    target: ["es2022"], define, logLevel: "warning", legalComments: "none", metafile: true,
  });
  for (const input of Object.keys(metafile.inputs)) {
    const found = input.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/);
    if (found) packages.add(found[1]);
  }
}

// addLicences adds the licences of the packages to those of the program, which are there. Each
// run of build.sh begins with a new file.
function addLicences() {
  for (const name of [...packages].sort()) {
    const directory = join(here, "node_modules", name);
    const licence = readdirSync(directory).find((f) => /^licen[cs]e/i.test(f));
    if (!licence) throw new Error(`${name} has no licence`);
    appendFileSync(join(to, "LICENSES.txt"), `\n\n==== ${name}\n\n${readFileSync(join(directory, licence), "utf8")}`);
  }
}

mkdirSync(to, { recursive: true });
const digest = compressed();
for (const name of ["index.html", "style.css", "icon.svg"]) copyFileSync(join(here, name), join(to, name));
copyFileSync(wasmExec, join(to, "wasm_exec.js"));
const settings = JSON.stringify({ digest, names: names(), pictures: pictures(), examples: examples() });
writeFileSync(join(to, "settings.json"), settings);
await bundle("page.js");
await bundle("worker.js");
const files = ["index.html", "style.css", "icon.svg", "page.js", "worker.js", "wasm_exec.js", "settings.json"];
addLicences();
const version = createHash("sha256");
for (const name of files) version.update(readFileSync(join(to, name)));
await bundle("serviceworker.js", {
  FILES: JSON.stringify(["./", ...files]), VERSION: JSON.stringify(version.digest("hex").slice(0, 16)),
});
