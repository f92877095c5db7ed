// Fuzzmodels changes models and their data a few tokens at a time and sends each through the whole of ppl, as a user
// would: check, sample on the host device at a short and odd warm-up, predict, and the density on all devices. A model
// may be refused; it may not make ppl fail:
//
//	go run ./bench/fuzzmodels -ppl ./ppl -for 10m -keep cmd/ppl/testdata/fuzzed examples/*.ppl
//	examples/nile.ppl, 2 changes, seed 7: sample: internal error
//	…
//	812 models, 2,103 commands: 1 internal error, 0 out of memory, 0 too long, 0 disagreement of devices
//
// What makes ppl fail is cut down to the fewest lines and tokens that still do, and kept; a test of cmd/ppl runs all
// that was ever kept. Mutation by tokens is described by Salls et al., "Token-Level Fuzzing" (USENIX Security 2021).
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"ppl/bench/limited"
)

func main() {
	ppl := flag.String("ppl", "ppl", "the `program`")
	lasting := flag.Duration("for", 10*time.Minute, "how long")
	seed := flag.Uint64("seed", 1, "of all choices")
	keep := flag.String("keep", "", "`directory` for models that fail; none are kept without it")
	workers := flag.Int("workers", runtime.NumCPU(), "models at once")
	flag.Parse()
	if err := fuzz(*ppl, *keep, *seed, *workers, *lasting, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// fuzz runs until time is over; its error says that something failed, or why nothing could be tried.
func fuzz(ppl, keep string, seed uint64, workers int, lasting time.Duration, paths []string) error {
	seeds, err := readSeeds(paths)
	if err == nil {
		ppl, err = filepath.Abs(ppl) // commands run in directories of their own
	}
	if err != nil {
		return err
	}
	ctx, stop := limited.Context(lasting)
	defer stop()
	t := &tally{found: map[string]int{}}
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for k := uint64(w); ctx.Err() == nil; k += uint64(workers) {
				try(ctx, ppl, keep, seeds, rand.New(rand.NewPCG(seed, k)), t)
			}
		})
	}
	all.Wait()
	fmt.Println(t)
	if len(t.found) > 0 {
		return fmt.Errorf("ppl failed")
	}
	return nil
}

// try changes one model and sends it through.
func try(ctx context.Context, ppl, keep string, seeds *seeds, r *rand.Rand, t *tally) {
	c := seeds.choose(r)
	run, failure := send(ctx, ppl, c, r)
	if ctx.Err() != nil { // what was stopped has not failed
		return
	}
	t.add(run, failure.kind)
	if failure.kind == "" {
		return
	}
	fmt.Printf("%s: %s: %s\n", c.name, failure.step, failure.kind)
	if keep == "" {
		return
	}
	c = minimise(c, func(smaller candidate) bool {
		_, again := send(ctx, ppl, smaller, rand.New(rand.NewPCG(0, 0)))
		return again.kind == failure.kind
	})
	if err := c.write(keep); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// A tally counts what was tried and what failed.
type tally struct {
	sync.Mutex
	models, commands int
	found            map[string]int
}

func (t *tally) add(commands int, kind string) {
	t.Lock()
	defer t.Unlock()
	t.models, t.commands = t.models+1, t.commands+commands
	if kind != "" {
		t.found[kind]++
	}
}

func (t *tally) String() string {
	text := fmt.Sprintf("%d models, %d commands", t.models, t.commands)
	kinds := []string{crashed, exhausted, endless, disagreed, orphaned}
	for k, kind := range kinds {
		text += fmt.Sprintf("%s %d %s", []string{":", ","}[min(k, 1)], t.found[kind], kind)
	}
	for kind, n := range t.found {
		if !slices.Contains(kinds, kind) {
			text += fmt.Sprintf(", %d %s", n, kind)
		}
	}
	return text
}
