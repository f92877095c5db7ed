package store

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppl/runtime/sys/files"
	"ppl/runtime/sys/files/filestest"
)

// boundRun writes a run whose draws and shapes do not depend on the seed.
func boundRun(t *testing.T, seed uint64, values []float64) string {
	t.Helper()
	dir, l := filepath.Join(t.TempDir(), "m.run"), faultLayout(2)
	l.Observed[0].Values = values
	noise := make([]float64, sampleElements+1) // which is stored as it is
	for i := range noise {
		noise[i] = float64(i*i%10007) / 7
	}
	l.Constant = []Observed{{l.Observed[0].Variable, noise}}
	l.Constant[0].Name, l.Constant[0].Shape = "x", []int{len(noise)}
	w, err := Create(filestest.New(filestest.Good), dir, l, Options{Seed: seed, Source: []byte("m")})
	if err != nil {
		t.Fatal(err)
	}
	for d := range 20 {
		for chain := range l.Chains {
			values, stats := faultRecord(l, chain, d)
			if err := w.Append(chain, values, stats); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(Finished, nil); err != nil {
		t.Fatal(err)
	}
	return dir
}

// allOf reads the arrays that the tests damage.
func allOf(dir string) error {
	r, err := Open(dir)
	if err != nil {
		return err
	}
	_, err = r.Draws("mu")
	_, err2 := r.Draws("theta")
	_, err3 := r.Data("y")
	_, err4 := r.Data("x")
	return errors.Join(err, err2, err3, err4)
}

// TestForeignFiles checks that a file from another run of the same shape, or from another place of the run, is refused
// by name.
func TestForeignFiles(t *testing.T) {
	const seed = 1
	y := []float64{1.5, -2}
	other := boundRun(t, seed+1, y)
	otherData := boundRun(t, seed, []float64{1.5, 2})
	again := boundRun(t, seed, y)
	const foreign = " was written for another run or for another position in this run"
	for _, c := range []struct{ from, file, to, says string }{
		{other, "posterior/mu/0.0", "", "posterior/mu/0.0" + foreign},
		{other, "observed_data/y/0", "", "observed_data/y/0" + foreign},
		{other, "constant_data/x/0", "", "constant_data/x/0" + foreign},
		{other, "run.json", "", "layout.json: it belongs to another run"},
		{other, "layout.json", "", "layout.json: it belongs to another run"},
		{other, ".zmetadata", "", ".zmetadata: it belongs to another run"},
		{otherData, "posterior/mu/0.0", "", "posterior/mu/0.0" + foreign},
		{"", "sample_stats/lp/0.0", "posterior/mu/0.0", "posterior/mu/0.0" + foreign},
		{again, "posterior/mu/0.0", "", ""}, // which has the same draws
		{again, "run.json", "", ""},
	} {
		dir := boundRun(t, seed, y)
		if err := allOf(dir); err != nil {
			t.Fatal(err)
		}
		from, to := c.from, c.to
		if from == "" {
			from = dir
		}
		if to == "" {
			to = c.file
		}
		text, err := os.ReadFile(filepath.Join(from, filepath.FromSlash(c.file)))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(to)), text, 0o600); err != nil {
			t.Fatal(err)
		}
		err = allOf(dir)
		if c.says == "" && err != nil {
			t.Errorf("%s of the same run made again: %v", c.file, err)
		}
		if c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says) || !errors.As(err, new(ErrDamaged))) {
			t.Errorf("%s: %v", c.file, err)
		}
	}
}

// TestBindingCanFail checks that an empty binding accepts foreign files, which a proper one refuses.
func TestBindingCanFail(t *testing.T) {
	b, at := binding{"one"}, place{"posterior/mu", "0.0"}
	foreign := extraOf(binding{"other"}.mark(at, nil))
	if b.checkExtra(at, foreign) == nil || b.checkExtra(at, nil) == nil || (binding{}).checkExtra(at, foreign) != nil ||
		b.checkExtra(at, extraOf(b.mark(at, nil))) != nil ||
		b.checkExtra(place{"posterior/mu", "0.1"}, extraOf(b.mark(at, nil))) == nil {
		t.Error("marks do not tell runs and places apart")
	}
}

// unpacked unpacks a run of format 1: two chains of 20 draws, written by the last version before format 2.
func unpacked(t *testing.T) string {
	t.Helper()
	z, err := zip.OpenReader("testdata/run1.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	dir := filepath.Join(t.TempDir(), "first.run")
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, text, 0o600))
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestFirstFormat checks that a run of format 1 can be read, and can be resumed in its format.
func TestFirstFormat(t *testing.T) {
	dir := unpacked(t)
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	mu, err := r.Draws("mu")
	y, err2 := r.Data("y")
	if err != nil || err2 != nil || len(mu) != 2 || len(mu[1]) != 20 || !slices.Equal(y, []float64{1, 2, 3}) {
		t.Fatal(len(mu), y, err, err2)
	}
	w, err := Resume(filestest.New(filestest.Good), dir, r.Layout, []int{20, 20}, Options{Sampler: r.Info.Sampler})
	if err != nil {
		t.Fatal(err)
	}
	for chain := range 2 {
		stats := 0
		for _, v := range r.Layout.SampleStats {
			stats += v.Size()
		}
		if err := w.Append(chain, make([]float64, w.width-stats), make([]float64, stats)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(Finished, nil); err != nil {
		t.Fatal(err)
	}
	longer, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	then, err := longer.Draws("mu")
	if err != nil || longer.Info.Format != firstFormat || len(then[0]) != 21 || !slices.Equal(then[0][:20], mu[0]) {
		t.Error(longer.Info.Format, len(then[0]), err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "posterior", "mu", "0.0")); err != nil ||
		bytes.HasPrefix(text, []byte("\x1f\x8b")) {
		t.Error("a chunk has another format than its array", err)
	}
}

// TestLaterFormat checks that the error for a run of a later format names the version of ppl that wrote it.
func TestLaterFormat(t *testing.T) {
	dir := boundRun(t, 1, []float64{1, 2})
	path := filepath.Join(dir, runFile)
	text, err := files.Read(path, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte(format), []byte("ppl run 3"), 1)
	text = bytes.Replace(text, []byte(`"ppl_version": ""`), []byte(`"ppl_version": "9.0.0"`), 1)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), `"ppl run 3"`) ||
		!strings.Contains(err.Error(), "ppl 9.0.0 wrote it") {
		t.Error(err)
	}
}
