// The editor: CodeMirror with the colours of the language, diagnostics of `ppl check` while typing, and completion of
// names. It lives in a shadow root, where its styles need no exception from the page's policy.
import { autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { linter, lintGutter, lintKeymap } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const words = /^(data|from|generate|import|infer|factor|at|return|in|censored|missing|noncentered|ordered|zerosum|complete|columns|weight|rounded|upto)\b/;

const language = StreamLanguage.define({
  name: "ppl",
  languageData: { commentTokens: { line: "#" } },
  token(s) {
    if (s.eatSpace()) return null;
    if (s.match(/^#.*/)) return "comment";
    if (s.match(/^"([^"\\]|\\.)*"?/)) return "string";
    if (s.match(/^[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?/)) return "number";
    if (s.match(words)) return "keyword";
    if (s.match(/^[A-Z][A-Za-z0-9]*(?=\s*\()/)) return "typeName";
    if (s.match(/^[A-Za-z_][A-Za-z0-9_]*(?=\()/)) return "macroName";
    if (s.match(/^[A-Za-z_][A-Za-z0-9_]*/)) return "variableName";
    if (s.match(/^(~|->|\.\.|[-+*/^@%<>=!?:&|]+)/)) return "operator";
    s.next();
    return null;
  },
});

const colours = HighlightStyle.define([
  { tag: tags.comment, color: "#55606e", fontStyle: "italic" },
  { tag: tags.keyword, color: "#8a1c7c", fontWeight: "600" },
  { tag: tags.typeName, color: "#1a4fa3", fontWeight: "600" },
  { tag: tags.macroName, color: "#1a5f7a" },
  { tag: tags.string, color: "#7a3e00" },
  { tag: tags.number, color: "#0b6b3a" },
  { tag: tags.operator, color: "#3c3c46" },
]);

const look = EditorView.theme({
  "&": { height: "100%", fontSize: "14px" },
  ".cm-scroller": { fontFamily: "ui-monospace, Menlo, Consolas, monospace", lineHeight: "1.5" },
  ".cm-gutters": { color: "#5a6270", backgroundColor: "#f4f5f7" },
  ".cm-tooltip.cm-tooltip-lint": { maxWidth: "40rem", whiteSpace: "pre-wrap" },
});

// diagnosticsOf turns what `ppl check --json` reports into marks. Offsets of ppl are in bytes of UTF-8.
export function diagnosticsOf(report, text, file) {
  const bytes = new TextEncoder().encode(text);
  const characters = (offset) => new TextDecoder().decode(bytes.subarray(0, offset)).length;
  return report.diagnostics.filter((d) => !d.at?.file || d.at.file === file).map((d) => {
    const from = Math.min(text.length, characters(d.at?.offset ?? 0));
    const to = Math.min(text.length, Math.max(from, characters(d.at?.end_offset ?? 0)));
    const severity = d.severity === "error" ? "error" : d.severity === "warning" ? "warning" : "info";
    return { from, to, severity, source: d.code, message: d.message + (d.help ? "\nhelp: " + d.help : "") };
  });
}

// newEditor makes an editor. check gets a text and promises marks; names are completed.
export function newEditor(host, { text, check, names, changed, run }) {
  const root = host.attachShadow({ mode: "open" });
  const complete = (context) => {
    const word = context.matchBefore(/[A-Za-z_][A-Za-z0-9_]*/);
    return word || context.explicit ? { from: word?.from ?? context.pos, options: names } : null;
  };
  return new EditorView({
    root, parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(), history(), drawSelection(), highlightActiveLine(), bracketMatching(), lintGutter(), language,
        syntaxHighlighting(colours), autocompletion({ override: [complete] }), look,
        EditorView.contentAttributes.of({ "aria-label": "Model", tabindex: "0" }),
        EditorView.lineWrapping,
        linter((view) => check(view.state.doc.toString()), { delay: 350 }),
        EditorView.updateListener.of((u) => { if (u.docChanged) changed(); }),
        keymap.of([{ key: "Mod-Enter", run: () => { run(); return true; } }, ...defaultKeymap, ...historyKeymap,
          ...completionKeymap, ...lintKeymap, indentWithTab]),
      ],
    }),
  });
}
