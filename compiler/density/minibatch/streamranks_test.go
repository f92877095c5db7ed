package minibatch_test

import (
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"ppl/compiler"
	"ppl/infer"
	"ppl/infer/distributed"
	"ppl/infer/renhd"
	"ppl/runtime/native"
	"ppl/runtime/parallel/ranks"
)

// counting is a target that counts the rows that it reads. A read of at least `broken` rows returns zeros.
type counting struct {
	*compiler.Program
	rows   *atomic.Int64
	broken int
}

func (c counting) ReadRows(k int, rows, dst []float64) error {
	if c.rows.Add(int64(len(rows))); len(rows) >= c.broken {
		clear(dst)
		return nil
	}
	return c.Program.ReadRows(k, rows, dst)
}

// sampledOnRanks samples on n ranks. It returns the draws, and the number of rows that each rank has read. On the last
// rank, a read of at least `broken` rows returns zeros.
func sampledOnRanks(t *testing.T, path string, o infer.Options, n, broken int) ([][][]float64, []int64) {
	t.Helper()
	var all sync.WaitGroup
	rec, errs, read := new(kept), make([]error, n), make([]atomic.Int64, n)
	for rank, c := range ranks.Local(n) {
		target := counting{fromFile(t, path), &read[rank], math.MaxInt}
		if rank == n-1 {
			target.broken = broken
		}
		all.Go(func() { _, errs[rank] = distributed.Sampler(c, renhd.Sample)(t.Context(), target, o, rec) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(n, "ranks:", err)
	}
	counts := make([]int64, n)
	for rank := range read {
		counts[rank] = read[rank].Load()
	}
	return rec.values, counts
}

// TestStreamedOnRanks checks that each rank reads from files only the rows that it needs: the batches of its walkers
// or, if there are too few walkers, its part of each batch. The draws equal those of one process. Planted fault: they
// differ if one rank reads wrong rows.
func TestStreamedOnRanks(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	t.Parallel()
	d, err := native.New()
	if err != nil {
		t.Skip(err)
	}
	path, _ := writeTable(t, 30_000, `data y[N] from "y.csv"
a ~ Normal(0, 1)
s ~ HalfNormal(1)
y[i in N] ~ Normal(a, s)`)
	o := batches(3, 10)
	o.Device, o.Threads = infer.Lowered(d), 1
	same := func(a, b [][][]float64) bool {
		return slices.EqualFunc(a, b, func(a, b [][]float64) bool { return slices.EqualFunc(a, b, slices.Equal) })
	}
	for what, c := range map[string]struct{ chains, broken int }{
		"rows":    {2, 257}, // fewer are read by all ranks, who decide by them and have to agree
		"walkers": {24, 1},
	} {
		o.Chains = c.chains
		want, alone := sampledOnRanks(t, path, o, 1, math.MaxInt)
		for _, n := range []int{2, 3} {
			got, read := sampledOnRanks(t, path, o, n, math.MaxInt)
			if !same(got, want) {
				t.Errorf("%s on %d ranks: other draws", what, n)
			}
			if slices.Max(read) >= alone[0] {
				t.Errorf("%s on %d ranks: %d rows read, %d by one process", what, n, read, alone)
			}
		}
		if got, _ := sampledOnRanks(t, path, o, 2, c.broken); same(got, want) {
			t.Errorf("%s: the draws do not depend on what rank 1 reads", what)
		}
	}
}
