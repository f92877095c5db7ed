package renhd

import (
	"ppl/compiler/backend/lower"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
)

// choosesForm reports whether warm-up chooses the form of the metric: where trajectories are corrected, so that steps
// follow the condition of the target, and nobody has said which. The noise of minibatches counts by the coordinate in
// which the metric is too wide most, so they take the richest form that there is.
func (s *phase) choosesForm() bool {
	return s.settings().Metric == "" && !s.batches.Some() && s.target.Dim() > adapt.Small && !s.free() &&
		s.stepSize == 0 && !s.evenMetric()
}

// evenMetric reports whether the metric is diagonal, with one scale for coordinates that rotate into each other: where
// walkers are compared by rotating them next to a reference. Another metric would suit the places near it alone.
func (s *phase) evenMetric() bool {
	return s.images != nil && s.images.Rotates() && s.settings().Metric == "" && !s.batches.Some()
}

// firstMetric is the metric to begin with; one that costs little where a form is to be chosen.
func (s *phase) firstMetric() adapt.Metric {
	if s.choosesForm() || s.blocks != nil || s.evenMetric() {
		return adapt.Diagonal(s.target.Dim())
	}
	return adapt.First(s.settings().Metric, s.target.Dim())
}

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

// gradientWork is the arithmetic of one gradient.
func (s *phase) gradientWork() (float64, error) {
	for _, e := range dynamics.Program(s.rule, s.system) {
		if e.Name == dynamics.Gradient {
			p, err := lower.Program([]lower.Entry{e})
			if err != nil {
				return 0, err
			}
			return p.Work(dynamics.Gradient), nil
		}
	}
	panic("internal error: a program without a gradient")
}

// remarkOnForm says which form of metric was chosen, and why.
func (r *run) remarkOnForm() {
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
