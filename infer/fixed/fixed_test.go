package fixed

import (
	"context"
	"errors"
	"testing"

	"ppl/autodiff"
	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/lang/types"
	"ppl/runtime/host"
)

// onePoint is a target with the log prior −1, the log likelihood −2 and the value 7 everywhere.
type onePoint struct{ dim int }

func (p onePoint) Dim() int { return p.dim }
func (onePoint) Density(theta autodiff.Node) (logPrior, logLik autodiff.Node) {
	return theta.Graph().Const(-1), theta.Graph().Const(-2)
}
func (onePoint) ProperPrior() bool                         { return true }
func (p onePoint) Start(seed uint64, walker int) []float64 { return make([]float64, p.dim) }
func (onePoint) Saved() []types.Variable                   { return []types.Variable{{Name: "x"}} }
func (onePoint) Values(theta autodiff.Node) autodiff.Node {
	return autodiff.Reshape(theta.Graph().Const(7), 1)
}

func options() infer.Options {
	o := infer.Defaults()
	o.Device, o.Chains, o.Draws = infer.Lowered(host.Device{}), 3, 250
	return o
}

// TestSample checks that every draw is the only point, and that all chains have the requested number of draws.
func TestSample(t *testing.T) {
	m := new(dynamicstest.Memory)
	report, err := Sample(context.Background(), onePoint{}, options(), m)
	if err != nil || report.Draws != 250 || report.Gradients != 0 {
		t.Fatalf("%+v, %v", report, err)
	}
	for name, want := range map[string]float64{"lp": -3, "log_prior": -1, "log_lik": -2} {
		checkAll(t, name, m.Stat(name), want)
	}
	checkAll(t, "values", m.Chains(func(x []float64) float64 { return x[0] }), 7)
}

func checkAll(t *testing.T, name string, chains [][]float64, want float64) {
	t.Helper()
	if len(chains) != 3 {
		t.Fatalf("%s: %d chains, want 3", name, len(chains))
	}
	for _, xs := range chains {
		if len(xs) != 250 {
			t.Errorf("%s: %d draws, want 250", name, len(xs))
		}
		for _, x := range xs {
			if x != want {
				t.Fatalf("%s is %v, want %v", name, x, want)
			}
		}
	}
}

// TestInterrupted checks that an interrupted run has the same number of draws of each chain, and that the resumed run
// adds the missing ones.
func TestInterrupted(t *testing.T) {
	for _, after := range []int{1, 2, 301, 749} {
		ctx, cancel := context.WithCancel(context.Background())
		first, o := new(dynamicstest.Memory), options()
		o.Checkpoints = &kept{}
		first.OnDraw = func(n int) {
			if n == after {
				cancel()
			}
		}
		report, err := Sample(ctx, onePoint{}, o, first)
		if report.Draws < o.Draws && !errors.Is(err, context.Canceled) {
			t.Fatalf("interrupted after %d: %v", after, err)
		}
		second := new(dynamicstest.Memory)
		if _, err := Sample(context.Background(), onePoint{}, o, second); err != nil {
			t.Fatal(err)
		}
		for chain, xs := range first.Values {
			n := len(xs)
			if len(second.Values) > 0 {
				n += len(second.Values[chain])
			}
			if n != o.Draws || len(xs) != report.Draws {
				t.Errorf("interrupted after %d: chain %d has %d draws, want %d", after, chain, n, o.Draws)
			}
		}
	}
}

// kept is an infer.Checkpoints that stores the last checkpoint in memory.
type kept struct{ state *checkpoint }

func (k *kept) Load(state any) (bool, error) {
	if k.state != nil {
		*state.(*checkpoint) = *k.state
	}
	return k.state != nil, nil
}
func (k *kept) Due(int) bool { return false }
func (k *kept) Save(state any) error {
	c := state.(checkpoint)
	k.state = &c
	return nil
}

func TestParametersAreRefused(t *testing.T) {
	if _, err := Sample(context.Background(), onePoint{dim: 1}, options(), nil); !errors.As(err, new(infer.Refusal)) {
		t.Errorf("got %v, want a refusal", err)
	}
}
