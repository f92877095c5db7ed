// Drives a built site in Chromium without a window: node drive.mjs HTML SHOTS. It samples every example in the playground
// with the page's defaults, tries a mistake, a data file of one's own, a link, the stop button and the page without a
// network, asks axe-core about accessibility, and takes screenshots. It fails if something is not as it should be.
import { createServer } from "node:http";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { extname, join, normalize } from "node:path";
import puppeteer from "puppeteer-core";

const [html, shots] = process.argv.slice(2);
const only = process.env.EXAMPLES?.split(",");
const limit = 10; // seconds for an example
const problems = [];
const wrong = (text) => { problems.push(text); console.log("WRONG: " + text); };

const types = {
  ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json",
  ".svg": "image/svg+xml", ".bin": "application/octet-stream",
};

function serve(directory) {
  const requests = [];
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://x").pathname));
    requests.push(path);
    let file = join(directory, path);
    try {
      if (statSync(file).isDirectory()) file = join(file, "index.html");
      const bytes = readFileSync(file);
      response.writeHead(200, { "Content-Type": types[extname(file)] ?? "application/octet-stream" });
      response.end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  return new Promise((done) => server.listen(0, "127.0.0.1", () => {
    done({ server, requests, address: `http://127.0.0.1:${server.address().port}` });
  }));
}

const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

async function launch() {
  const executablePath = process.env.CHROMIUM ?? chromium.find((f) => statSync(f, { throwIfNoEntry: false }));
  return puppeteer.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"], protocolTimeout: 600000 });
}

// processorSeconds is the time of processors that Chromium has used, NaN where there is no /proc. On a busy machine it
// says more than a clock.
function processorSeconds(root) {
  const children = new Map(), used = new Map();
  try {
    for (const pid of readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name))) {
      let fields;
      try {
        fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "").split(" ");
      } catch {
        continue; // it has ended
      }
      children.set(fields[1], [...(children.get(fields[1]) ?? []), pid]);
      used.set(pid, (Number(fields[11]) + Number(fields[12])) / 100);
    }
  } catch {
    return NaN;
  }
  const sum = (pid) => (children.get(pid) ?? []).reduce((total, c) => total + sum(c), used.get(pid) ?? 0);
  return sum(String(root));
}

const text = (page, id) => page.$eval("#" + id, (e) => e.textContent);
const state = (page) => text(page, "state");

async function waitReady(page) {
  await page.waitForFunction(() => document.getElementById("state").textContent === "Ready", { timeout: 120000 });
}

// finished waits until no command runs, and gives the seconds that it took.
async function finished(page, milliseconds) {
  const start = Date.now();
  await page.waitForFunction(() => !document.getElementById("run").disabled, { timeout: milliseconds, polling: 50 });
  return (Date.now() - start) / 1000;
}

async function sampleExample(page, name) {
  await page.select("#examples", name);
  await page.click("#run");
  let seconds;
  try {
    seconds = await finished(page, 60000);
  } catch {
    await page.click("#stop");
    return { name, seconds: Infinity };
  }
  const output = await text(page, "output");
  const drawn = await page.$eval("#picture", (e) => e.childElementCount);
  if (!output.includes("draws are in") || drawn !== 1) wrong(`${name}: ${await state(page)}\n${output.slice(-400)}`);
  return { name, seconds };
}

async function sampleExamples(page) {
  const listed = await page.$$eval("#examples option", (all) => all.map((o) => [o.value, o.text]));
  const names = listed.map(([name]) => name).filter(Boolean);
  const timed = listed.filter(([name, text]) => name !== text).map(([name]) => name);
  const slow = [];
  for (const name of names) {
    if (only && !only.includes(name)) continue;
    const before = processorSeconds(page.browser().process().pid);
    const { seconds } = await sampleExample(page, name);
    const processor = processorSeconds(page.browser().process().pid) - before;
    console.log(`example ${name}: ${seconds.toFixed(1)} s, of a processor ${processor.toFixed(1)} s`);
    if ((seconds === Infinity || Math.min(seconds, processor) > limit) && !timed.includes(name)) slow.push(name);
  }
  console.log(`slower than ${limit} s, which the page does not say: ${slow.join(", ") || "none"}`);
}

// A mistake is marked while typing, with its code.
async function tryMistake(page) {
  await page.evaluate(() => playground.setModel("data y[N] = [1, 2]\nm ~ Normal(0, 1)\ny ~ Normal(mm, 1)\n"));
  await page.waitForFunction(() => document.getElementById("editor").shadowRoot.querySelector(".cm-lintRange-error"),
    { timeout: 10000 });
  const marked = await page.evaluate(() => {
    return document.getElementById("editor").shadowRoot.querySelector(".cm-lintRange-error").textContent;
  });
  if (marked !== "mm") wrong(`the mark of a mistake is on ${JSON.stringify(marked)}`);
}

// A data file of one's own is read, and nothing is asked of the server.
async function tryOwnData(page, requests) {
  const before = requests.length;
  await page.select("#examples", "");
  await page.evaluate(() => {
    const file = new File(["age,weight\n1,9.8\n2,12.1\n3,14.5\n4,16.2\n5,18.9\n"], "my data.csv");
    const event = new Event("drop");
    event.dataTransfer = { files: [file] };
    dispatchEvent(event);
    playground.setModel("data weight[N], age[N]\na, b ~ Normal(0, 10)\ns ~ HalfNormal(5)\n" +
      "weight[i in N] ~ Normal(a + b * age[i], s)\n");
  });
  await page.waitForFunction(() => document.getElementById("files").childElementCount === 1);
  await page.click("#run");
  await finished(page, 60000);
  const output = await text(page, "output");
  if (!/\nb +2\.\d/.test(output)) wrong(`own data: ${output}`);
  await page.type("#question", "P(b > 0)");
  await page.click("#ask");
  await finished(page, 30000);
  if (!/> P\(b > 0\)\n[^]*\b1\b/.test(await text(page, "output"))) wrong("a question has no answer");
  await page.click("#predict");
  await finished(page, 30000);
  if (!(await state(page)).includes("done")) wrong("replicates: " + await state(page));
  if (requests.length > before) wrong(`own data: the page asked for ${requests.slice(before)}`);
}

// The report of the last run is shown in the page, with its own script and without the page's origin.
async function tryReport(page) {
  await page.click("#report");
  await finished(page, 60000);
  const shown = await page.waitForFunction(() => document.querySelector("#picture iframe"), { timeout: 5000 });
  const frame = await shown.asElement().contentFrame();
  await frame.waitForFunction(() => document.body?.innerText.includes("Summary"), { timeout: 30000 });
  const origin = await frame.evaluate(() => self.origin);
  if (origin !== "null") wrong(`the report has the origin ${origin}`);
}

async function tryStop(page) {
  await page.select("#examples", "volatility");
  await page.click("#run");
  await new Promise((done) => setTimeout(done, 1500));
  await page.click("#stop");
  if (await state(page) !== "Stopped") wrong("after Stop: " + await state(page));
  const { seconds } = await sampleExample(page, "eight_schools");
  console.log(`after a stop, eight_schools: ${seconds.toFixed(1)} s`);
}

async function tryLink(page, address) {
  const model = "x ~ Normal(0, 1) # linked\ndata y[N] = [1]\ny ~ Normal(x, 1)\n";
  await page.evaluate((m) => playground.setModel(m), model);
  await page.click("#share");
  await page.waitForFunction(() => location.hash.startsWith("#model="));
  const link = page.url();
  await page.goto("about:blank");
  await page.goto(link);
  await waitReady(page);
  if (await page.evaluate(() => playground.modelText()) !== model) wrong("a link does not bring the model back");
  await page.goto("about:blank");
  await page.goto(address + "/playground/index.html#model=no-model");
  await waitReady(page);
  if (!(await text(page, "output")).includes("cannot be read")) wrong("a damaged link is not refused");
}

// Neither the page nor its workers can ask another host.
async function tryPolicy(browser, address) {
  const page = await browser.newPage();
  await page.goto(address + "/playground/index.html");
  await waitReady(page);
  const refused = await page.evaluate(async () => {
    const seen = new Promise((done) => {
      addEventListener("securitypolicyviolation", (e) => done(e.effectiveDirective));
      setTimeout(() => done("nothing"), 3000);
    });
    await fetch("http://localhost:1/").catch(() => {});
    return seen;
  });
  if (refused !== "connect-src") wrong(`a request to another host is refused by ${refused}`);
  if (page.workers().length !== 2) wrong(`${page.workers().length} workers`);
  for (const worker of page.workers()) {
    const open = await worker.evaluate(() => ["fetch", "XMLHttpRequest", "WebSocket", "EventSource"]
      .filter((name) => globalThis[name] !== undefined));
    if (open.length > 0) wrong(`a worker has ${open}`);
  }
  await page.close();
}

// Without a network the page opens and samples. The first result of a warm cache is timed.
async function tryOffline(browser, address, server) {
  const page = await browser.newPage();
  await page.goto(address + "/playground/index.html");
  await waitReady(page);
  await page.evaluate(async () => { await navigator.serviceWorker.ready; });
  await new Promise((done) => setTimeout(done, 1000));
  await page.close();
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  const offline = await browser.newPage();
  const start = Date.now(), before = processorSeconds(browser.process().pid);
  await offline.goto(address + "/playground/index.html");
  await waitReady(offline);
  const ready = (Date.now() - start) / 1000;
  await offline.click("#run");
  await offline.waitForFunction(() => document.getElementById("output").textContent.includes("draws are in"),
    { timeout: 60000, polling: 50 });
  const processor = processorSeconds(browser.process().pid) - before;
  console.log(`without a network: first result after ${((Date.now() - start) / 1000).toFixed(1)} s, of a processor ` +
    `${processor.toFixed(1)} s`);
  await finished(offline, 60000);
  console.log(`without a network: ready after ${ready.toFixed(1)} s, picture after ` +
    `${((Date.now() - start) / 1000).toFixed(1)} s`);
  if (!(await text(offline, "output")).includes("draws are in")) wrong("offline: " + await state(offline));
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// judge lists what axe-core finds serious on a page.
async function judge(page, name) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  for (const v of violations) {
    const line = `axe ${name}: ${v.impact} ${v.id}: ${v.help} (${v.nodes.length}: ${v.nodes[0].target})`;
    if (v.impact === "serious" || v.impact === "critical") wrong(line);
    else console.log(line);
  }
}

const pages = {
  index: "/", tutorial: "/tutorial/", gallery: "/gallery/", example: "/gallery/radon/", stan: "/from/stan/",
  distribution: "/distributions/gamma/", messages: "/messages/", renhd: "/renhd/", draws: "/draws/",
};

async function look(browser, address) {
  for (const [width, height] of [[1280, 900], [400, 800]]) {
    const page = await browser.newPage();
    await page.setViewport({ width, height });
    for (const [name, path] of Object.entries(pages)) {
      await page.goto(address + path, { waitUntil: "networkidle0" });
      await page.screenshot({ path: join(shots, `${name}-${width}.png`) });
      await judge(page, `${name} at ${width}`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (wide > 0) wrong(`${name} is ${wide} pixels too wide for ${width}`);
    }
    await page.close();
  }
}

// lookInTheDark asks axe-core about the dark colours, in a profile that has not seen the others.
async function lookInTheDark(browser, address) {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
  for (const [name, path] of Object.entries(pages)) {
    await page.goto(address + path, { waitUntil: "networkidle0" });
    await judge(page, name + ", dark");
  }
  await page.screenshot({ path: join(shots, "dark.png") });
  await context.close();
}

async function main() {
  mkdirSync(shots, { recursive: true });
  const { server, requests, address } = await serve(html);
  const browser = await launch();
  await look(browser, address);
  await lookInTheDark(browser, address);
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 900 });
  page.on("pageerror", (e) => wrong("error of the page: " + e.message));
  page.on("console", (m) => { if (m.type() === "error") wrong("console: " + m.text()); });
  const start = Date.now();
  await page.goto(address + "/playground/index.html");
  await waitReady(page);
  console.log(`playground ready after ${((Date.now() - start) / 1000).toFixed(1)} s with an empty cache`);
  await sampleExample(page, "radon");
  await page.screenshot({ path: join(shots, "playground-1280.png") });
  await page.setViewport({ width: 400, height: 800 });
  await new Promise((done) => setTimeout(done, 500)); // the editor measures its lines after that
  await page.screenshot({ path: join(shots, "playground-400.png"), fullPage: true });
  await judge(page, "playground at 400");
  await page.setViewport({ width: 1280, height: 900 });
  await sampleExamples(page);
  await tryMistake(page);
  await tryOwnData(page, requests);
  await tryReport(page);
  await tryStop(page);
  await tryLink(page, address);
  await judge(page, "playground");
  await tryPolicy(browser, address);
  await tryOffline(browser, address, server);
  await browser.close();
  console.log(problems.length === 0 ? "all well" : `${problems.length} problems`);
  process.exit(problems.length === 0 ? 0 : 1);
}

main();
