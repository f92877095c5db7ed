//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native_test

import (
	"os"
	"path/filepath"
	"testing"

	"ppl/compiler"
	"ppl/runtime/host"
)

// TestZeroTimesInfinity tests impossible values of a latent, which have weight zero and an infinite slope; their
// product must be zero. GCC 12 with -fno-signed-zeros computed the product in a branch where it knew the zero, and made
// the gradient NaN.
func TestZeroTimesInfinity(t *testing.T) {
	d := open(t)
	path := filepath.Join(t.TempDir(), "model.ppl")
	const text = `
data y[M, T] = [[0, 1, 0], [0, 0, 0], [1, 1, 0], [0, 0, 0]]
omega, p, c ~ Uniform(0, 1)
z[i in M] ~ Bernoulli(omega)
y[i in M, t in T] ~ Bernoulli(z[i] * (t > 1 && y[i, t-1] == 1 ? c : p))
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	target, ds := compiler.Load(compiler.Request{Path: path})
	if target == nil {
		t.Fatal(ds)
	}
	p := stepProgram(t, target)
	want, got := trajectory(t, host.Device{}, target, p), trajectory(t, d, target, p)
	for name := range want {
		for i := range want[name] {
			if g, w := got[name][i], want[name][i]; !agree(g, w) {
				t.Errorf("%s[%d]: native %v, host %v", name, i, g, w)
			}
		}
	}
}
