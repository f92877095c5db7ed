package renhd

import (
	"fmt"
	"testing"

	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/ladder"
	"ppl/infer/renhd/population"
)

// TestConfigIsNotChanged checks that a run changes its phase and never its config, with warm-up on a few rows, in other
// coordinates, and on a ladder.
func TestConfigIsNotChanged(t *testing.T) {
	for _, name := range []string{"one mode", "minibatches", "recentred", "asked ladder", "chosen batch", "hops"} {
		c := resumeCases()[name]
		config, first, err := population.NewConfig(c.target, c.o, population.SwapRules{})
		if err != nil {
			t.Fatal(err)
		}
		before := fmt.Sprintf("%+v", config.Options) + fmt.Sprint(config.Auto, config.Blocks, config.Ends)
		r := newRun(t.Context(), first, ladder.Exchange{Test: ladder.Penalty()}, new(dynamicstest.Memory))
		if err := r.warmUp(); err != nil {
			t.Fatal(err)
		}
		if err := r.collectDraws(nil); err != nil {
			t.Fatal(err)
		}
		r.Close()
		after := fmt.Sprintf("%+v", config.Options) + fmt.Sprint(config.Auto, config.Blocks, config.Ends)
		if before != after {
			t.Errorf("%s: the config was %s, and is %s", name, before, after)
		}
		if r.Phase.Config != config {
			t.Errorf("%s: the phase has another config", name)
		}
	}
}
