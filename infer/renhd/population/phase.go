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
)

// A Phase is how walkers move for a part of a run: the rule, what it moves over, and the coordinates. Warm-up explores
// without a ladder, or on a few rows that represent all, chooses coordinates, the form of the metric and the rows of
// minibatches: each choice makes a new phase from the one before, which stays as it is:
//
//	own := run.phase
//	run.phase = own.atReference().onPath(dynamics.Plain)    corrected trajectories on a few rows, without a ladder
//	run.phase = own                                         the rule that was asked for takes over
type Phase struct {
	*Config
	Target   infer.Target // in the precision and with the coordinates of the phase
	Rule     dynamics.Rule
	System   dynamics.System
	Batches  dynamics.Batches // of the draws; zero if every step reads all rows
	Images   *symmetry.Images // of positions, by the target's symmetries; nil if it has none
	Centring types.Centring   // of target's effects; nil: as the model says
	StepSize float64          // fixed; 0: adapted
	Steps    int              // of a trajectory, fixed; 0: adapted
}

// OnPath returns the phase with another path to temper.
func (p Phase) OnPath(path dynamics.Path) Phase {
	p.System.Path = path
	return p
}

// InForm returns the phase with a metric of another form.
func (p Phase) InForm(m adapt.Metric) Phase {
	p.System.Metric = m
	return p
}

// Across returns the phase in which Metropolis steps move the coordinates with discontinuities.
func (p Phase) Across(jumps []dynamics.Discontinuity) Phase {
	p.System.Discontinuities = jumps
	return p
}

// InBatches returns the phase with minibatches of another size.
func (p Phase) InBatches(rows int) Phase {
	p.Batches.Size, p.System.Batches.Size = rows, rows
	return p
}

// WithAlways returns the phase with rows that every batch has.
func (p Phase) WithAlways(rows []float64) Phase {
	p.Batches.Always, p.System.Batches.Always = rows, rows
	return p
}

// WithControls returns the phase in which gradients have control variates if anchored is true, else none.
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

// AtReference returns the phase with exact gradients: corrected trajectories, which adapt their own steps, and with
// minibatches on a few rows that represent all.
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

// hasLikelihood reports whether the target is more than a prior.
func (s *Phase) hasLikelihood() bool {
	if s.Batches.Some() {
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

// Unadjusted reports whether the dynamics has no Metropolis correction, so that there is no acceptance rate to adapt
// to.
func (s *Phase) Unadjusted() bool { return !s.Rule.Traits().Corrected }

// AdaptsStep reports whether steps follow the acceptance rate.
func (s *Phase) AdaptsStep() bool { return !s.Unadjusted() && s.StepSize == 0 }

// AcceptanceGoal returns the acceptance rate that steps are adapted to.
func (s *Phase) AcceptanceGoal() float64 {
	if a := s.Settings().Accept; a > 0 {
		return a
	}
	return defaultAccept
}

// defaultAccept: Stan takes .8 where the path's length pays for itself; with lengths of about a quarter period, on
// normal targets of 2 to 50 dimensions, .9 gives 1.0 to 2.1 times the effective draws a gradient, and 1.3 to 5 times
// for squares.
const defaultAccept = 0.9

// Epoch returns how many batches the rows are that an optimiser learns from, or with all, all rows.
func (s *Phase) Epoch(all bool) int {
	rows := s.Batches.Rows
	if !all {
		rows -= s.Batches.HeldOut
	}
	return (rows + s.Batches.Size - 1) / s.Batches.Size
}

// ChoosesForm reports whether warm-up chooses the form of the metric: where trajectories are corrected, so that steps
// follow the condition of the target, and nobody has said which. The noise of minibatches counts by the coordinate in
// which the metric is too wide most, so they take the richest form that there is.
func (s *Phase) ChoosesForm() bool {
	return s.Settings().Metric == "" && !s.Batches.Some() && s.Target.Dim() > adapt.Small && !s.Unadjusted() &&
		s.StepSize == 0 && !s.EvenMetric()
}

// EvenMetric reports whether the metric is diagonal, with one scale for coordinates that rotate into each other: where
// walkers are compared by rotating them next to a reference. Another metric would suit the places near it alone.
func (s *Phase) EvenMetric() bool {
	return s.Images != nil && s.Images.Rotates() && s.Settings().Metric == "" && !s.Batches.Some()
}

// FirstMetric returns the initial metric; a cheap one if warm-up chooses its form.
func (s *Phase) FirstMetric() adapt.Metric {
	if s.ChoosesForm() || s.Blocks != nil || s.EvenMetric() {
		return adapt.Diagonal(s.Target.Dim())
	}
	return adapt.First(s.Settings().Metric, s.Target.Dim())
}

// GradientWork returns the arithmetic of one gradient.
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

// Recentrable returns the target if its coordinates can be chosen, else nil: metric and step sizes must not be fixed
// by the user.
func (s *Phase) Recentrable() infer.Recentrable {
	t, ok := s.Target.(infer.Recentrable)
	if !ok || s.Settings().Metric == "identity" || !s.AdaptsStep() || len(t.EffectBlocks()) == 0 {
		return nil
	}
	return t
}

// CentredBy reports whether the target has the centring c.
func (s *Phase) CentredBy(c types.Centring) bool {
	return maps.EqualFunc(s.Centring, c, slices.Equal[[]types.Form])
}

// NotCentred returns the coordinates of which elements are only not centred by choice.
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

// FindsPeaks reports whether tops of the density can be found and measured: curvature is taken where a metric would be
// dense, and gradients have to be exact.
func (s *Phase) FindsPeaks() bool {
	return s.Target.Dim() <= adapt.MaxDense && !s.Unadjusted() && s.Settings().Noise == 0 && !s.Batches.Some()
}

// Arrays returns the coordinates of each parameter array; all coordinates as one array if the target does not describe
// them.
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

// ExplorersOfChain returns how many walkers of each chain look for the target.
func (s *Phase) ExplorersOfChain() int {
	chains := s.Options.Chains
	return min(MostOfChain, (explorers+chains-1)/chains)
}

// How many walkers look for the target while it is not known whether it has several modes.
const (
	explorers   = 16 // at least,
	MostOfChain = 4  // but of one chain at most
)
