package report

import (
	"cmp"
	"fmt"

	"ppl/posterior/store"
)

// Settings are those of a run that advice depends on: nobody is advised to do what has been done. Zero means that
// the sampler chose.
type settings struct {
	Accept   float64
	StepSize float64
	MaxDepth int
}

// asked is what a run keeps of the command that made it.
type asked struct {
	Settings settings
	Asked    struct {
		Search map[string]string // the flags of ppl optimize; nil for runs of samplers
	}
}

// askedOf is that of a run; zero if it does not hold it.
func askedOf(r *store.Run) (a asked) {
	if _, err := store.ReadOptions(r.Dir, &a); err != nil {
		return asked{}
	}
	return a
}

// largest are the greatest values that advice goes to: beyond them the model is to be changed.
const (
	largestDepth = 14
	largestRungs = 64 // what the setting allows
)

// smallerSteps reports how to get them: by the acceptance rate where steps follow it, else by their size. Where the
// rate is next to 1, smaller steps do not help.
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

// otherParameters returns what is left where a setting has been taken as far as it goes.
func (f *findings) otherParameters(since string) store.Advice {
	return store.Advice{Do: store.Rewrite, On: "model", Text: fmt.Sprintf("Look for parameters that can replace one "+
		"another, or a scale that goes to 0 (ppl plot %s pairs), and write the model in others: %s.", f.report.Dir,
		since)}
}

// deeperTrees raises the bound of nuts' trees, as long as that is to be afforded.
func (f *findings) deeperTrees() (all []store.Advice) {
	depth := cmp.Or(f.settings.MaxDepth, 10) + 2
	if depth <= largestDepth {
		all = append(all, store.Advice{Do: store.Raise, On: "max_depth", To: fmt.Sprint(depth),
			Text: fmt.Sprintf("Raise the bound: --set max_depth=%d.", depth)})
	}
	return append(all, store.Advice{Do: store.Rewrite, On: "model",
		Text: "Remove strong correlations by writing the model in other parameters."})
}

// lessNoise reports how noise of gradients is lessened: by batches of twice the rows, where there are any, and smaller
// steps.
func (f *findings) lessNoise() (all []store.Advice) {
	if n := f.run.Report.Batch; n > 0 {
		all = append(all, store.LargerBatches(n))
	}
	return append(all, f.smallerSteps())
}
