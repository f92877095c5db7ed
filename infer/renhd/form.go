package renhd

import (
	"ppl/infer/adapt"
)

// looksAtForm reports whether a window is worth another look at the form of the metric: where there is none yet, where
// the window is twice as long as that of the last look, unless that has shown that no other form could be worth its
// cost, or where trajectories are so long that the metric cannot be right. A look takes as much as some hundred sweeps.
func (t *warmupWindow) looksAtForm() bool {
	s := &t.run.state
	long := quarter*t.run.Length >= maxImprovingSteps*t.learnedStep(0)
	return s.Form == nil || s.FormFrom == 0 || long || t.spec.sweeps >= 2*s.FormFrom && !s.Form.Settled()
}

// chooseForm gives all rungs the form of metric that costs least for what the window's points show, and the walkers a
// program that moves in it.
func (t *warmupWindow) chooseForm() error {
	r, p := t.run, &t.seen.Points[0]
	s := &r.phase
	if !s.choosesForm() || p.Len() < adapt.FewestToChoose || !t.looksAtForm() {
		return nil
	}
	gradient, err := s.gradientWork()
	if err != nil {
		return err
	}
	choice := r.walkers.Rungs[0].Metric.Choose(p, gradient)
	r.state.Form, r.state.FormFrom = &choice, t.spec.sweeps
	if int(choice.Form) == s.system.Metric.Rank {
		return nil
	}
	r.phase = s.inForm(s.system.Metric.As(choice.Form))
	for j := range r.walkers.Rungs {
		r.walkers.Rungs[j].Metric = r.walkers.Rungs[j].Metric.As(choice.Form)
	}
	return r.changeProgram(r.walkers.positions())
}

// remarkOnForm says which form of metric was chosen, and why.
func (r *warmup) remarkOnForm() {
	c := r.state.Form
	if c == nil {
		return
	}
	if c.Form == 0 {
		r.notef("metric: diagonal, with which trajectories take %.2g times the steps of a round target", c.Steps)
		return
	}
	r.notef("metric: %v, with which trajectories take %.2g times the steps of a round target; a diagonal one "+
		"would take "+
		"%.2g", c.Form, c.Steps, c.Diagonal)
}
