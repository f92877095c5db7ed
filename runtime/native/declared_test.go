//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native

import (
	"testing"

	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/render"
)

// TestFunctionsAreDeclared checks that the C code declares every function that it calls, as GCC 14 and Clang 16
// require.
func TestFunctionsAreDeclared(t *testing.T) {
	t.Parallel()
	c, err := newCompiler(t.Context())
	if err != nil {
		t.Skip(err)
	}
	for _, layout := range []ir.Layout{ir.Interleaved, ir.Apart} {
		p := &ir.Program{Layout: layout, Entries: []ir.Entry{{Name: "nothing"}}}
		if _, err := c.run(render.C(p), "-fsyntax-only", "-Werror=implicit-function-declaration", "-x", "c",
			"-"); err != nil {
			t.Errorf("layout %v: %v", layout, err)
		}
	}
}
