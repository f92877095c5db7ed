package minibatch_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"ppl/compiler/compilertest"
	"ppl/runtime/host"
	"ppl/runtime/native"
	"ppl/runtime/noise"
)

// A stack has three blocks, one after the other: h[0] is the row's x, and h[j] = dropout(tanh(w[j] · h[j-1]), 0.3). The
// mean is the sum of h[3], far below y. The products of a large stack are so large that a recurrence stores the values
// that its gradient needs.
type stack struct {
	width int
	scale float64 // scale of the weights
}

const (
	stackBlocks = 3
	stackShare  = 0.3
)

func small() stack { return stack{3, 1} }
func large() stack { return stack{160, 0.1} }

// text returns the model, in which the function f of a row is the mean.
func (s stack) text(f string) string {
	return fmt.Sprintf(`data seeds[N] = [1, 2, 3, 4], y[N] = [50, 50, 50, 50]
D = %d
B = %d
w[B, D, D] ~ Normal(0, 1)
x(s) = [d in D: sin(s * d)]
f(v[D]) = {
%s
}
y[i in N] ~ Normal(f(x(seeds[i])), 1)
`, s.width, stackBlocks, f)
}

const stacked = `    h[0] = v
    h[j in 1..B] = tanh(w[j] @ h[j-1]) -> dropout(0.3)
    return sum(h[B])`

// unrolled is the network without a recurrence.
const unrolled = `    a = tanh(w[1] @ v) -> dropout(0.3)
    b = tanh(w[2] @ a) -> dropout(0.3)
    c = tanh(w[3] @ b) -> dropout(0.3)
    return sum(c)`

func (s stack) weights() []float64 { return s.scaled(stackBlocks * s.width * s.width) }

func (s stack) scaled(n int) []float64 {
	w := weightsOf(n)
	for k := range w {
		w[k] *= s.scale
	}
	return w
}

// An address returns the site and the point of the noise for an element.
type address func(s stack, block, row, d int) (site uint32, point int)

// byTurn returns the address in a stack, which is one loop: iterations share the site and have different points,
// numbered from that of h[0].
func byTurn(s stack, block, row, d int) (site uint32, point int) {
	return 0, (block*len(batchOfThree)+row)*s.width + d
}

// bySite returns the address in blocks that are written out one after the other: each block has its own site.
func bySite(s stack, block, row, d int) (site uint32, point int) {
	return uint32(block - 1), row*s.width + d
}

// byRow is the planted fault: each block drops the same elements.
func byRow(s stack, _, row, d int) (site uint32, point int) { return 0, row*s.width + d }

// mean returns the mean of a row of the batch, computed from the definition of the stack and package noise.
func (s stack) mean(w []float64, at address, row int, lane, step float64) (mu float64) {
	h := make([]float64, s.width)
	for d := range h {
		h[d] = math.Sin((batchOfThree[row] + 1) * float64(d+1))
	}
	for block := 1; block <= stackBlocks; block++ {
		next := make([]float64, s.width)
		for d := range next {
			sum := 0.0
			for k := range h {
				sum += w[((block-1)*s.width+d)*s.width+k] * h[k]
			}
			site, point := at(s, block, row, d)
			if noise.Addressed(dropSeed, site, lane, step, float64(point)) >= stackShare {
				next[d] = math.Tanh(sum) / (1 - stackShare)
			}
		}
		h = next
	}
	for _, v := range h {
		mu += v
	}
	return mu
}

// farthest returns the largest distance, over some steps, of the means from those that the addresses imply.
func (s stack) farthest(t *testing.T, d dropper, at address) (worst float64) {
	t.Helper()
	w := s.weights()
	for step := range 20 {
		terms, _ := d.at(t, w, 3, float64(step))
		for row, mu := range meansOf(terms) {
			worst = max(worst, math.Abs(mu-s.mean(w, at, row, 3, float64(step))))
		}
	}
	return worst
}

// TestDropoutInStack checks that each block of a stack drops different elements, as the noise at their addresses
// determines, and that blocks written one after the other have other addresses.
func TestDropoutInStack(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]stack{"small": small(), "large": large()} {
		stack := newDropper(t, compilertest.Load(t, s.text(stacked)), host.Device{}, 1)
		apart := newDropper(t, compilertest.Load(t, s.text(unrolled)), host.Device{}, 1)
		if got := s.farthest(t, stack, byTurn); got > 1e-8 {
			t.Errorf("%s: the stack is %v from its definition", name, got)
		}
		if got := s.farthest(t, apart, bySite); got > 1e-8 {
			t.Errorf("%s: the blocks one after the other are %v from their definition", name, got)
		}
		if got := s.farthest(t, stack, byRow); got < 0.1 { // planted fault: the same elements in each block
			t.Errorf("%s: the same elements in each block are %v away only", name, got)
		}
	}
}

// checkSlope compares the gradient along one direction with finite differences for the same noise. With other noise
// they must differ.
func (d dropper) checkSlope(t *testing.T, at []float64, step float64) {
	t.Helper()
	const width = 1e-5
	_, gradient := d.at(t, at, 1, step)
	slope := func(step float64) float64 {
		var ends [2]float64
		for side, by := range []float64{width, -width} {
			moved := slices.Clone(at)
			for k := range moved {
				moved[k] += by * math.Cos(float64(k))
			}
			terms, _ := d.at(t, moved, 1, step)
			ends[side] = terms[0] + terms[1] + terms[2]
		}
		return (ends[0] - ends[1]) / (2 * width)
	}
	want := 0.0
	for k, g := range gradient {
		want += g * math.Cos(float64(k))
	}
	if got := slope(step); math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
		t.Errorf("step %v: the gradient says %v, finite differences %v", step, want, got)
	}
	if got := slope(step + 1); math.Abs(got-want) < 1e-3*(1+math.Abs(want)) {
		t.Errorf("step %v: the slope is %v at other noise, too", step, got)
	}
}

// TestGradientOfDropoutInRecurrences checks that the gradient drops the same elements as the value: in stacks, in
// recurrences over time that read earlier dropped values, in families of layers, and for images.
func TestGradientOfDropoutInRecurrences(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		s stack
		f string
	}{
		"small": {small(), stacked}, "large": {large(), stacked},
		"back": {small(), `    h[4] = v
    h[j in 1..3] = tanh(w[j] @ h[j+1]) -> dropout(0.3)
    return sum(h[1])`},
		"over time": {small(), `    h[0] = 0
    h[t in 1..D] = tanh(w[1, 1, 1] * v[t] + w[2, 1, 1] * dropout(h[t-1], 0.3))
    return sum(h[1..D]) + w[3, 1, 1] * sum(v)`},
		"two members": {small(), `    h[0] = v
    z[j in 1..B] = tanh(w[j] @ h[j-1]) -> dropout(0.4)
    h[j in 1..B] = h[j-1] + z[j] -> dropout(0.2)
    return sum(h[B])`},
		"far back": {small(), `    h[0] = v
    h[j in 1..B] = sum(k in 0..j-1: dropout(tanh(w[j] @ h[k]), 0.3))
    return sum(h[B])`},
		"family": {small(), `    return sum(g[1](v)) + 2 * sum(g[2](v))
}
g[k in 1..2](v[D]) = {
    h[0] = v
    h[j in 1..B] = tanh(k * w[j] @ h[j-1]) -> dropout(0.3)
    return h[B]`},
		"layers": {small(), `    h[0] = v
    h[j in 1..B] = h[j-1] -> Block
    return sum(w[1] @ h[B])
}
Block(h[H]) ~ {
    z = h -> dense(H, weight = Normal(0, 1), bias = Normal(0, 1))
    return dropout(h + tanh(z), 0.2)`},
		"images": {stack{4, 1}, `    h[0] = [p in D, q in D: v[p] * v[q]]
    h[j in 1..B] = tanh(w[j] @ h[j-1]) -> random_crop(1) -> random_flip(0.5)
    return sum(p in D, q in D: p * q * h[B, p, q])`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDropper(t, compilertest.Load(t, c.s.text(c.f)), host.Device{}, 1)
			for step := range 4 {
				d.checkSlope(t, c.s.scaled(d.dim), 5*float64(step))
			}
		})
	}
}

// TestStatisticsOfDropoutInStack checks that the mean and the mean square of a row's output over the noise are those of
// the blocks written one after the other.
func TestStatisticsOfDropoutInStack(t *testing.T) {
	t.Parallel()
	const steps = 4000
	s := small()
	w := s.weights()
	sample := func(mu func(step float64) float64) (mean, square [2]float64) { // each with the variance of its estimate
		var sums [4]float64
		for step := range steps {
			v, power := mu(float64(step)), 1.0
			for k := range sums {
				power *= v
				sums[k] += power / steps
			}
		}
		return [2]float64{sums[0], (sums[1] - sums[0]*sums[0]) / steps},
			[2]float64{sums[1], (sums[3] - sums[1]*sums[1]) / steps}
	}
	of := func(f string) (mean, square [2]float64) {
		d := newDropper(t, compilertest.Load(t, s.text(f)), host.Device{}, 1)
		return sample(func(step float64) float64 {
			terms, _ := d.at(t, w, 3, step)
			return meansOf(terms)[1]
		})
	}
	distance := func(a, b [2]float64) float64 { return math.Abs(a[0]-b[0]) / math.Sqrt(a[1]+b[1]) }
	mean, square := of(stacked)
	apartMean, apartSquare := of(unrolled)
	if z := max(distance(mean, apartMean), distance(square, apartSquare)); z > 4 {
		t.Errorf("the stack is %.1f standard errors from the blocks one after the other", z)
	}
	planted, plantedSquare := sample(func(step float64) float64 { return s.mean(w, byRow, 1, 3, step) })
	if z := max(distance(mean, planted), distance(square, plantedSquare)); z < 4 {
		t.Errorf("the same elements in each block are %.1f standard errors away only", z)
	}
}

// TestBytesOfDropoutInStack checks that the numbers do not depend on threads or device, and that with p = 0 they equal
// those of a model without dropout.
func TestBytesOfDropoutInStack(t *testing.T) {
	t.Parallel()
	compiled, err := native.New()
	if err != nil {
		t.Skip(err)
	}
	for name, s := range map[string]stack{"small": small(), "large": large()} {
		p, w := compilertest.Load(t, s.text(stacked)), s.weights()
		reference, _ := newDropper(t, p, host.Device{}, 1).at(t, w, 5, 9)
		one, gradient := newDropper(t, p, compiled, 1).at(t, w, 5, 9)
		two, gradient2 := newDropper(t, p, compiled, 2).at(t, w, 5, 9)
		if !slices.Equal(one, two) || !slices.Equal(gradient, gradient2) {
			t.Errorf("%s: two threads: %v, one: %v", name, two, one)
		}
		if !near(one, reference) {
			t.Errorf("%s: native: %v, host: %v", name, one, reference)
		}
		never := compilertest.Load(t, s.text(strings.ReplaceAll(stacked, "0.3", "0")))
		without := compilertest.Load(t, s.text(strings.ReplaceAll(stacked, " -> dropout(0.3)", "")))
		a, _ := newDropper(t, never, compiled, 1).at(t, w, 5, 9)
		b, _ := newDropper(t, without, compiled, 1).at(t, w, 5, 9)
		if !slices.Equal(a, b) || slices.Equal(a, one) {
			t.Errorf("%s: with p = 0 %v, without dropout %v, with it %v", name, a, b, one)
		}
	}
}

func near(a, b []float64) bool {
	return !slices.ContainsFunc(a, func(v float64) bool { return math.IsNaN(v) }) &&
		slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= 1e-9*(1+math.Abs(y)) })
}

// TestDropoutInFamilies checks that each member of a family, and each call of a network that is called twice, drops
// different elements.
func TestDropoutInFamilies(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]string{
		"members": `    return sum(g[1](v) - g[2](v))`, "calls": `    return sum(g[1](v) - g[1](v))`,
	} {
		text := small().text(f + `
}
g[k in 1..2](v[D]) = {
    h[0] = v
    h[j in 1..B] = tanh(w[j] @ h[j-1]) -> dropout(0.3)
    return h[B]`)
		d := newDropper(t, compilertest.Load(t, text), host.Device{}, 1)
		for row := range batchOfThree {
			most := 0.0
			for step := range 20 {
				terms, _ := d.at(t, small().weights(), 3, float64(step))
				most = max(most, math.Abs(meansOf(terms)[row]))
			}
			if most < 0.1 {
				t.Errorf("%s drop the same elements in row %d", name, row)
			}
		}
	}
}

// TestDropoutInDifferentialEquation checks that all evaluations of a right side during one solution drop the same
// elements, so that the right side is a function.
func TestDropoutInDifferentialEquation(t *testing.T) {
	t.Parallel()
	d := newDropper(t, compilertest.Load(t, `data ts[N] = [0.3, 0.6, 0.9, 1.2], y[N] = [50, 50, 50, 50]
D = 3
w[D] ~ Normal(0, 1)
u(0) = 2
u'(t) = sum([d in D: w[d] * u(t)] -> dropout(0.3))
y[i in N] ~ Normal(u(ts[i]), 1)
`), host.Device{}, 1)
	same := 0
	for step := range 20 {
		rate, all := 0.0, 0.0
		for k, w := range weights {
			if all += w; noise.Addressed(dropSeed, 0, 3, float64(step), float64(k)) >= 0.3 {
				rate += w / 0.7
			}
		}
		terms, _ := d.at(t, weights, 3, float64(step))
		for i, mu := range meansOf(terms) {
			after := 0.3 * (batchOfThree[i] + 1)
			if want := 2 * math.Exp(rate*after); math.Abs(mu-want) > 1e-4*want {
				t.Errorf("step %d: after %v the solution is %v, not %v", step, after, mu, want)
			}
			if math.Abs(mu-2*math.Exp(all*after)) < 1e-4 {
				same++
			}
		}
		d.checkGradient(t, weights, float64(step), 1e-4)
	}
	if same > 10 {
		t.Errorf("nothing is dropped in %d of 60 solutions", same)
	}
}
