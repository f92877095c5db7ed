package bind_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ppl/compiler"
)

// A file with one array that has no name gives it to whatever name it is given for; an archive is asked by name.
func TestBinaryData(t *testing.T) {
	t.Parallel()
	dir, err := filepath.Abs("../datafile/testdata")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.ppl")
	const text = "data image[N, H, W] from \"%/images-idx3-ubyte.gz\"\ndata flag[N] from \"%/several.npz\"\n" +
		"data x[A, B] missing from \"%/several.npz\"\nb ~ Normal(0, 1)\nx ~ Normal(b, 1)\nflag[i in N] ~ " +
		"Bernoulli(logits = b * image[i, 1, 2])\n"
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "%", dir)), 0o600); err != nil {
		t.Fatal(err)
	}
	p, ds := compiler.Load(compiler.Request{Path: path})
	if p == nil {
		t.Fatal(ds)
	}
	if n, err := p.Rows(); n != 6 { // x is the larger
		t.Errorf("%d rows, %v; want 6", n, err)
	}
}
