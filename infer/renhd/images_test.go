package renhd

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/combin"
	"gonum.org/v1/gonum/stat/distuv"

	"ppl/autodiff"
	"ppl/infer/dynamics"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/symmetry"
	"ppl/lang/types"
	"ppl/posterior/stats"
)

type density = dynamicstest.Density

// A labelled target is the average of normals with the coordinates of labels in every order. It says of which
// coordinates the labels are.
type labelled struct {
	density
	sets [][]int
}

func (t labelled) Symmetries() types.Symmetries {
	return types.Symmetries{Dim: t.D, Of: []types.Symmetry{{Kind: types.Labels, Names: []string{"x"}, Sets: t.sets}}}
}

// newLabelled has some coordinates of each label in turn.
func newLabelled(labels int, mean, sd []float64) labelled {
	each := len(mean) / labels
	t := labelled{density: density{D: len(mean), Proper: true, Spread: 3}}
	for k := range labels {
		var set []int
		for i := range each {
			set = append(set, k*each+i)
		}
		t.sets = append(t.sets, set)
	}
	t.LogPrior = func(theta autodiff.Node) autodiff.Node {
		g, orders := theta.Graph(), []autodiff.Node(nil)
		for _, from := range combin.Permutations(labels, labels) {
			m, w := make([]float64, len(mean)), make([]float64, len(mean))
			for j := range mean {
				of := from[j/each]*each + j%each
				m[j], w[j] = mean[of], -.5/(sd[of]*sd[of])
			}
			d := autodiff.Sub(theta, g.Data("mean", m, len(mean)))
			sum := autodiff.SumAll(autodiff.Mul(g.Data("weight", w, len(mean)), autodiff.Mul(d, d)))
			orders = append(orders, autodiff.Reshape(sum, 1))
		}
		return autodiff.LogSumExp(autodiff.Concat(0, orders...), 0)
	}
	return t
}

// Where labels of narrow and wide modes may change places, walkers agree without a ladder, and draws have the moments
// of all six orders, to 4 standard errors. With labels that are none, the planted fault, they have not.
func TestLabelsSwitchInDraws(t *testing.T) {
	t.Parallel()
	mean, sd := []float64{-4, 0, 0, 1, 5, -1}, []float64{.1, .3, .5, .2, 1, 1}
	target := newLabelled(3, mean, sd)
	faulty := target
	faulty.sets = [][]int{{0, 1}, {3, 2}, {4, 5}}
	for _, c := range []struct {
		target labelled
		right  bool
	}{{target, true}, {faulty, false}} {
		m, report := draw(t, c.target, options(3))
		off := 0.0
		for j := range 6 {
			var square [][]float64
			wantMean, wantSquare := 0.0, 0.0
			for k := range 3 {
				wantMean += mean[2*k+j%2] / 3
				wantSquare += (mean[2*k+j%2]*mean[2*k+j%2] + sd[2*k+j%2]*sd[2*k+j%2]) / 3
			}
			for _, xs := range m.chains(j) {
				square = append(square, nil)
				for _, x := range xs {
					square[len(square)-1] = append(square[len(square)-1], x*x)
				}
			}
			first, second := stats.Summarize(m.chains(j)), stats.Summarize(square)
			off = max(off, math.Abs(first.Mean-wantMean)/first.MCSEMean,
				math.Abs(second.Mean-wantSquare)/second.MCSEMean)
		}
		notes := strings.Join(report.Notes, "\n")
		if c.right && (off > 4 || len(report.Temperatures) > 1 || !strings.Contains(notes, "images of each other")) {
			t.Errorf("moments are off by %.1f standard errors, temperatures %v, notes:\n%s", off, report.Temperatures,
				notes)
		}
		if !c.right && off < 8 {
			t.Errorf("the planted fault passes: off by %.1f standard errors", off)
		}
	}
}

// Walkers that are kept inside of the part with one image of each position, images at random of which are drawn, sample
// the target with a metric that suits one image alone. Where they go on from their nearest images instead, the planted
// fault, they do not.
func TestStayingInsideIsExact(t *testing.T) {
	t.Parallel()
	const chains, sweeps = 64, 1500
	mean, sd := []float64{0, 1.5}, []float64{.2, 1.5}
	for _, inside := range []bool{true, false} {
		o := options(5)
		o.Chains, o.Settings.Metric = chains, "diagonal"
		_, s, err := newConfig(newLabelled(2, mean, sd), o, swapRules{})
		if err != nil {
			t.Fatal(err)
		}
		r := newRun(t.Context(), s, exchange{test: penalty()}, new(memory))
		t.Cleanup(r.close)
		r.phase = r.phase.onPath(dynamics.Plain)
		if err := r.warm.loadLadder([]float64{1}, 1); err != nil {
			t.Fatal(err)
		}
		w := r.walkers
		w.Rungs[0].Metric.Scale, w.Rungs[0].Step = slices.Clone(sd), .7
		w.writeAllRungs()
		r.Reference = symmetry.Reference{At: mean, Scale: sd}
		if _, err := w.place(r.ctx, slices.Repeat([][]float64{mean}, chains)); err != nil {
			t.Fatal(err)
		}
		larger, outside := make([][]float64, chains), 0
		for i := range sweeps {
			trajectory := func() error {
				err := w.trajectory(r.ctx, 3)
				for _, x := range w.positions() {
					if !r.phase.images.Inside(x, r.Reference) {
						outside++
					}
				}
				return err
			}
			move := func() error { return r.stayInside(trajectory) }
			if !inside {
				move = func() error { return errors.Join(trajectory(), r.moveToImages()) }
			}
			if err := move(); err != nil {
				t.Fatal(err)
			}
			for lane, x := range w.positions() {
				if i >= sweeps/5 {
					larger[lane] = append(larger[lane], max(x[0], x[1]))
				}
			}
		}
		// The mean of the larger of two normals (Clark 1961, Operations Research 9).
		both := math.Hypot(sd[0], sd[1])
		z, n := (mean[1]-mean[0])/both, distuv.UnitNormal
		want := mean[1]*n.CDF(z) + mean[0]*n.CDF(-z) + both*n.Prob(z)
		var means []float64
		for _, xs := range larger {
			means = append(means, stat.Mean(xs, nil))
		}
		got, spread := stat.MeanStdDev(means, nil)
		off := math.Abs(got-want) / (spread / math.Sqrt(chains))
		t.Logf("inside %v: %.4f, want %.4f, off by %.1f standard errors; %d trajectories ended outside", inside, got,
			want, off, outside)
		if inside != (off < 4) || outside < 100 {
			t.Errorf("inside %v: off by %.1f standard errors; %d trajectories ended outside", inside, off, outside)
		}
	}
}
