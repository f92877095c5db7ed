// Starts `ppl lsp` for .ppl files, and samples the model that is open in a terminal.
const { workspace, window, commands } = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

function program() {
  return workspace.getConfiguration("ppl").get("path") || "ppl";
}

async function start() {
  const run = { command: program(), args: ["lsp"], transport: TransportKind.stdio };
  client = new LanguageClient("ppl", "ppl", { run, debug: run }, {
    documentSelector: [{ language: "ppl" }],
  });
  try {
    await client.start();
  } catch (e) {
    window.showErrorMessage(
      `The program ${program()} does not start (${e.message}). Install ppl, or set ppl.path to where it is.`);
  }
}

// quoted returns a path as one word of the terminal's shell.
function quoted(path) {
  return `"${path.replace(/(["\\$`])/g, process.platform === "win32" ? '""' : "\\$1")}"`;
}

async function sample() {
  const editor = window.activeTextEditor;
  if (!editor || editor.document.languageId !== "ppl") {
    return;
  }
  await editor.document.save();
  const terminal = window.terminals.find((t) => t.name === "ppl") || window.createTerminal("ppl");
  terminal.show();
  terminal.sendText(`${quoted(program())} sample ${quoted(editor.document.fileName)}`);
}

exports.activate = async (context) => {
  context.subscriptions.push(
    commands.registerCommand("ppl.sample", sample),
    commands.registerCommand("ppl.restart", async () => {
      await client?.stop();
      await start();
    }));
  await start();
};

exports.deactivate = () => client?.stop();
