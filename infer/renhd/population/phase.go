package population

import (
	"maps"
	"slices"
	"strings"

	"ppl/autodiff"
	"ppl/compiler/backend/lower"
	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/infer/symmetry"
	"ppl/lang/types"
	"ppl/runtime/device"
)

// A Phase defines how walkers move during a part of a run: the rule, its target, and the coordinates. Warm-up explores
// without a ladder, or on a small sample of rows; it chooses coordinates, the form of the metric and the size of
// minibatches. Each choice makes a new phase from the previous one, which does not change:
//
//	own := run.Phase
//	run.Phase = own.AtReference().OnPath(dynamics.Plain)   corrected trajectories on a few rows, without a ladder
//	run.Phase = own                                        the requested rule takes over
type Phase struct {
	*Config
	Target   infer.Target // in the precision and with the coordinates of the phase
	Rule     dynamics.Rule
	System   dynamics.System
	Batches  dynamics.Batches // minibatches of the draws; zero if every step reads all rows
	Images   *symmetry.Images // images of positions under the target's symmetries; nil if it has none
	Centring types.Centring   // centring of the target's effects; nil means the model's
	StepSize float64          // fixed step size; 0: adapted
	Steps    int              // fixed number of steps of a trajectory; 0: adapted
}

// OnPath returns the phase with another path.
func (p Phase) OnPath(path dynamics.Path) Phase {
	p.System.Path = path
	return p
}

// InForm returns the phase with a metric of another form.
func (p Phase) InForm(m adapt.Metric) Phase {
	p.System.Metric = m
	return p
}

// Across returns the phase with Metropolis steps for the coordinates in which the density jumps.
func (p Phase) Across(jumps []dynamics.Discontinuity) Phase {
	p.System.Discontinuities = jumps
	return p
}

// InBatches returns the phase with minibatches of another size.
func (p Phase) InBatches(rows int) Phase {
	p.Batches.Size, p.System.Batches.Size = rows, rows
	return p
}

// WithAlways returns the phase with rows that are in every minibatch.
func (p Phase) WithAlways(rows []float64) Phase {
	p.Batches.Always, p.System.Batches.Always = rows, rows
	return p
}

// WithControls returns the phase with control variates for gradients, or without.
func (p Phase) WithControls(anchored bool) Phase {
	p.System.Batches.Anchored = anchored
	return p
}

// InCoordinates returns the phase with the centring c of effects; nil means the model's.
func (p Phase) InCoordinates(c types.Centring) Phase {
	t, ok := p.Given.(infer.Recentrable)
	if !ok || p.CentredBy(c) {
		return p
	}
	p.Target, p.Centring = t.Recentred(c), c
	if p.Images != nil {
		p.Images = symmetry.ImagesOf(p.Given, c)
	}
	p.System.Target = p.Target
	return p
}

// AtReference returns the phase with exact gradients: corrected trajectories, which adapt their own steps. With
// minibatches they use the reference, a small weighted sample of rows.
func (p Phase) AtReference() Phase {
	p.StepSize, p.Steps = 0, 0
	p.Rule, p.System = dynamics.Named("hmc"), p.System.AtReference()
	return p
}

// Path returns the part of the density that a ladder tempers.
func (s *Phase) Path() dynamics.Path {
	set := s.Settings()
	switch {
	case set.Replicas == 1:
		return dynamics.Plain
	case set.Path == "likelihood" || set.Path == "" && s.Target.ProperPrior() && s.hasLikelihood():
		return dynamics.Likelihood
	}
	return dynamics.Energy
}

// hasLikelihood reports whether the target has a likelihood.
func (s *Phase) hasLikelihood() bool {
	if s.Batches.InUse() {
		return true
	}
	_, logLik := s.Target.Density(autodiff.New().Input(dynamics.Theta, s.Target.Dim()))
	value, constant := logLik.IsConst()
	return !constant || value != 0
}

// HasTermsWithoutRows reports whether the likelihood has a part that minibatches compute in full.
func (s *Phase) HasTermsWithoutRows() bool {
	t, ok := s.Target.(infer.Splittable)
	if !ok {
		return false
	}
	g := autodiff.New()
	_, whole, _ := t.Split(g.Input(dynamics.Theta, t.Dim()), g.Iota(1))
	value, constant := whole.IsConst()
	return !constant || value != 0
}

// Unadjusted reports whether the dynamics has no Metropolis correction, and so no acceptance rate to adapt steps to.
func (s *Phase) Unadjusted() bool { return !s.Rule.Traits().Corrected }

// AdaptsStep reports whether steps are adapted to the acceptance rate.
func (s *Phase) AdaptsStep() bool { return !s.Unadjusted() && s.StepSize == 0 }

// AcceptanceGoal returns the acceptance rate to which steps are adapted.
func (s *Phase) AcceptanceGoal() float64 {
	if a := s.Settings().Accept; a > 0 {
		return a
	}
	return defaultAccept
}

// defaultAccept is the default goal. Stan uses .8, with path lengths chosen by NUTS. With path lengths of about a
// quarter period, on normal targets of 2 to 50 dimensions, .9 gives 1.0 to 2.1 times as many effective draws per
// gradient for means, and 1.3 to 5 times as many for squares.
const defaultAccept = 0.9

// Epoch returns the number of batches that cover the training rows, or, if all is true, all rows.
func (s *Phase) Epoch(all bool) int {
	rows := s.Batches.Rows
	if !all {
		rows -= s.Batches.HeldOut
	}
	return (rows + s.Batches.Size - 1) / s.Batches.Size
}

// ChoosesForm reports whether warm-up chooses the form of the metric. It does if trajectories are corrected, so that
// steps depend on the condition number, and if the user did not choose one. With minibatches the noise in the worst
// direction matters, so they use the richest form.
func (s *Phase) ChoosesForm() bool {
	return s.Settings().Metric == "" && !s.Batches.InUse() && s.Target.Dim() > adapt.Small && !s.Unadjusted() &&
		s.StepSize == 0 && !s.EvenMetric()
}

// EvenMetric reports whether the metric is diagonal, with one scale for all coordinates that rotate into each other. It
// is if walkers are compared by rotating them towards a reference: any other metric would suit only positions near it.
func (s *Phase) EvenMetric() bool {
	return s.Images != nil && s.Images.Rotates() && s.Settings().Metric == "" && !s.Batches.InUse()
}

// FirstMetric returns the initial metric: a cheap one if warm-up chooses the form.
func (s *Phase) FirstMetric() adapt.Metric {
	if s.ChoosesForm() || s.Blocks != nil || s.EvenMetric() {
		return adapt.Diagonal(s.Target.Dim())
	}
	return adapt.First(s.Settings().Metric, s.Target.Dim())
}

// GradientWork returns the number of operations of one gradient.
func (s *Phase) GradientWork() (float64, error) {
	for _, e := range dynamics.Program(s.Rule, s.System) {
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

// Recentrable returns the target if its coordinates can be chosen, else nil: the user must not have fixed metric or
// step sizes.
func (s *Phase) Recentrable() infer.Recentrable {
	t, ok := s.Target.(infer.Recentrable)
	if !ok || s.Settings().Metric == "identity" || !s.AdaptsStep() || len(t.EffectBlocks()) == 0 {
		return nil
	}
	return t
}

// CentredBy reports whether the phase has the centring c.
func (s *Phase) CentredBy(c types.Centring) bool {
	return maps.EqualFunc(s.Centring, c, slices.Equal[[]types.Form])
}

// NotCentred is adapt.NotCentred for the target's effects. It returns nil for nil.
func (s *Phase) NotCentred(c types.Centring) types.Centring {
	if c == nil {
		return nil
	}
	return adapt.NotCentred(s.Recentrable().EffectBlocks(), c)
}

// compile compiles the dynamics of the system to a program for any number of walkers.
func (s *Phase) compile() (program, error) {
	entries := dynamics.Program(s.Rule, s.System)
	loader, err := s.Options.Device.Compile(entries)
	return program{loader, dynamics.Lasting(entries)}, err
}

// LoadBlocks loads a program with the entry dynamics.Block alone, for any number of lanes.
func (s *Phase) LoadBlocks(lanes int) (device.Executable, error) {
	loader, err := s.Options.Device.Compile([]lower.Entry{s.System.BlockEntry()})
	if err != nil {
		return nil, err
	}
	return loader.Load(device.Options{Lanes: lanes, Seed: s.Options.Seed, Threads: s.Options.Threads})
}

// FindsPeaks reports whether maxima of the density can be found and measured: gradients must be exact, and the
// dimension small enough for dense matrices.
func (s *Phase) FindsPeaks() bool {
	return s.Target.Dim() <= adapt.MaxDense && !s.Unadjusted() && s.Settings().Noise == 0 && !s.Batches.InUse()
}

// Arrays returns the coordinates of each parameter array, or all coordinates as one array if the target does not
// describe them.
func (s *Phase) Arrays() (out [][]int) {
	number := map[string]int{}
	for j := range s.Target.Dim() {
		name := ""
		if j < len(s.Ends) {
			name, _, _ = strings.Cut(s.Ends[j].Parameter, "[")
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

// ExplorersOfChain returns the number of explorers of each chain, walkers that look for the target without a ladder.
func (s *Phase) ExplorersOfChain() int {
	chains := s.Options.Chains
	return min(MostOfChain, (explorers+chains-1)/chains)
}

// Numbers of explorers.
const (
	explorers   = 16 // minimum in total
	MostOfChain = 4  // but maximum of one chain
)
