package renhd

import (
	"maps"
	"ppl/autodiff"
	"ppl/compiler/backend/lower"
	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/infer/symmetry"
	"ppl/lang/types"
	"slices"
	"strings"
)

// A phase is how walkers move for a part of a run: the rule, what it moves over, and the coordinates. Warm-up explores
// without a ladder, or on a few rows that represent all, chooses coordinates, the form of the metric and the rows of
// minibatches: each choice makes a new phase from the one before, which stays as it is:
//
//	own := run.phase
//	run.phase = own.atReference().onPath(dynamics.Plain)    corrected trajectories on a few rows, without a ladder
//	run.phase = own                                         the rule that was asked for takes over
type phase struct {
	*config
	target   infer.Target // in the precision and with the coordinates of the phase
	rule     dynamics.Rule
	system   dynamics.System
	batches  dynamics.Batches // of the draws; zero if every step reads all rows
	images   *symmetry.Images // of positions, by the target's symmetries; nil if it has none
	centring types.Centring   // of target's effects; nil: as the model says
	stepSize float64          // fixed; 0: adapted
	steps    int              // of a trajectory, fixed; 0: adapted
}

// onPath is the phase with another path to temper.
func (p phase) onPath(path dynamics.Path) phase {
	p.system.Path = path
	return p
}

// inForm is the phase with a metric of another form.
func (p phase) inForm(m adapt.Metric) phase {
	p.system.Metric = m
	return p
}

// across is the phase in which Metropolis steps move the coordinates where the density jumps.
func (p phase) across(jumps []dynamics.Jump) phase {
	p.system.Jumps = jumps
	return p
}

// inBatches is the phase with minibatches of another size.
func (p phase) inBatches(rows int) phase {
	p.batches.Size, p.system.Batches.Size = rows, rows
	return p
}

// withControls is the phase in which gradients have control variates, or have none.
func (p phase) withControls(anchored bool) phase {
	p.system.Batches.Anchored = anchored
	return p
}

// inCoordinates is the phase with the coordinates of effects that c says; nil is the model's.
func (p phase) inCoordinates(c types.Centring) phase {
	t, ok := p.given.(infer.Recentrable)
	if !ok || p.centredBy(c) {
		return p
	}
	p.target, p.centring = t.Recentred(c), c
	if p.images != nil {
		p.images = symmetry.ImagesOf(p.given, c)
	}
	p.system.Target = p.target
	return p
}

// atReference is the phase with exact gradients: corrected trajectories, which adapt their own steps, and with
// minibatches on a few rows that represent all.
func (p phase) atReference() phase {
	p.stepSize, p.steps = 0, 0
	p.rule, p.system = dynamics.Named("hmc"), p.system.AtReference()
	return p
}

// path is what a ladder tempers.
func (s *phase) path() dynamics.Path {
	set := s.settings()
	switch {
	case set.Replicas == 1:
		return dynamics.Plain
	case set.Path == "likelihood" || set.Path == "" && s.target.ProperPrior() && s.hasLikelihood():
		return dynamics.Likelihood
	}
	return dynamics.Energy
}

// hasLikelihood reports whether the target is more than a prior.
func (s *phase) hasLikelihood() bool {
	if s.batches.Some() {
		return true
	}
	_, logLik := s.target.Density(autodiff.New().Input(dynamics.Theta, s.target.Dim()))
	value, constant := logLik.IsConst()
	return !constant || value != 0
}

// hasTermsWithoutRows reports whether the likelihood has a part that minibatches compute in full.
func (s *phase) hasTermsWithoutRows() bool {
	t, ok := s.target.(infer.Splittable)
	if !ok {
		return false
	}
	g := autodiff.New()
	_, whole, _ := t.Split(g.Input(dynamics.Theta, t.Dim()), g.Iota(1))
	value, constant := whole.IsConst()
	return !constant || value != 0
}

// free reports whether the rule rejects nothing, so that there is no acceptance rate to adapt to.
func (s *phase) free() bool { return !s.rule.Traits().Corrected }

// adaptsStep reports whether steps follow the acceptance rate.
func (s *phase) adaptsStep() bool { return !s.free() && s.stepSize == 0 }

// acceptanceGoal is the acceptance rate that steps are adapted to.
func (s *phase) acceptanceGoal() float64 {
	if a := s.settings().Accept; a > 0 {
		return a
	}
	return defaultAccept
}

// defaultAccept: Stan takes .8 where the path's length pays for itself; with lengths of about a quarter period, on
// normal targets of 2 to 50 dimensions, .9 gives 1.0 to 2.1 times the effective draws a gradient, and 1.3 to 5 times
// for squares.
const defaultAccept = 0.9

// epoch is how many batches the rows are that an optimiser learns from, or with all, all rows.
func (s *phase) epoch(all bool) int {
	rows := s.batches.Rows
	if !all {
		rows -= s.batches.HeldOut
	}
	return (rows + s.batches.Size - 1) / s.batches.Size
}

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

// recentrable is the target where its coordinates can be chosen, else nil: metric and steps have to be free to follow.
func (s *phase) recentrable() infer.Recentrable {
	t, ok := s.target.(infer.Recentrable)
	if !ok || s.settings().Metric == "identity" || !s.adaptsStep() || len(t.EffectBlocks()) == 0 {
		return nil
	}
	return t
}

// centredBy reports whether the target has the coordinates that c says.
func (s *phase) centredBy(c types.Centring) bool {
	return maps.EqualFunc(s.centring, c, slices.Equal[[]types.Form])
}

// notCentred are the coordinates of which elements are only not centred by choice.
func (s *phase) notCentred(c types.Centring) types.Centring {
	if c == nil {
		return nil
	}
	return adapt.NotCentred(s.recentrable().EffectBlocks(), c)
}

// compile makes a program of the rule over the system; walkers of any number run it.
func (s *phase) compile() (program, error) {
	entries := dynamics.Program(s.rule, s.system)
	loader, err := s.options.Device.Compile(entries)
	return program{loader, dynamics.Lasting(entries)}, err
}

// findsPeaks reports whether tops of the density can be found and measured: curvature is taken where a metric would be
// dense, and gradients have to be exact.
func (s *phase) findsPeaks() bool {
	return s.target.Dim() <= adapt.MaxDense && !s.free() && s.settings().Noise == 0 && !s.batches.Some()
}

// arrays are the coordinates of each parameter array; all of them where the target does not say what they are.
func (s *phase) arrays() (out [][]int) {
	number := map[string]int{}
	for j := range s.target.Dim() {
		name := ""
		if j < len(s.ends) {
			name, _, _ = strings.Cut(s.ends[j].Parameter, "[")
		}
		k, known := number[name]
		if !known {
			k, out = len(out), append(out, nil)
			number[name] = k
		}
		out[k] = append(out[k], j)
	}
	return out
}

// explorersOfChain is how many walkers of each chain look for the target.
func (s *phase) explorersOfChain() int {
	chains := s.options.Chains
	return min(mostOfChain, (explorers+chains-1)/chains)
}

// How many walkers look for the target while it is not known whether it has several modes.
const (
	explorers   = 16 // at least,
	mostOfChain = 4  // but of one chain at most
)
