package lsp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"ppl/app/lsp"
)

// A client imitates an editor. It encodes and decodes messages without the server's library, so that a mistake of that
// library cannot cancel out.
type client struct {
	t      testing.TB
	to     io.WriteCloser
	from   *bufio.Reader
	id     int
	served chan error
}

func start(t testing.TB, folder string) *client {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	c := &client{t: t, to: toServer, from: bufio.NewReader(fromServer), served: make(chan error, 1)}
	host := lsp.Host{Version: "0", Words: []lsp.Word{
		{"Normal", "Normal(mean, sd)", "The normal distribution.", protocol.CompletionItemKindClass},
		{"exp", "exp(x)", "The exponential function.", protocol.CompletionItemKindFunction},
	}}
	go func() { c.served <- lsp.Serve(context.Background(), in, out, host) }()
	capabilities := c.ask("initialize", map[string]any{"processId": nil, "rootUri": nil,
		"capabilities":     map[string]any{},
		"workspaceFolders": []any{map[string]any{"uri": uriOf(folder), "name": "w"}}})
	if !strings.Contains(text(capabilities), `"hoverProvider":true`) {
		t.Fatalf("capabilities: %s", text(capabilities))
	}
	c.notify("initialized", map[string]any{})
	return c
}

func uriOf(path string) string { return "file://" + filepath.ToSlash(path) }

func text(x any) string {
	b, err := json.Marshal(x)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func (c *client) send(message map[string]any) {
	message["jsonrpc"] = "2.0"
	body := text(message)
	if _, err := fmt.Fprintf(c.to, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) notify(method string, params any) {
	c.send(map[string]any{"method": method, "params": params})
}

// read returns the next message of the server.
func (c *client) read() map[string]any {
	c.t.Helper()
	length := 0
	for {
		line, err := c.from.ReadString('\n')
		if err != nil {
			c.t.Fatal(err)
		}
		if line = strings.TrimSpace(line); line == "" {
			break
		}
		if _, err := fmt.Sscanf(line, "Content-Length: %d", &length); err != nil {
			c.t.Fatalf("header %q", line)
		}
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(c.from, body); err != nil {
		c.t.Fatal(err)
	}
	var message map[string]any
	if err := json.Unmarshal(body, &message); err != nil {
		c.t.Fatal(err)
	}
	return message
}

// ask sends a request and returns its result; an error is returned as its message.
func (c *client) ask(method string, params any) any {
	c.t.Helper()
	c.id++
	c.send(map[string]any{"id": c.id, "method": method, "params": params})
	for {
		m := c.read()
		if m["id"] != nil {
			if e, ok := m["error"].(map[string]any); ok {
				return e["message"]
			}
			return m["result"]
		}
	}
}

// diagnostics waits for the diagnostics of a version that contain the wanted text, or for the first ones if it is
// empty.
func (c *client) diagnostics(version int, want string) []any {
	c.t.Helper()
	for {
		m := c.read()
		p, _ := m["params"].(map[string]any)
		if m["method"] != "textDocument/publishDiagnostics" || p["version"] != float64(version) {
			continue
		}
		if strings.Contains(text(p), want) {
			return p["diagnostics"].([]any)
		}
	}
}

func (c *client) open(path, content string) {
	c.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uriOf(path),
		"languageId": "ppl", "version": 1, "text": content}})
}

// at returns the position of a part of a text, plus a number of characters.
func at(path, content, part string, after int) map[string]any {
	before := content[:strings.Index(content, part)+after]
	line := strings.Count(before, "\n")
	units := 0
	for _, r := range before[strings.LastIndexByte(before, '\n')+1:] {
		if units++; r > 0xffff {
			units++
		}
	}
	return map[string]any{"textDocument": map[string]any{"uri": uriOf(path)},
		"position": map[string]any{"line": line, "character": units}}
}

func (c *client) end() {
	c.t.Helper()
	c.ask("shutdown", nil)
	c.notify("exit", nil)
	select {
	case err := <-c.served:
		if err != nil {
			c.t.Error(err)
		}
	case <-time.After(time.Minute):
		c.t.Error("the server does not end")
	}
}

const model = `# growth of 🌱 by county
data county[N]: index(J), x[N], y[N] from "plants.csv"
mu ~ Normal(0, 10)
tau ~ HalfNormal(5)
slope[j in J] ~ Normal(mu, tau)
sigma ~ HalfNormal(5)
y[i in N] ~ Normal(slope[county[i]] * x[i], sgima)
`

const table = "county,x,y\nAitkin,1,2\nBeltrami,2,3\nAitkin,3,7\n"

func write(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A session of an editor: a mistake, its fix, hover texts, completion, renaming, formatting.
func TestSession(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "plants.csv", table)
	path := filepath.Join(dir, "growth.ppl")
	c := start(t, dir)
	c.open(path, model)

	wrong := c.diagnostics(1, "")
	if len(wrong) != 1 || !strings.Contains(text(wrong), `"code":"E10"`) ||
		!strings.Contains(text(wrong), `"start":{"character":44,"line":6}`) {
		t.Fatalf("diagnostics: %s", text(wrong))
	}
	place := at(path, model, "sgima", 1)
	action := c.ask("textDocument/codeAction", map[string]any{"textDocument": place["textDocument"],
		"range":   map[string]any{"start": place["position"], "end": place["position"]},
		"context": map[string]any{"diagnostics": wrong}})
	if !strings.Contains(text(action), `"newText":"sigma"`) {
		t.Errorf("code action: %s", text(action))
	}
	fixed := strings.Replace(model, "sgima", "sigma", 1)
	start := at(path, model, "sgima", 0)["position"]
	end := at(path, model, "sgima", 5)["position"]
	c.notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": uriOf(path), "version": 2},
		"contentChanges": []any{map[string]any{"range": map[string]any{"start": start, "end": end}, "text": "sigma"}}})
	if ds := c.diagnostics(2, ""); len(ds) != 0 {
		t.Errorf("diagnostics after the fix: %s", text(ds))
	}
	c.notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": uriOf(path)}})
	c.diagnostics(2, "")
	c.diagnostics(2, "") // with the data

	for part, want := range map[string]string{
		"Normal(0, 10)":   "The normal distribution.",
		"county[N]":       `Aitkin (2)`,
		"tau ~":           "HalfNormal(5)",
		"slope[county":    "slope[j in J] ~ Normal(mu, tau)",
		"sigma)":          "real in 0..inf",
		"x[N]":            "from 1 to 3",
		"x[i], sigma)":    "data x[N = 3]",
		"mu, tau":         "mu ~ Normal(0, 10)",
		"county[i]] * x[": "Beltrami (1)",
	} {
		if h := c.ask("textDocument/hover", at(path, fixed, part, 1)); !strings.Contains(text(h), want) {
			t.Errorf("hover on %q: %s, want %s", part, text(h), want)
		}
	}
	for part, want := range map[string]string{
		"mu, tau":       `"label":"slope"`,
		"from \"plants": `"label":"county"`,
	} {
		if l := c.ask("textDocument/completion", at(path, fixed, part, 0)); !strings.Contains(text(l), want) {
			t.Errorf("completion at %q: %s, want %s", part, text(l), want)
		}
	}
	if l := text(c.ask("textDocument/completion", at(path, fixed, "i]] * x", 1))); !strings.Contains(l, `"label":"i"`) ||
		!strings.Contains(l, `"label":"Normal"`) || strings.Contains(l, `"label":"j"`) {
		t.Errorf("completion in a statement: %s", l)
	}
	d := text(c.ask("textDocument/definition", at(path, fixed, "tau)", 1)))
	if !strings.Contains(d, `"start":{"character":0,"line":3}`) {
		t.Errorf("definition of tau: %s", d)
	}
	refs := at(path, fixed, "county[i]", 1)
	refs["context"] = map[string]any{"includeDeclaration": true}
	if r := c.ask("textDocument/references", refs).([]any); len(r) != 2 {
		t.Errorf("references of county: %s", text(r))
	}
	rename := at(path, fixed, "mu ~", 0)
	rename["newName"] = "centre"
	if e := text(c.ask("textDocument/rename", rename)); strings.Count(e, "centre") != 2 {
		t.Errorf("rename of mu: %s", e)
	}
	for _, name := range []string{"tau", "Normal", "2x", "a b", "", "data"} {
		rename["newName"] = name
		if e := text(c.ask("textDocument/rename", rename)); strings.Contains(e, "changes") {
			t.Errorf("rename of mu to %q: %s", name, e)
		}
	}
	symbols := text(c.ask("textDocument/documentSymbol", at(path, fixed, "mu", 0)))
	for _, name := range []string{"county", "x", "y", "mu", "tau", "slope", "sigma"} {
		if !strings.Contains(symbols, fmt.Sprintf(`"name":"%s"`, name)) {
			t.Errorf("symbols lack %s: %s", name, symbols)
		}
	}
	tokens := c.ask("textDocument/semanticTokens/full", at(path, fixed, "mu", 0)).(map[string]any)
	if n := len(tokens["data"].([]any)); n%5 != 0 || n < 5*20 {
		t.Errorf("%d numbers of tokens", n)
	}
	if e := c.ask("textDocument/formatting", map[string]any{"textDocument": map[string]any{"uri": uriOf(path)},
		"options": map[string]any{"tabSize": 4, "insertSpaces": true}}); e != nil && len(e.([]any)) > 0 {
		t.Errorf("a canonical text is changed: %s", text(e))
	}
	c.end()
}

// Data files outside the folders that are open in the editor are not read, not even through links.
func TestDataElsewhere(t *testing.T) {
	t.Parallel()
	dir, elsewhere := t.TempDir(), t.TempDir()
	outside := write(t, elsewhere, "secret.csv", strings.ReplaceAll(table, "Aitkin", "Secret"))
	if err := os.Symlink(outside, filepath.Join(dir, "plants.csv")); err != nil {
		t.Skip(err)
	}
	fixed := strings.Replace(model, "sgima", "sigma", 1)
	c := start(t, dir)
	for k, content := range []string{fixed, strings.Replace(fixed, "plants.csv", filepath.ToSlash(outside), 1)} {
		path := filepath.Join(dir, fmt.Sprintf("m%d.ppl", k))
		c.open(path, content)
		c.diagnostics(1, "")
		for _, method := range []string{"textDocument/hover", "textDocument/completion"} {
			if got := text(c.ask(method, at(path, content, "county[N]", 1))); strings.Contains(got, "Secret") {
				t.Errorf("%s shows %s", method, got)
			}
		}
	}
	c.end()
}

// Requests about files that are not open, positions beyond the end of the text, and messages that are not for a server
// do not change the session.
func TestOddRequests(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "m.ppl")
	c := start(t, dir)
	c.ask("textDocument/hover", at(filepath.Join(dir, "none.ppl"), "x", "x", 0))
	c.open(path, "")
	far := map[string]any{"textDocument": map[string]any{"uri": uriOf(path)},
		"position": map[string]any{"line": 4000, "character": 4000}}
	for _, method := range []string{"hover", "completion", "definition", "references", "documentHighlight",
		"prepareRename", "documentSymbol", "semanticTokens/full", "foldingRange", "nonsense"} {
		c.ask("textDocument/"+method, far)
	}
	end := map[string]any{"start": far["position"], "end": far["position"]}
	c.notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": uriOf(path), "version": 2},
		"contentChanges": []any{map[string]any{"range": end, "text": "y ~ Normal(0, 1)\n((["}}})
	if ds := c.diagnostics(2, ""); len(ds) == 0 {
		t.Error("an open bracket is not reported")
	}
	c.end()
}
