package lsp_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// long returns a model with the given number of lines: parameters, definitions that read them, and outcomes.
func long(lines int) string {
	var b strings.Builder
	b.WriteString("data x[N] = [1, 2, 3], y[N] = [1.1, 1.9, 3.2]\nsigma ~ HalfNormal(5)\n")
	for k := range (lines - 2) / 3 {
		fmt.Fprintf(&b, "a%[1]d ~ Normal(0, 10)\nm%[1]d[i in N] = a%[1]d + x[i] ^ 2 * %[1]d\n", k)
		fmt.Fprintf(&b, "factor [i in N]: -(y[i] - m%d[i]) ^ 2 / sigma\n", k)
	}
	return b.String()
}

// BenchmarkTyping measures the time from a keystroke in the middle of a text to the diagnostics of the new text, which
// has one mistake or none. The target is 50 ms for 300 lines and 200 ms for 10,000 lines, with the garbage collector as
// ppl lsp sets it (GOGC=400).
func BenchmarkTyping(b *testing.B) {
	for _, lines := range []int{300, 10000} {
		for name, end := range map[string]string{"wrong": "wrong = nothing\n", "right": ""} {
			b.Run(fmt.Sprint(lines, "/", name), func(b *testing.B) {
				folder := b.TempDir()
				c := start(b, folder)
				path := filepath.Join(folder, "m.ppl")
				c.open(path, long(lines)+end)
				c.diagnostics(1, "")
				version := 1
				for b.Loop() {
					version++
					if version%2 == 0 {
						c.replace(path, version, lines/2, 0, "", "# a comment\n")
					} else {
						c.replace(path, version, lines/2, 0, "# a comment\n", "")
					}
					c.diagnostics(version, "")
				}
				c.end()
			})
		}
	}
}

// replace replaces a part of a line, or whole lines.
func (c *client) replace(path string, version, line, from int, old, text string) {
	start := map[string]any{"line": line, "character": from}
	end := map[string]any{"line": line + strings.Count(old, "\n"), "character": from + len(old)}
	if strings.HasSuffix(old, "\n") {
		end["character"] = 0
	}
	c.notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": uriOf(path), "version": version},
		"contentChanges": []any{map[string]any{"range": map[string]any{"start": start, "end": end}, "text": text}}})
}
