package app

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ppl/app/notes"
	"ppl/app/rundir"
	"ppl/compiler"
)

// writeAll writes files below a directory.
func writeAll(t *testing.T, dir string, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func digests(t *testing.T, s Source) rundir.Digests {
	t.Helper()
	p, err := loadSharing(context.Background(), compiler.DefaultRowCache(), s, notes.None{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := rundir.DigestsOf(p)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A model and its data are the same after their files were sent to another directory and the originals deleted:
// imports, data of the model by relative and absolute paths, a folder of files by a pattern, a column, and a number.
func TestInputsElsewhere(t *testing.T) {
	here, elsewhere := t.TempDir(), t.TempDir()
	t.Chdir(here)
	writeAll(t, here, map[string]string{
		"models/m.ppl": "import \"lib/f.ppl\"\ndata x[N] from \"../data/x.csv\"\n" +
			"data v[L] from \"" + filepath.ToSlash(filepath.Join(here, "data/v.csv")) + "#u\"\n" +
			"data y[M], z[K], s\n" +
			"mu ~ Normal(0, f.twice(s))\nx[i in N] ~ Normal(mu, 1)\ny[i in M] ~ Normal(mu, 1)\n" +
			"z[i in K] ~ Normal(mu, 1)\nv[i in L] ~ Normal(mu, 1)\n",
		"models/lib/f.ppl": "twice(a) = 2 * a\n",
		"data/x.csv":       "x\n1\n2\n", "data/z.csv": "w\n7\n8\n9\n", "data/v.csv": "u\n4\n6\n",
		"data/unused.csv": "q\n1\n",
		"parts/1.csv":     "y\n3\n", "parts/2.csv": "y\n4\n5\n",
	})
	for _, s := range []Source{
		{Model: "models/m.ppl", Data: []string{"parts/*.csv", "z=data/z.csv#w", "s=3"}},
		{Model: "models/m.ppl", Data: []string{"parts", "z=" + filepath.Join(here, "data/z.csv") + "#w", "s=3"}},
	} {
		want := digests(t, s)
		sent, inputs, err := inputsOf(s)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, in := range inputs {
			name, err := filepath.Rel(here, in.Path)
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, filepath.ToSlash(name))
		}
		slices.Sort(names)
		if all := []string{"data/v.csv", "data/x.csv", "data/z.csv", "models/lib/f.ppl", "models/m.ppl", "parts/1.csv",
			"parts/2.csv"}; !slices.Equal(names, all) {
			t.Errorf("sent %v, want %v", names, all)
		}
		hidden := filepath.Join(t.TempDir(), "hidden")
		if err := os.Rename(here, hidden); err != nil {
			t.Fatal(err)
		}
		there, err := writeInputs(elsewhere, sent, inputs)
		if err != nil {
			t.Fatal(err)
		}
		if got := digests(t, there); got != want {
			t.Errorf("%v elsewhere: %v, want %v", s.Data, got, want)
		}
		if err := os.Rename(hidden, here); err != nil {
			t.Fatal(err)
		}
	}
}

// Large files are not sent; their paths must exist on all ranks. No path leads out of the directory of sent files.
func TestInputsAreLarge(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	writeAll(t, dir, map[string]string{"m.ppl": "data y[N]\nmu ~ Normal(0, 1)\ny[i in N] ~ Normal(mu, 1)\n",
		"d.csv": "y\n1\n"})
	if err := os.Truncate("d.csv", mostSent+1); err != nil {
		t.Fatal(err)
	}
	s, inputs, err := inputsOf(Source{Model: "m.ppl", Data: []string{"d.csv", "k=3"}})
	if err != nil || len(inputs) > 0 || s.Model != filepath.Join(dir, "m.ppl") ||
		!slices.Equal(s.Data, []string{filepath.Join(dir, "d.csv"), "k=3"}) {
		t.Error(s, inputs, err)
	}
	for _, path := range []string{"/a/../../b", "../b", "b"} {
		if got := compiler.Below(dir, path); got != filepath.Join(dir, "b") {
			t.Errorf("%s is at %s", path, got)
		}
	}
}
