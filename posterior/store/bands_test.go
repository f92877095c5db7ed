package store

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ppl/lang/types"
	"ppl/runtime/sys/files"
)

func TestGrid(t *testing.T) {
	for _, c := range []struct{ draws, chains, arrays, width, widest, band, chunk int }{
		{1000, 4, 9, 25, 8, 4, 1024},        // one file for each array of a short run,
		{1025, 4, 9, 25, 8, 4, 2048},        // of more draws,
		{8192, 4, 9, 25, 8, 4, 8192},        // and of as many as a chunk holds
		{8193, 4, 9, 25, 8, 1, 8192},        // more have files of their own
		{1000, 4, 9, 5000, 4096, 1, 209},    // as have chains with wide arrays
		{0, 4, 9, 25, 8, 1, 8192},           // nobody knows how many
		{0, 32, 9, 25, 8, 1, 8192},          // the last with files of their own
		{0, 64, 9, 25, 8, 16, 8192},         // 16 · 8192 · 8 elements are a chunk of 8 MiB
		{0, 4096, 9, 25, 8, 400, 327},       // 4096 · 327 · 25 numbers are 256 MiB in memory
		{0, 4096, 1, 100000, 100000, 10, 1}, // one draw of each is more than that
		{0, 100, 0, 0, 0, 100, 8192},
		{0, 4, 20000, 20000, 1, 4, 52},   // scalars, in one file each for all chains
		{65536, 4, 9, 25, 8, 1, 8192},    // in eight chunks
		{250000, 4, 9, 25, 8, 1, 31250},  // here too
		{1000000, 4, 9, 25, 8, 1, 32768}, // and in as many as it takes
	} {
		if band, chunk := grid(c.draws, c.chains, c.arrays, c.width, c.widest); band != c.band || chunk != c.chunk {
			t.Errorf("%+v: chunks of %d chains and %d draws", c, band, chunk)
		}
	}
}

// manyChains returns a layout whose chains share files in two bands; the second band is not full.
func manyChains() Layout { return faultLayout(70) }

// wantMu checks the number of readable draws and the values of mu.
func wantMu(t *testing.T, dir string, draws int) {
	t.Helper()
	r := open(t, dir)
	if r.Info.Draws != draws {
		t.Fatalf("%d draws can be read, want %d", r.Info.Draws, draws)
	}
	mu, err := r.Draws("mu")
	if err != nil {
		t.Fatal(err)
	}
	for chain, xs := range mu {
		for d, x := range xs {
			if x != muAt(chain, d) {
				t.Fatalf("draw %d of chain %d is %v", d, chain, x)
			}
		}
	}
}

func muAt(chain, d int) float64 { return float64(1_000_000*chain + d) }

// TestChainsThatShareFiles appends blocks of draws to chains in random order, as nuts does, so that chunks of a band
// are completed at different times. It checks that announced draws can be read at any time, and that a run resumed from
// an earlier draw ends with the same files.
func TestChainsThatShareFiles(t *testing.T) {
	const window, block = usualChunk, 3000
	l := Layout{Chains: ownFiles + 1, Posterior: []types.Variable{{Name: "mu"}}}
	dir := filepath.Join(t.TempDir(), "m.run")
	r := rand.New(rand.NewPCG(1, 2))
	w := create(t, dir, l, Options{})
	if w.chunk != window || w.band != l.Chains {
		t.Fatalf("chunks of %d chains and %d draws", w.band, w.chunk)
	}
	counts := make([]int, l.Chains)
	forward := func(end int) {
		for {
			chain := r.IntN(l.Chains)
			for k := 0; k < l.Chains && counts[chain] == end; k++ {
				chain = (chain + 1) % l.Chains
			}
			if counts[chain] == end {
				return
			}
			for to := min(counts[chain]+block, end); counts[chain] < to; counts[chain]++ {
				if err := w.Append(chain, []float64{muAt(chain, counts[chain])}, nil); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	forward(100)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	wantMu(t, dir, 100)
	forward(window + 500)
	wantMu(t, dir, window) // without Flush: the window is full
	if err := w.Close(Interrupted, nil); err != nil {
		t.Fatal(err)
	}
	wantMu(t, dir, window+500)

	for chain := range counts { // some in the first window, some in the second
		counts[chain] = window - 50 + r.IntN(200)
	}
	var err error
	if w, err = Resume(files.Disk{}, dir, l, counts, Options{}); err != nil {
		t.Fatal(err)
	}
	forward(window + 600)
	if err := w.Close(Finished, nil); err != nil {
		t.Fatal(err)
	}
	wantMu(t, dir, window+600)

	straight := filepath.Join(t.TempDir(), "m.run")
	w = create(t, straight, l, Options{})
	counts = make([]int, l.Chains)
	for end := 0; end < window+600; end += block { // in step, as the chains of renhd
		forward(min(end+block, window+600))
	}
	if err := w.Close(Finished, nil); err != nil {
		t.Fatal(err)
	}
	sameFiles(t, dir, straight)
}

// sameFiles checks that the chunks of two runs have the same bytes.
func sameFiles(t *testing.T, a, b string) {
	t.Helper()
	n := 0
	err := filepath.WalkDir(a, func(path string, d os.DirEntry, err error) error {
		if _, e := strconv.Atoi(strings.ReplaceAll(d.Name(), ".", "")); e != nil { // not "3.0.0", a chunk
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(a, path)
		if err != nil {
			return err
		}
		x, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		y, err := os.ReadFile(filepath.Join(b, rel))
		if err == nil && !bytes.Equal(x, y) {
			t.Errorf("%s differs", rel)
		}
		n++
		return err
	})
	if err != nil || n < 4 {
		t.Error(n, err)
	}
}

// TestExportOfSharedFiles checks that exported columns are ordered by chain if chains share files.
func TestExportOfSharedFiles(t *testing.T) {
	l, dir := manyChains(), filepath.Join(t.TempDir(), "m.run")
	w := create(t, dir, l, Options{})
	var want []float64
	for chain := range l.Chains {
		for d := range 5 {
			values, stats := faultRecord(l, chain, d)
			if err := w.Append(chain, values, stats); err != nil {
				t.Fatal(err)
			}
			want = append(want, values[0])
		}
	}
	if err := w.Close(Finished, nil); err != nil {
		t.Fatal(err)
	}
	run := open(t, dir)
	var out bytes.Buffer
	columns, _ := run.Layout.columns()
	if err := run.writeColumn(&out, columns[0]); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, decode(nil, out.Bytes(), realType)); d != "" {
		t.Error(d)
	}
}
