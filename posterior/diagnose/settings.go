package diagnose

import (
	"cmp"
	"fmt"

	"ppl/posterior/store"
)

// asked is the part of the stored command that advice needs.
type asked struct {
	Settings settings
	Asked    struct {
		Search map[string]string // flags of ppl optimize; nil for runs of samplers
	}
}

// askedOf returns the command stored with a run, or the zero value if there is none or it cannot be read.
func askedOf(r *store.Run) (a asked) {
	if _, err := store.ReadOptions(r.Dir, &a); err != nil {
		return asked{}
	}
	return a
}

// Largest values that advice suggests.
const (
	largestDepth = 14
	largestRungs = 64 // maximum of the setting replicas
)

// smallerSteps advises smaller steps: by a higher acceptance rate if the step size follows it, else by a smaller step
// size. If the rate is already close to 1, it advises changing the model.
func (f *findings) smallerSteps() store.Advice {
	r := f.run.Report
	if f.settings.StepSize > 0 || r.Dynamics != "" && r.Dynamics != "hmc" {
		return store.SmallerSteps(cmp.Or(f.settings.StepSize, float64(r.StepSize)))
	}
	for _, rate := range []float64{.95, .99} {
		if rate > f.settings.Accept {
			return store.Advice{Do: store.Lower, On: "step_size",
				Text: fmt.Sprintf("Take smaller steps: --set accept=%v.", rate)}
		}
	}
	return f.otherParameters("steps are as small as they can be")
}

// otherParameters advises reparameterizing the model, for the given reason.
func (f *findings) otherParameters(since string) store.Advice {
	return store.Advice{Do: store.Rewrite, On: "model", Text: fmt.Sprintf("Look for strongly dependent parameters "+
		"or a scale that goes to 0 (ppl plot %s pairs), and reparameterize the model: %s.", f.report.Dir, since)}
}

// deeperTrees advises a larger maximum tree depth for NUTS, unless that would exceed largestDepth, and reparameterizing
// the model.
func (f *findings) deeperTrees() (all []store.Advice) {
	depth := cmp.Or(f.settings.MaxDepth, 10) + 2
	if depth <= largestDepth {
		all = append(all, store.Advice{Do: store.Raise, On: "max_depth", To: fmt.Sprint(depth),
			Text: fmt.Sprintf("Allow deeper trees: --set max_depth=%d.", depth)})
	}
	return append(all, store.Advice{Do: store.Rewrite, On: "model",
		Text: "Reparameterize the model to remove strong correlations."})
}

// lessNoise advises how to reduce gradient noise: batches of twice the size, if the run used batches, and smaller
// steps.
func (f *findings) lessNoise() (all []store.Advice) {
	if n := f.run.Report.Batch; n > 0 {
		all = append(all, store.LargerBatches(n))
	}
	return append(all, f.smallerSteps())
}

func longerWarmup() store.Advice {
	return store.Advice{Do: store.Raise, On: "warmup", Text: "Take a longer warm-up (--warmup)."}
}
