package lsp_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// long is a model of some number of lines, as a user would write it: parameters, definitions that read them, outcomes.
func long(lines int) string {
	var b strings.Builder
	b.WriteString("data x[N] = [1, 2, 3], y[N] = [1.1, 1.9, 3.2]\nsigma ~ HalfNormal(5)\n")
	for k := range (lines - 2) / 3 {
		fmt.Fprintf(&b, "a%[1]d ~ Normal(0, 10)\nm%[1]d[i in N] = a%[1]d + x[i] ^ 2 * %[1]d\n", k)
		fmt.Fprintf(&b, "factor [i in N]: -(y[i] - m%d[i]) ^ 2 / sigma\n", k)
	}
	return b.String()
}

// BenchmarkTyping is from a keystroke to its mistakes, without the pause that the server waits for the next one (the
// first mistakes after opening a text come at once). 300 lines are to take 50 ms, 10,000 lines 200 ms.
func BenchmarkTyping(b *testing.B) {
	for _, lines := range []int{300, 10000} {
		b.Run(fmt.Sprint(lines), func(b *testing.B) {
			folder := b.TempDir()
			c := start(b, folder)
			text := long(lines) + "wrong = nothing\n"
			for i := 0; b.Loop(); i++ {
				c.open(filepath.Join(folder, fmt.Sprintf("m%d.ppl", i)), text)
				c.diagnostics(1, "nothing")
			}
			c.end()
		})
	}
}
