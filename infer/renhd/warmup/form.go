package warmup

import (
	"ppl/infer/adapt"
	"ppl/infer/renhd/population"
)

// looksAtForm reports whether to choose the form of the metric again: if there is no choice yet; if the window is twice
// as long as that of the last choice, which did not rule out all other forms; or if trajectories are so long that the
// metric must be wrong. A choice costs as much as some hundred sweeps.
func (t *warmupWindow) looksAtForm() bool {
	s := &t.run.state
	long := population.Quarter*t.run.Length >= population.MaxImprovingSteps*t.learnedStep(0)
	return s.Form == nil || s.FormFrom == 0 || long || t.spec.sweeps >= 2*s.FormFrom && !s.Form.Settled()
}

// chooseForm gives all rungs the form of metric that costs least according to the window's points, and compiles the
// program for it.
func (t *warmupWindow) chooseForm() error {
	r, p := t.run, &t.seen.Points[0]
	s := &r.Phase
	if !s.ChoosesForm() || p.Len() < adapt.FewestToChoose || !t.looksAtForm() {
		return nil
	}
	gradient, err := s.GradientWork()
	if err != nil {
		return err
	}
	choice := r.Walkers.Rungs[0].Metric.Choose(p, gradient)
	r.state.Form, r.state.FormFrom = &choice, t.spec.sweeps
	if int(choice.Form) == s.System.Metric.Rank {
		return nil
	}
	r.Phase = s.InForm(s.System.Metric.As(choice.Form))
	for j := range r.Walkers.Rungs {
		r.Walkers.Rungs[j].Metric = r.Walkers.Rungs[j].Metric.As(choice.Form)
	}
	return r.ChangeProgram(r.Walkers.Positions())
}

// RemarkOnForm reports which form of the metric was chosen, and why.
func (r *Warmup) RemarkOnForm() {
	c := r.state.Form
	if c == nil {
		return
	}
	if c.Form == 0 {
		r.Notef("metric: diagonal, with which trajectories take %.2g times the steps for an isotropic target", c.Steps)
		return
	}
	r.Notef("metric: %v, with which trajectories take %.2g times the steps for an isotropic target; a diagonal "+
		"one would take %.2g", c.Form, c.Steps, c.Diagonal)
}
