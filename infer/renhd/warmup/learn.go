package warmup

import "ppl/infer/renhd/population"

// Finish learns from the window and judges its walkers.
func (t *warmupWindow) Finish() (found windowResult, err error) {
	r := t.run
	if len(r.Walkers.Rungs) == 1 {
		found.Disagreement = disagreement(&t.seen.Visits, r.Phase.Options.Threads)
	}
	if !t.spec.alone {
		found.Steps = population.Quarter * r.Length / t.learnedStep(0)
	}
	if err := t.learn(); err != nil {
		return found, err
	}
	if t.spec.judge == nil {
		r.renewReference(&t.seen.Points[0])
	}
	if err := r.refuseDivergence(&t.seen.Visits, t.spec.alone); err != nil {
		return found, err
	}
	if err := r.restartStuck(&t.seen.Visits); err != nil {
		return found, err
	}
	if t.spec.spacing {
		r.respaceLadder()
	}
	found.Far = r.rows.AnyWalkerFar()
	if t.spec.alone {
		found.Heats = t.seen.Heats
		_, found.Rising = inNegligibleMass(&t.seen.Visits)
	}
	if t.spec.judge != nil {
		if err := t.spec.judge(t, &found); err != nil {
			return found, err
		}
	}
	if t.spec.centre != nil && found.Steps < population.MaxSteps && (t.spec.judge == nil || found.agreed()) {
		found.Recentred, err = r.recentre(t.spec.centre, &t.seen.Points[0])
	}
	return found, err
}

// learn gives every rung the step and the metric that the window has found.
func (t *warmupWindow) learn() error {
	r := t.run
	if moves, err := t.explainShortSteps(); err != nil || moves {
		return err // the window contains no trajectories with such moves, so there is nothing to learn
	}
	w := r.Walkers
	if r.rows.SeveralAnchors() {
		for j := range t.seen.Points {
			t.seen.Points[j] = t.seen.Points[j].Centred(t.seen.Of[j])
		}
	}
	r.measureTemperature(&t.seen.Points[0])
	if t.spec.metric && !t.spec.alone {
		if err := t.chooseForm(); err != nil {
			return err
		}
		w = r.Walkers
	}
	for j := range w.Rungs {
		if r.Phase.AdaptsStep() {
			w.Rungs[j].Step = t.learnedStep(j)
		}
		if t.spec.metric && r.Phase.Settings().Metric != "identity" {
			w.Rungs[j].Metric = w.Rungs[j].Metric.Estimate(&t.seen.Points[j])
			if r.Phase.EvenMetric() {
				r.Phase.Images.Even(w.Rungs[j].Metric.Scale)
			}
			w.Rungs[j].Step = r.Phase.FirstStepIn(w.Rungs[j])
		}
	}
	w.WriteAllRungs()
	if t.spec.metric && r.Phase.System.Batches.Size > 0 {
		return r.rows.MeasureNoise()
	}
	return nil
}

// learnedStep returns the adapted step of a rung: the median over its walkers if they adapted alone.
func (t *warmupWindow) learnedStep(rung int) float64 {
	if !t.spec.alone {
		return t.seen.StepSizes[rung].Adapted()
	}
	var steps []float64
	for lane, at := range t.run.Walkers.RungOf {
		if at == rung {
			steps = append(steps, t.seen.StepSizes[lane].Adapted())
		}
	}
	return population.Median(steps, population.Ones(len(steps)))
}
