package optimize

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ppl/autodiff"
	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/runtime/noise"
)

// overfitted is a linear regression with almost as many coefficients as rows and a wide prior, so that held-out rows
// are predicted best at a point on the way to the mode.
type overfitted struct {
	inRows
	x, y []float64
	d    int
}

// inRows embeds Rows under another name, so that overfitted can have methods that hide those of Rows.
type inRows = dynamicstest.Rows

const fitRows, fitDim = 90, 60

func newOverfitted() overfitted {
	r := rand.New(rand.NewPCG(3, 5))
	o := overfitted{d: fitDim}
	for i := range fitRows {
		for range fitDim {
			o.x = append(o.x, r.NormFloat64())
		}
		o.y = append(o.y, o.x[i*fitDim]+r.NormFloat64())
	}
	o.build()
	return o
}

func (o *overfitted) build() {
	o.inRows = dynamicstest.NewRows(o.d, fitRows, 100, func(theta, rows autodiff.Node) autodiff.Node {
		g := theta.Graph()
		x := autodiff.Gather(g.Data("x", o.x, fitRows, o.d), rows)
		mean := autodiff.Reshape(autodiff.MatMul(x, autodiff.Reshape(theta, o.d, 1), false, false), rows.Size())
		off := autodiff.Sub(autodiff.Gather(g.Data("y", o.y, fitRows), rows), mean)
		return autodiff.Mul(g.Const(-0.5), autodiff.Mul(off, off))
	})
}

// logLik returns log ℓ of a row, computed without a graph.
func (o overfitted) logLik(theta []float64, row int) float64 {
	off := o.y[row]
	for j, b := range theta {
		off -= o.x[row*o.d+j] * b
	}
	return -off * off / 2
}

func stopping(method string) Options {
	o := options(method)
	o.Starts, o.Batch, o.StopAfter, o.Rate, o.Iterations = 2, 10, 5, 0.02, 4000
	o.Start = func(k int) []float64 {
		x := make([]float64, fitDim)
		x[k] = 1
		return x
	}
	return o
}

// held returns the rows that the search holds out, computed from the definition of their order.
func held(o Options) (rows []int) {
	for k := range infer.HeldOut(fitRows) {
		rows = append(rows, int(noise.Shuffle(o.Seed, fitRows, keyOfOrder, float64(k))))
	}
	return rows
}

// TestEarlyStopping checks that starts stop after StopAfter epochs without better predictions of the held-out rows, and
// that the result has the reported mean log ℓ of these rows.
func TestEarlyStopping(t *testing.T) {
	target, o := newOverfitted(), stopping("adamw")
	r := maximize(t, target, o)
	score := func(theta []float64) (mean float64) {
		rows := held(o)
		for _, row := range rows {
			mean += target.logLik(theta, row) / float64(len(rows))
		}
		return mean
	}
	if got := score(r.Theta); math.Abs(got-bestOf(r.Ends, o).HeldOut) > 1e-9 || r.Converged || !r.Biased {
		t.Errorf("the mean log ℓ of held-out rows at the best point is %.6f, but %.6f is reported (%s)", got,
			bestOf(r.Ends, o).HeldOut, r.Message)
	}
	epoch := (fitRows - infer.HeldOut(fitRows) + o.Batch - 1) / o.Batch
	for _, e := range r.Ends {
		if e.Iterations >= o.Iterations || e.BestAt > e.Iterations-o.StopAfter*epoch {
			t.Errorf("%d steps, of which %d led to the best point: the start was not stopped early", e.Iterations,
				e.BestAt)
		}
	}
}

// TestHeldOutRowsAreNotLearned checks that other outcomes of the held-out rows do not change the steps of a search.
// Planted fault: another outcome of a training row.
func TestHeldOutRowsAreNotLearned(t *testing.T) {
	target, o := newOverfitted(), stopping("adam")
	o.Starts, o.Iterations = 1, (fitRows-infer.HeldOut(fitRows))/o.Batch // one epoch: the only look is at its end
	one := maximize(t, target, o)
	for _, row := range held(o) {
		target.y[row] += 100
	}
	target.build()
	two := maximize(t, target, o)
	if d := cmp.Diff(one.Theta, two.Theta); d != "" {
		t.Errorf("other outcomes of the held-out rows change the search: %s", d)
	}
	for row := range fitRows { // planted fault: change one training row
		if !slices.Contains(held(o), row) {
			target.y[row] += 100
			break
		}
	}
	target.build()
	if cmp.Equal(one.Theta, maximize(t, target, o).Theta) {
		t.Error("another outcome of a training row does not change the search")
	}
}

// memory is an infer.Checkpoints that stores one checkpoint, at the n-th call of Due, and then ends the search.
type memory struct {
	n     int
	state ascentState
	found bool
	end   func()
}

func (m *memory) Load(state any) (bool, error) {
	if m.found {
		*state.(*ascentState) = m.state
	}
	return m.found, nil
}

func (m *memory) Due(int) bool {
	m.n--
	return m.n == 0
}

func (m *memory) Save(state any) error {
	m.state, m.found = state.(ascentState).copied(), true
	m.end()
	return nil
}

// copied returns a deep copy of the state.
func (s ascentState) copied() ascentState {
	s.Climbers = slices.Clone(s.Climbers)
	for k, c := range s.Climbers {
		own := *c
		own.Lane = map[string][]float64{}
		for name, values := range c.Lane {
			own.Lane[name] = slices.Clone(values)
		}
		s.Climbers[k] = &own
	}
	return s
}

// TestSearchGoesOn checks that a search resumed from a checkpoint has the same result as an uninterrupted one.
func TestSearchGoesOn(t *testing.T) {
	for _, method := range []string{"adam", "adamw", "sgd"} {
		target, o := newOverfitted(), stopping(method)
		if method == "sgd" {
			o.Rate = 1e-4
		}
		whole := maximize(t, target, o)
		ctx, cancel := context.WithCancel(context.Background())
		keep := &memory{n: 4, end: cancel}
		o.Checkpoints = keep
		if _, err := Maximize(ctx, target, o); err != context.Canceled || !keep.found {
			t.Fatalf("%s: the search was not interrupted: %v", method, err)
		}
		keep.end = func() {}
		if d := cmp.Diff(whole, maximize(t, target, o)); d != "" {
			t.Errorf("%s: the resumed search has another result: %s", method, d)
		}
	}
}
