package adapt

import "math"

// A StepSize adapts log ε until the mean acceptance probability is close to Goal, by dual averaging with the constants
// of Hoffman and Gelman (JMLR 2014, section 3.2).
//
//	s := NewStepSize(0.1, 0.8, math.Inf(1))
//	for range 200 { s.Update(acceptanceOf(s.Current())) }
//	s.Adapted()   // the step whose mean acceptance is .8
type StepSize struct {
	Goal, Most  float64
	Least       float64 // minimum step
	Mu          float64 // log ε is pulled towards this value
	N           float64 // number of updates
	ErrorSum    float64
	Log, Smooth float64 // current log ε, and its weighted average
}

const (
	gamma = 0.05
	delay = 10
	kappa = 0.75
)

// NewStepSize returns a StepSize that starts at eps, aims at mean acceptance goal, and never exceeds most.
func NewStepSize(eps, goal, most float64) StepSize {
	return StepSize{Goal: goal, Most: most, Mu: math.Log(10 * eps), Log: math.Log(eps), Smooth: math.Log(eps)}
}

// Update adapts the step by the mean acceptance probability of trajectories that used Current.
func (s *StepSize) Update(accept float64) {
	s.N++
	s.ErrorSum += (s.Goal - accept - s.ErrorSum) / (s.N + delay)
	s.Log = s.Mu - math.Sqrt(s.N)/gamma*s.ErrorSum
	w := math.Pow(s.N, -kappa)
	s.Smooth += w * (s.Log - s.Smooth)
}

// Current returns the step for the next trajectories.
func (s *StepSize) Current() float64 { return s.within(math.Exp(s.Log)) }

func (s *StepSize) within(step float64) float64 { return math.Max(math.Min(step, s.Most), s.Least) }

// Adapted returns the step to use after adaptation.
func (s *StepSize) Adapted() float64 { return s.within(math.Exp(s.Smooth)) }
