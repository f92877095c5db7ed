package renhd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"ppl/autodiff"
	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/lang/types"
)

// layered is a normal target that says of its coordinates that they are weights, as a network does: the mean of 40
// rows, each coordinate with the noise of its block.
type layered struct {
	inRows
	blocks []types.Block
}

// inRows lets layered have the method of the name Rows.
type inRows = dynamicstest.Rows

func (t layered) Blocks() []types.Block { return t.blocks }

// newLayered has d coordinates in three blocks: weights with little noise and with much, and other parameters.
func newLayered(d int) layered {
	const rows = 40
	t := layered{blocks: []types.Block{
		{Parameter: "f.dense1.w", Size: d / 2, Layer: "f.dense1", Inputs: 20},
		{Parameter: "f.dense2.w", First: d / 2, Size: d / 4, Layer: "f.dense2", Inputs: 20},
		{Parameter: "s", First: d / 2 * 3 / 2, Size: d / 8},
		{Parameter: "t", First: d/2*3/2 + d/8, Size: d / 8},
	}}
	r := rand.New(rand.NewPCG(1, 2))
	y := make([]float64, rows*d)
	for i := range y {
		if y[i] = 0.3 * r.NormFloat64(); i%d >= d/2 {
			y[i] *= 3
		}
	}
	t.inRows = dynamicstest.NewRows(d, rows, 1, func(theta, rows autodiff.Node) autodiff.Node {
		g := theta.Graph()
		at := autodiff.Gather(g.Data("y", y, len(y)/d, d), rows)
		off := autodiff.Sub(at, autodiff.Broadcast(theta, []int{rows.Size(), d}, []int{1}))
		return autodiff.Mul(g.Const(-0.5), autodiff.Sum(autodiff.Mul(off, off), 1))
	})
	return t
}

// A network starts from an optimiser and samples the posterior: N(Σy/41, 1/41) in each coordinate. Of 1,000
// coordinates, the mean of squared errors over that of the posterior is within its standard error of 1.
func TestNetworkSamplesPosterior(t *testing.T) {
	target := newLayered(1000)
	o := options(3)
	o.Chains, o.Warmup, o.Draws, o.Thin, o.Settings = 2, 400, 40, 2, infer.Settings{Batch: 20}
	got, report := draw(t, target, o)
	theta := autodiff.New().Input("theta", 1000)
	logPrior, logLik := target.Density(theta)
	slope := autodiff.Eval(map[string][]float64{"theta": make([]float64, 1000)},
		autodiff.Grad(autodiff.Add(logPrior, logLik), theta)[0])[0]
	ratio, n := 0.0, 0.0
	for _, chain := range got.values {
		for _, x := range chain {
			for j, v := range x {
				off := v - slope[j]/41
				ratio, n = ratio+off*off*41, n+1
			}
		}
	}
	if ratio /= n; math.Abs(ratio-1) > 0.05 {
		t.Errorf("the variance of the draws is %.3f of that of the posterior", ratio)
	}
	if notes := strings.Join(report.Notes, "\n"); !strings.Contains(notes, "epochs (2400 steps)") ||
		!strings.Contains(notes, "other parameters") {
		t.Errorf("the report does not say how the run began:\n%s", notes)
	}
}

// The climb ends after its steps, or where the rate falls and two looks in a row are not above the best since then:
// before that, batches make scores fall and rise.
func TestClimbEnds(t *testing.T) {
	for name, c := range map[string]struct {
		heldOut []float64 // by look, each after 100 steps of 800
		looks   int
	}{
		"rising":                  {[]float64{-9, -8, -7, -6, -5, -4, -3, -2, -1}, 8},
		"two worse while falling": {[]float64{-9, -8, -7, -6, -5, -6, -6, -4}, 7},
		"worse before it falls":   {[]float64{-3, -4, -5, -6, -4, -3, -5, -2}, 8},
		"one worse, one better":   {[]float64{-9, -8, -7, -6, -5, -6, -4, -5}, 8},
		"not a number":            {[]float64{-9, -8, -7, -6, math.NaN(), math.NaN()}, 6},
	} {
		s := climbState{Best: math.Inf(-1)}
		for _, v := range c.heldOut {
			if s.Done {
				break
			}
			s.Steps += 100
			s.take(look{HeldOut: v}, 800)
		}
		if !s.Done || len(s.Looks) != c.looks {
			t.Errorf("%s: %d looks, done is %t; want %d", name, len(s.Looks), s.Done, c.looks)
		}
	}
}

// The steps of a climb follow from what the user says.
func TestStepsOfClimb(t *testing.T) {
	for _, c := range []struct{ chains, warmup, want int }{
		{1, 1000, 6000}, {4, 1000, 6000}, {6, 1000, 4000}, {12, 1000, 2000}, {40, 1000, 2000}, {12, 300, 600},
		{4, 0, 100},
	} {
		var r run
		r.phase.options.Chains, r.phase.options.Warmup = c.chains, c.warmup
		if got := (&networkWarmup{r.course}).mostClimb(); got != c.want {
			t.Errorf("%d chains, %d iterations: %d steps, want %d", c.chains, c.warmup, got, c.want)
		}
	}
}

// In whitened coordinates, the noise of a block is the geometric mean of its own and that of the hottest block, a
// coordinate with more noise than the mean of its block has that mean, and one without noise moves all the same.
func TestScaleOfBlock(t *testing.T) {
	for name, c := range map[string]struct{ variances, want []float64 }{
		"equal":    {[]float64{4, 4, 4}, []float64{8, 8, 8}},
		"one more": {[]float64{1, 1, 10}, []float64{2, 2, 8}},
		"hottest":  {[]float64{16, 16}, []float64{16, 16}},
		"none":     {[]float64{0, 0}, []float64{0, 0}},
	} {
		const hottest = 16
		scale := make([]float64, len(c.variances))
		scaleBlock(scale, c.variances, floats.Sum(c.variances)/float64(len(scale)), hottest)
		for i, v := range c.variances {
			whitened := v * scale[i] * scale[i] * hottest // in units of which the hottest block has hottest
			if math.Abs(whitened-c.want[i]) > 1e-12 || !(scale[i] > 0) || math.IsInf(scale[i], 0) {
				t.Errorf("%s: coordinate %d has the scale %g, its noise is %g, want %g", name, i, scale[i], whitened,
					c.want[i])
			}
		}
	}
}

// Rules without momenta, in cycles or with one thermostat sample networks, too: draws are finite, and where there is no
// kinetic temperature to look at there is no warning of one.
func TestRulesOnNetwork(t *testing.T) {
	for _, rule := range []string{"sgld", "csgld", "sgnht", "tacthmc"} {
		t.Run(rule, func(t *testing.T) {
			o := options(3)
			o.Chains, o.Draws, o.Thin, o.Settings = 1, 2, 1, infer.Settings{Batch: 20, Dynamics: rule}
			got, report := draw(t, newLayered(1000), o)
			for _, x := range got.values[0] {
				for _, v := range x {
					if math.IsNaN(v) || math.IsInf(v, 0) {
						t.Fatalf("a draw has the value %v", v)
					}
				}
			}
			if text := fmt.Sprint(report.Warnings); strings.Contains(text, "kinetic") && rule != "sgnht" {
				t.Errorf("there is no kinetic temperature to warn of: %s", text)
			}
		})
	}
}

// Replicas of a network are chains; a small model, one without batches and one without networks are as they were.
func TestNetworkOptions(t *testing.T) {
	o := infer.Defaults()
	o.Settings = infer.Settings{Batch: 10, Replicas: 12}
	got, note := NetworkOptions(newLayered(1000), o, false)
	if got.Chains != 12 || got.Settings.Replicas != 1 || got.Draws != 9 || !strings.Contains(note, "rate of 0.008") {
		t.Errorf("%d chains of %d draws, %d replicas: %s", got.Chains, got.Draws, got.Settings.Replicas, note)
	}
	for name, c := range map[string]struct {
		target infer.Target
		batch  int
	}{
		"few weights":  {newLayered(800), 10},
		"all rows":     {newLayered(1000), 0},
		"not declared": {newLayered(1000).inRows, 10},
	} {
		o.Settings.Batch = c.batch
		if got, note := NetworkOptions(c.target, o, false); note != "" || got.Chains != o.Chains {
			t.Errorf("%s: taken for a network: %s", name, note)
		}
	}
	for dim, want := range map[int]string{159_010: "10^-241", 89_290: "10^-136"} { // erfc by mpmath
		if got := tinyRate(dim, 1.2); got != want {
			t.Errorf("%d parameters exchange at %s, want %s", dim, got, want)
		}
	}
}
