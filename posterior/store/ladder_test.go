package store

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ppl/lang/types"
	"ppl/runtime/sys/files"
)

// ladderRun writes a run with a ladder, over the run that is in the directory, if any.
func ladderRun(t *testing.T, dir string, l *Ladder) {
	t.Helper()
	w, err := Create(files.Disk{}, dir, Layout{Chains: 2, Posterior: []types.Variable{{Name: "x"}}},
		Options{Model: "m.ppl", Overwrite: true})
	if err != nil {
		t.Fatal(err)
	}
	for chain := range 2 {
		if err := w.Append(chain, []float64{1}, nil); err != nil {
			t.Fatal(err)
		}
	}
	w.Report(SamplerReport{Exchange: Exchange{Ladder: l, Temperatures: []float64{1, math.Inf(1)}}})
	if err := w.Close(Finished, nil); err != nil {
		t.Fatal(err)
	}
}

// TestLadder checks that a stored ladder is read back, and that a run without a ladder that overwrites the run removes
// it.
func TestLadder(t *testing.T) {
	dir := t.TempDir()
	l := &Ladder{Betas: []float64{1, 0}, Energies: [][]float64{{-1, -2, -3, math.Inf(-1)}, {-1.5, -2, -3, -1e300}},
		Dim: 1, Hottest: [][]float64{{1, 2, 3}, {4, 5, 6}}}
	ladderRun(t, dir, l)
	read := func() *Ladder {
		r, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Ladder()
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if diff := cmp.Diff(l, read(), cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
	ladderRun(t, dir, nil)
	if got := read(); got != nil {
		t.Errorf("a run without a ladder has %+v", got)
	}
}

// TestDamagedLadder checks that a file that is cut short, or has a different number of rungs, is reported as damaged.
func TestDamagedLadder(t *testing.T) {
	dir := t.TempDir()
	ladderRun(t, dir, &Ladder{Betas: []float64{1, 0}, Energies: [][]float64{{-1, -2}, {-1, -3}}})
	file := filepath.Join(dir, energiesFile)
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	other := npy([][]float64{{1, 2, 3}}, 3)
	for _, part := range [][]byte{text[:len(text)-1], text[:100], text[:5], nil, other} {
		if err := os.WriteFile(file, part, 0o600); err != nil {
			t.Fatal(err)
		}
		if l, err := r.Ladder(); !errors.As(err, new(ErrDamaged)) {
			t.Errorf("%d bytes: %+v, %v", len(part), l, err)
		}
	}
}
