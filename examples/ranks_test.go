package examples_test

import (
	"errors"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"

	"ppl/infer"
	"ppl/infer/distributed"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/nuts"
	"ppl/infer/renhd"
	"ppl/runtime/parallel/ranks"
)

// TestExamplesOnRanks checks that every example, at a small budget, has the same draws on several ranks, which share
// its walkers or, if these are too few, its rows. The usual test runs replica exchange on two ranks; with PPL_SLOW it
// also runs NUTS, and more ranks.
func TestExamplesOnRanks(t *testing.T) {
	samplers, sizes := map[string]infer.Sampler{"renhd": renhd.Sample}, []int{2}
	if os.Getenv("PPL_SLOW") != "" && !testing.Short() {
		samplers["nuts"], sizes = nuts.Sample, []int{1, 2, 3, 5}
	}
	for _, path := range examples(t) {
		for name, s := range samplers {
			t.Run(strings.TrimSuffix(path, ".ppl")+"/"+name, func(t *testing.T) { sameOnRanks(t, path, s, sizes) })
		}
	}
}

func sameOnRanks(t *testing.T, path string, s infer.Sampler, sizes []int) {
	p, o := load(t, path), defaults(4)
	o.Chains, o.Warmup, o.Draws, o.Thin, o.Threads = 10, 12, 3, 1, 1
	if _, values := p.Infer(); values["batch"] != "" {
		o.Settings.Batch = 4
	}
	var want dynamicstest.Memory
	if _, err := s(t.Context(), target{p}, o, &want); err != nil {
		t.Fatal(err)
	}
	for _, n := range sizes {
		var all sync.WaitGroup
		got, errs := make([]dynamicstest.Memory, n), make([]error, n)
		for rank, c := range ranks.Local(n) {
			program := load(t, path)
			all.Go(func() { _, errs[rank] = distributed.Sampler(c, s)(t.Context(), target{program}, o, &got[rank]) })
		}
		all.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(n, "ranks:", err)
		}
		if !reflect.DeepEqual(got[0].Values, want.Values) || !reflect.DeepEqual(got[0].Stats, want.Stats) {
			t.Errorf("%d ranks: other draws", n)
		}
	}
}
