// Fuzzmodels changes a few tokens of models and their data, and runs the changed models through ppl as a user would:
// check; sample on the host device with a short, odd warmup; predict; and the density on all devices. A model may be
// rejected, but ppl must not fail:
//
//	go run ./bench/fuzzmodels -ppl ./ppl -for 10m -keep cmd/ppl/testdata/fuzzed examples/*.ppl
//	examples/nile.ppl, 2 changes, seed 7: sample: internal error
//	…
//	812 models, 2,103 commands: 1 internal error, 0 out of memory, 0 too long, 0 disagreement of devices
//
// A model that makes ppl fail is reduced to the fewest lines and tokens that still fail, and stored. A test of cmd/ppl
// runs all stored models. Mutation by tokens is described by Salls et al., "Token-Level Fuzzing" (USENIX Security
// 2021).
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
	lasting := flag.Duration("for", 10*time.Minute, "`time` to run")
	seed := flag.Uint64("seed", 1, "`seed` of all random choices")
	keep := flag.String("keep", "", "`directory` in which failing models are stored; empty: none")
	workers := flag.Int("workers", runtime.NumCPU(), "`number` of models that run at the same time")
	flag.Parse()
	if err := fuzz(*ppl, *keep, *seed, *workers, *lasting, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// fuzz runs until the time is over. It returns an error if ppl failed on a model, or if the models could not be read.
func fuzz(ppl, keep string, seed uint64, workers int, lasting time.Duration, paths []string) error {
	seeds, err := readSeeds(paths)
	if err == nil {
		ppl, err = filepath.Abs(ppl) // an absolute path, because commands run in other directories
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

// try changes one model and runs it through ppl.
func try(ctx context.Context, ppl, keep string, seeds *seeds, r *rand.Rand, t *tally) {
	c := seeds.choose(r)
	run, failure := send(ctx, ppl, c, r)
	if ctx.Err() != nil { // a stopped command is not a failure
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

// A tally counts models, commands and failures.
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
