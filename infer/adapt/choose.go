package adapt

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A Form is the shape of a metric: diagonal (0), of low rank (1 to MaxRank), or dense (−1), as Metric.Rank has it.
type Form int

// Dense is the form of a metric that is a triangular matrix.
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

// Small is the largest dimension at which a dense metric costs too little to choose another.
const Small = 32

// FewestToChoose is the number of points from which the form of a metric, or coordinates, can be chosen.
const FewestToChoose = 100

// A Choice is a form with the reason for it: what a form costs is the arithmetic of a step times the number of steps
// that a target needs in its coordinates, relative to a round target.
//
//	1,003 coordinates, a gradient of 12,000 operations
//	diagonal        1.2 steps · (12,000 +  10,000)       26,000
//	16 directions   1.0 steps · (12,000 + 267,000)      279,000     → diagonal
type Choice struct {
	Form     Form
	Steps    float64 // that this form needs
	Diagonal float64 // steps when only the axes are scaled
	Cost     float64 // of a trajectory, in operations, up to a common factor
}

// A matrix element of a metric takes as long as perElement operations of a model, where each lane reads its own from
// memory, as on a ladder; a coordinate takes perCoordinate for the momenta and for moving along.
const (
	perElement    = 4
	perCoordinate = 10
)

// worthwhile is how much less than a diagonal form another must cost: a few directions seen in a short window promise
// more than they keep.
const worthwhile = 1.5

// Settled reports whether trajectories are so short with a diagonal metric that no other form, however few steps it
// needs, could cost enough less.
func (c Choice) Settled() bool { return c.Diagonal < worthwhile }

// work returns the arithmetic of pulling a gradient and pushing a momentum.
func (f Form) work(dim int) float64 {
	if f == Dense {
		return 2 * perElement * float64(dim) * float64(dim)
	}
	return 4 * perElement * float64(dim) * float64(f)
}

// Choose gives the form that costs least for a target that was seen at some points, and whose gradient takes a known
// amount of arithmetic, in additions. It looks at the directions that a metric of low rank, begun with the scales of m,
// would stretch.
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

// logSpectrum returns the logarithms of the variances along the directions that differ most, in units of all others,
// the largest first.
func (m Metric) logSpectrum(p *Points) []float64 {
	few := &Points{p.thinned(), p.thinnedGradients()}
	logs := m.As(Form(min(2*MaxRank, m.Dim))).Estimate(few).Stretch
	for i, s := range logs {
		logs[i] = 2 * math.Log(1+s)
	}
	slices.SortFunc(logs, func(a, b float64) int { return cmp.Compare(math.Abs(b), math.Abs(a)) })
	return logs
}

// stepsFor returns the number of steps of a trajectory, relative to that of a round target, where the logarithms of
// some variances are given and all others are 1. The error of a leapfrog step of length h is Σ (hω)⁴ over the
// frequencies, up to a factor, so that h is limited by their mean fourth power, ω² = 1/variance; and trajectories have
// to be as long as the widest direction.
func stepsFor(logs []float64, dim int) float64 {
	widest, fourth := 0.0, float64(dim-len(logs))
	for _, l := range logs {
		widest = math.Max(widest, l)
		fourth += math.Exp(-2 * l)
	}
	return math.Pow(fourth/float64(dim), .25) * math.Exp(widest/2)
}

// Rescaled returns a metric of the same form with the scales of its axes, but for some coordinates, which get their
// own.
func (m Metric) Rescaled(scales map[int]float64) Metric {
	diagonal := m.As(0)
	for j, s := range scales {
		diagonal.Scale[j] = s
	}
	return diagonal.As(Form(m.Rank))
}

// As returns a metric of another form, with nothing but its axes' scales kept, to estimate from.
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
