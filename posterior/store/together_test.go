package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ppl/lang/types"
	"ppl/runtime/sys/files"
)

// sideBySide writes a finished run; muAt gives its draws by chain and draw.
func sideBySide(t *testing.T, chains, draws int) *Run {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "m.run")
	w := create(t, dir, Layout{Chains: chains, Posterior: []types.Variable{{Name: "mu"},
		{Name: "theta", Shape: []int{2}}}, SampleStats: []types.Variable{{Name: "lp"}}}, Options{})
	for chain := range chains {
		for d := range draws {
			x := muAt(chain, d)
			if err := w.Append(chain, []float64{x, x + .25, x + .5}, []float64{-x}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(Finished, nil); err != nil {
		t.Fatal(err)
	}
	return open(t, dir)
}

// TestTogether checks that arrays are read together, all draws or every k-th, whether or not chains share files.
func TestTogether(t *testing.T) {
	for _, c := range []struct{ chains, draws int }{{2, 2*usualChunk + 100}, {ownFiles + 1, 700}} {
		for _, every := range []int{1, 3, usualChunk + 5} {
			run := sideBySide(t, c.chains, c.draws).Every(every)
			kept := (c.draws + every - 1) / every
			if run.Info.Draws != kept {
				t.Errorf("every %d of %d draws are %d", every, c.draws, run.Info.Draws)
			}
			counts := make([]int, c.chains)
			arrays := []Array{{posterior, "theta"}, {sampleStats, "lp"}}
			err := run.Together(arrays, 1, c.chains, func(chain, first int, values [][]float64) error {
				if first != counts[chain] || len(values[0]) != 2*len(values[1]) {
					t.Fatalf("chain %d continues with draw %d, %d and %d numbers", chain, first, len(values[0]),
						len(values[1]))
				}
				for d, lp := range values[1] {
					x := muAt(chain, (first+d)*every)
					if lp != -x || values[0][2*d] != x+.25 || values[0][2*d+1] != x+.5 {
						t.Fatalf("draw %d of chain %d is %v, %v", first+d, chain, lp, values[0][2*d:2*d+2])
					}
				}
				counts[chain] += len(values[1])
				return nil
			})
			for chain, n := range counts {
				if want := kept * min(chain, 1); err != nil || n != want { // the first chain was not asked for
					t.Errorf("%d draws of chain %d, want %d: %v", n, chain, want, err)
				}
			}
			mu, err := run.Draws("mu")
			if err != nil || len(mu[1]) != kept || mu[1][kept-1] != muAt(1, (kept-1)*every) {
				t.Errorf("%d draws, want %d: %v", len(mu[1]), kept, err)
			}
		}
	}
}

// TestTogetherErrors checks that an error of the visit ends the reading, and that an unknown array is an error.
func TestTogetherErrors(t *testing.T) {
	run, stop := sideBySide(t, 1, 10), errors.New("stop")
	err := run.Together([]Array{{posterior, "mu"}}, 0, 1, func(int, int, [][]float64) error { return stop })
	if !errors.Is(err, stop) {
		t.Error(err)
	}
	if err := run.Together([]Array{{posterior, "nu"}}, 0, 1, nil); err == nil {
		t.Error("an array that is not there is read")
	}
}

func TestWithin(t *testing.T) {
	run := sideBySide(t, 2, 1000)
	for _, c := range []struct{ most, every, draws int }{{5000, 1, 1000}, {2000, 1, 1000}, {1999, 2, 500},
		{100, 20, 50}, {1, 500, 2}} {
		thin, every := run.Within(c.most)
		if every != c.every || thin.Info.Draws != c.draws {
			t.Errorf("within %d: each %d-th, %d draws", c.most, every, thin.Info.Draws)
		}
	}
}

// TestFirst checks that First returns the first draws of a run and of a thinned run, and allocates no more than those
// chunks need.
func TestFirst(t *testing.T) {
	whole := sideBySide(t, 2, 2*usualChunk+100)
	for _, c := range []struct{ every, n int }{{1, 1}, {1, usualChunk}, {1, usualChunk + 1}, {3, 10}} {
		run := whole.Every(c.every).First(c.n)
		mu, err := run.Draws("mu")
		if err != nil || run.Info.Draws != c.n || len(mu[1]) != c.n || mu[1][c.n-1] != muAt(1, (c.n-1)*c.every) {
			t.Errorf("%+v: %d draws, %v", c, len(mu[1]), err)
		}
		if most := 2 * usualChunk; cap(mu[1]) > most {
			t.Errorf("%+v: there is room for %d draws", c, cap(mu[1]))
		}
	}
}

// TestEmptyModel checks that an empty copy of the model is reported as damage of the named run.
func TestEmptyModel(t *testing.T) {
	dir := sideBySide(t, 1, 2).Dir
	if err := os.WriteFile(filepath.Join(dir, ModelFile), []byte(" \n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := ReadModel(files.Disk{}, dir)
	if !errors.As(err, new(ErrDamaged)) || !strings.Contains(err.Error(), dir) {
		t.Error(err)
	}
}
