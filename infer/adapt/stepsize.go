package adapt

import "math"

// A StepSize adapts log ε so that the mean acceptance probability meets a goal: dual averaging with the constants of
// Hoffman and Gelman (JMLR 2014, section 3.2).
type StepSize struct {
	goal, most  float64
	mu          float64 // log ε is pulled towards this
	n           float64
	errorSum    float64
	log, smooth float64 // the current log ε, and its weighted average
}

const (
	gamma = 0.05
	delay = 10
	kappa = 0.75
)

// NewStepSize starts from eps and aims at an acceptance of goal with steps of at most most.
func NewStepSize(eps, goal, most float64) StepSize {
	return StepSize{goal: goal, most: most, mu: math.Log(10 * eps), log: math.Log(eps), smooth: math.Log(eps)}
}

// Update takes the mean acceptance probability of the last trajectories run with Current.
func (s *StepSize) Update(accept float64) {
	s.n++
	s.errorSum += (s.goal - accept - s.errorSum) / (s.n + delay)
	s.log = s.mu - math.Sqrt(s.n)/gamma*s.errorSum
	w := math.Pow(s.n, -kappa)
	s.smooth += w * (s.log - s.smooth)
}

// Current is the step to try next.
func (s *StepSize) Current() float64 { return math.Min(math.Exp(s.log), s.most) }

// Adapted is the step to keep.
func (s *StepSize) Adapted() float64 { return math.Min(math.Exp(s.smooth), s.most) }
