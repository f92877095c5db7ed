package adapt

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A Form is the structure of a metric, encoded as in Metric.Rank: diagonal (0), low rank (1 to MaxRank), or dense (−1).
type Form int

// Dense is the form of a metric given by a triangular matrix.
const Dense Form = -1

func (f Form) String() string {
	switch f {
	case Dense:
		return "dense"
	case 0:
		return "diagonal"
	}
	return fmt.Sprintf("diagonal and %d directions", int(f))
}

// Small is the largest dimension at which a dense metric is so cheap that no other is considered.
const Small = 32

// FewestToChoose is the minimum number of points for choosing the form of a metric, or coordinates of effects.
const FewestToChoose = 100

// A Choice is a form with the reason for it. Its cost is the arithmetic of a step times the number of steps that a
// trajectory needs in the metric's coordinates, relative to a round target. An example with 1,003 coordinates and a
// gradient of 12,000 operations:
//
//	diagonal        1.2 steps · (12,000 + 10,000)      26,000
//	16 directions   1.0 steps · (12,000 + 267,000)    279,000   → diagonal
type Choice struct {
	Form     Form
	Steps    float64 // relative number of steps with this form
	Diagonal float64 // relative number of steps with a diagonal metric
	Cost     float64 // cost of a trajectory in operations, up to a common factor
}

// perElement is the cost of one matrix element of a metric, in operations of a model: each lane reads its own elements
// from memory, as on a ladder. perCoordinate is the cost of updating one coordinate and its momentum.
const (
	perElement    = 4
	perCoordinate = 10
)

// worthwhile is the factor by which another form must cost less than the diagonal form. The gain of a few directions
// that are estimated in a short window is smaller than its estimate.
const worthwhile = 1.5

// Settled reports whether trajectories with a diagonal metric are so short that no other form could be cheaper by the
// factor worthwhile.
func (c Choice) Settled() bool { return c.Diagonal < worthwhile }

// work returns the number of operations to transform a gradient and a momentum.
func (f Form) work(dim int) float64 {
	if f == Dense {
		return 2 * perElement * float64(dim) * float64(dim)
	}
	return 4 * perElement * float64(dim) * float64(f)
}

// Choose returns the cheapest form for a target, estimated from the points p, or the diagonal form if no other is
// cheaper by the factor worthwhile. gradient is the cost of a gradient, in additions. It considers the directions that
// a metric of low rank, started with the scales of m, would stretch.
func (m Metric) Choose(p *Points, gradient float64) Choice {
	dim := m.Dim
	logs := m.logSpectrum(p)
	choice := func(f Form) Choice {
		steps := 1.0
		if f != Dense {
			steps = stepsFor(logs[min(int(f), len(logs)):], dim)
		}
		work := gradient + perCoordinate*float64(dim) + f.work(dim)
		return Choice{f, steps, stepsFor(logs, dim), steps * work}
	}
	diagonal := choice(0)
	best := diagonal
	for _, f := range []Form{1, 2, 4, 8, MaxRank, Dense} {
		if f == Dense && dim > MaxDense || int(f) > dim {
			continue
		}
		if c := choice(f); c.Cost < best.Cost {
			best = c
		}
	}
	if diagonal.Cost < worthwhile*best.Cost {
		return diagonal
	}
	return best
}

// logSpectrum returns the logarithms of the variances along the directions that differ most from the rest, in units of
// the other variances, sorted by absolute value in descending order.
func (m Metric) logSpectrum(p *Points) []float64 {
	few := &Points{p.thinned(), p.thinnedGradients()}
	logs := m.As(Form(min(2*MaxRank, m.Dim))).Estimate(few).Stretch
	for i, s := range logs {
		logs[i] = 2 * math.Log(1+s)
	}
	slices.SortFunc(logs, func(a, b float64) int { return cmp.Compare(math.Abs(b), math.Abs(a)) })
	return logs
}

// stepsFor returns the number of steps of a trajectory relative to that of a round target, given the logarithms of some
// variances; all other variances are 1. The error of a leapfrog step of length h is Σ (hω)⁴ over the frequencies ω =
// 1/√variance, up to a factor. So the mean of ω⁴ limits h, and a trajectory must be as long as the widest direction.
func stepsFor(logs []float64, dim int) float64 {
	widest, fourth := 0.0, float64(dim-len(logs))
	for _, l := range logs {
		widest = math.Max(widest, l)
		fourth += math.Exp(-2 * l)
	}
	return math.Pow(fourth/float64(dim), .25) * math.Exp(widest/2)
}

// Rescaled returns a metric of the same form with the axis scales of m, except for the coordinates in scales, which get
// the scales given there.
func (m Metric) Rescaled(scales map[int]float64) Metric {
	diagonal := m.As(0)
	for j, s := range scales {
		diagonal.Scale[j] = s
	}
	return diagonal.As(Form(m.Rank))
}

// As returns a metric of form f with the axis scales of m, but without its correlations: the start of an estimate.
func (m Metric) As(f Form) Metric {
	scale := m.Scale
	if m.Rank < 0 {
		l := mat.NewTriDense(m.Dim, mat.Lower, m.Factor)
		scale = make([]float64, m.Dim)
		for i := range scale {
			for j := range i + 1 {
				scale[i] = math.Hypot(scale[i], l.At(i, j))
			}
		}
	}
	if f == Dense {
		out := Metric{Dim: m.Dim, Rank: -1, Factor: make([]float64, m.Dim*m.Dim)}
		for i, s := range scale {
			out.Factor[i*m.Dim+i] = s
		}
		return out
	}
	out := lowRank(m.Dim, int(f))
	copy(out.Scale, scale)
	return out
}
