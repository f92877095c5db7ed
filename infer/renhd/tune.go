package renhd

import (
	"math"
	"slices"

	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/infer/stats"
)

// A window is a stretch of warm-up with one metric. At its end what was seen in it makes the next metric.
type window struct {
	sweeps  int
	alone   bool      // every walker adapts a step of its own: it may be far from where the others are
	most    int       // steps of a trajectory at most
	metric  bool      // learn the metric
	spacing bool      // learn the spacing of the ladder
	heats   []float64 // by lane when alone: what temperatures have fallen to before; nil to measure them anew
}

// tuner is the state of one window.
type tuner struct {
	*run
	window
	sizes   []adapt.StepSize // by lane when alone, else by rung
	points  []adapt.Points   // by rung
	moved   []float64        // by lane: trajectories that went somewhere
	density [][]float64      // by lane: log π_β after every sweep
	visited [][][]float64    // by lane: θ after every sweep
	stood   [][]int          // by lane: its rung in every sweep
	accept  []float64
	buffer  []float64
}

// maxPoints bounds the numbers kept to learn a metric from.
const maxPoints = 4 << 20

// tune runs one window; it returns what was seen, for decisions.
func (r *run) tune(w window) (*tuner, error) {
	t := &tuner{run: r, window: w}
	t.begin()
	for i := range w.sweeps {
		if err := t.sweep(i); err != nil {
			return t, err
		}
	}
	return t, t.finish()
}

func (t *tuner) begin() {
	w := t.walkers
	t.points, t.moved = make([]adapt.Points, len(w.rungs)), make([]float64, w.lanes())
	t.density, t.visited, t.stood = make([][]float64, w.lanes()), make([][][]float64, w.lanes()),
		make([][]int, w.lanes())
	t.exchange.reset(len(w.rungs), w.lanes())
	if t.alone {
		for _, r := range w.rungOf {
			t.sizes = append(t.sizes, adapt.NewStepSize(w.rungs[r].step, t.goal(), t.longestStep()))
		}
		return
	}
	for _, r := range w.rungs {
		t.sizes = append(t.sizes, adapt.NewStepSize(r.step, t.goal(), t.longestStep()))
	}
}

func (t *tuner) goal() float64 {
	if a := t.settings().Accept; a > 0 {
		return a
	}
	return defaultAccept
}

// longestStep is the bound of adapted steps. In a few dimensions the goal would be met by trajectories of one step, all
// of nearly one length, which mix badly in spread; three steps and more can differ. While the metric is being learned
// it may be far too small, and steps have to make up for it.
func (t *tuner) longestStep() float64 {
	if t.metric {
		return math.Inf(1)
	}
	return 0.5
}

// defaultAccept is what steps are adapted to. Stan takes .8 where the path's length pays for itself; with lengths of
// about a quarter period, on normal targets of 2 to 50 dimensions, .9 gives 1.0 to 2.1 times the effective draws a
// gradient, and 1.3 to 5 times for squares.
const defaultAccept = 0.9

func (t *tuner) sweep(i int) error {
	w := t.walkers
	if err := t.setSteps(); err != nil {
		return err
	}
	if err := w.trajectory(t.ctx, t.steps(t.most)); err != nil {
		return err
	}
	t.learnSteps()
	if (t.metric || t.free()) && i >= t.sweeps/4 && i%t.stride() == 0 {
		if err := t.collect(); err != nil {
			return err
		}
	}
	t.note()
	t.swept++
	if t.alone {
		return nil
	}
	return t.exchange.swap(t.ctx, w)
}

func (t *tuner) adaptsStep() bool { return !t.free() && t.settings().StepSize == 0 }

func (t *tuner) size(lane, rung int) *adapt.StepSize {
	if t.alone {
		return &t.sizes[lane]
	}
	return &t.sizes[rung]
}

// learnSteps updates steps with the acceptance of the last trajectory, averaged over the walkers of a rung.
func (t *tuner) learnSteps() {
	w := t.walkers
	t.accept = w.read(dynamics.Accept, t.accept)
	sum, n := make([]float64, len(w.rungs)), make([]float64, len(w.rungs))
	for lane, r := range w.rungOf {
		sum[r] += t.accept[lane]
		n[r]++
		if t.alone {
			t.sizes[lane].Update(t.accept[lane])
		}
	}
	for r := range w.rungs {
		if !t.alone && n[r] > 0 {
			t.sizes[r].Update(sum[r] / n[r])
		}
	}
}

func (t *tuner) stride() int {
	return 1 + t.sweeps*t.walkers.lanes()*t.walkers.dim/maxPoints
}

// collect keeps positions and gradients for the metrics.
func (t *tuner) collect() error {
	w := t.walkers
	if err := w.entry(t.ctx, dynamics.Gradient, nil); err != nil {
		return err
	}
	w.laneSteps += int64(w.lanes())
	x, g := w.positions(), split(w.read(dynamics.Gradient, nil), w.dim)
	sane := t.sane()
	for lane, r := range w.rungOf {
		if sane[lane] {
			t.points[r].Add(x[lane], g[lane])
		}
	}
	return nil
}

// sane tells the walkers that a metric may learn from: while they come down from their starts, the better half and who
// is near it. One start with a gradient of 10¹⁰⁰ would say more than all others together.
func (t *tuner) sane() []bool {
	out, excess := make([]bool, t.walkers.lanes()), t.excess()
	limit := math.Max(stats.Quantile(excess, 0.5), hopeless(t.walkers.dim))
	for lane, e := range excess {
		out[lane] = !t.alone || len(t.walkers.rungs) > 1 || e <= limit
	}
	return out
}

// hopeless is a gap in log density that no volume makes up for: 20 + 5d, a factor of e⁵ > 100 in each direction and
// more.
func hopeless(dim int) float64 { return 20 + 5*float64(dim) }

// note records where walkers are.
func (t *tuner) note() {
	w := t.walkers
	t.buffer = w.read(dynamics.Moved, t.buffer)
	for lane, m := range t.buffer {
		t.moved[lane] += m
	}
	t.tell(infer.WarmingUp)
	logPrior, logLik := w.read(dynamics.LogPrior, nil), w.read(dynamics.LogLik, nil)
	for lane, x := range w.positions() {
		t.density[lane] = append(t.density[lane], logPrior[lane]+logLik[lane])
		t.stood[lane] = append(t.stood[lane], w.rungOf[lane])
		t.visited[lane] = append(t.visited[lane], slices.Clone(x[:min(len(x), adapt.MaxDense)]))
	}
}

// finish gives every rung the step and the metric that the window has shown.
func (t *tuner) finish() error {
	w := t.walkers
	t.takeTemperature(&t.points[0])
	for r := range w.rungs {
		if t.adaptsStep() {
			w.rungs[r].step = t.learned(r)
		}
		if t.metric && t.settings().Metric != "identity" {
			w.rungs[r].metric = w.rungs[r].metric.Estimate(&t.points[r])
			w.rungs[r].step = t.firstStepIn(w.rungs[r])
		}
	}
	w.settleAll()
	if t.metric && t.system.Batches.Size > 0 {
		return t.fitNoise()
	}
	return nil
}

// learned is the step a rung's walkers have come to: the median of theirs when they adapted alone.
func (t *tuner) learned(r int) float64 {
	if !t.alone {
		return t.sizes[r].Adapted()
	}
	var steps []float64
	for lane, at := range t.walkers.rungOf {
		if at == r {
			steps = append(steps, t.sizes[lane].Adapted())
		}
	}
	return median(steps, ones(len(steps)))
}

// firstStepIn is the step to begin with in a new metric. With noise in the gradients it is bounded by √(0.2/V), V the
// largest variance of the whitened gradient, so that noise does not heat the walker faster than the thermostat cools
// it.
func (r *run) firstStepIn(at rung) float64 {
	if !r.free() {
		return defaultStep
	}
	h, v := r.firstStep(at.beta), at.worst
	if r.system.Noise > 0 {
		v += r.system.Noise * at.beta * at.beta * largestSquare(at.metric)
	}
	if r.settings().StepSize == 0 && v > 0 {
		h = math.Min(h, math.Sqrt(0.2/v))
	}
	return h
}

// largestSquare is the largest squared norm of a column of L: the factor by which whitening raises the variance of
// gradient noise.
func largestSquare(m adapt.Metric) float64 {
	most := 0.0
	for j := range m.Dim {
		sum := 0.0
		for i := range m.Dim {
			if m.Rank < 0 {
				sum += m.Factor[i*m.Dim+j] * m.Factor[i*m.Dim+j]
			}
		}
		if m.Rank >= 0 {
			sum = m.Scale[j] * m.Scale[j]
		}
		most = math.Max(most, sum)
	}
	return most
}

// quarter is the quarter period of a normal target in whitened coordinates: a trajectory so long forgets where it
// began.
const quarter = math.Pi / 2

// thermostatLength is N√ε of nosehoover.
const thermostatLength = 8

// steps is the number of steps of the next trajectory. For hmc it is such that its length is uniform (by a
// low-discrepancy sequence) from half to one and a half times length, in quarter periods, at the walkers' median step.
func (r *run) steps(most int) int {
	if n := r.settings().Steps; n > 0 {
		return n
	}
	if r.free() {
		return count(thermostatLength/r.walkers.rungs[0].step, 200)
	}
	const golden = 0.6180339887498949
	_, u := math.Modf(float64(r.swept) * golden)
	return count(quarter*r.length*(0.5+u)/r.pace, most)
}

// count rounds to a number of steps from 1 to most; 1 for what is no number, of a step that came to nothing.
func count(n float64, most int) int {
	if math.IsNaN(n) {
		return 1
	}
	return int(min(max(math.Round(n), 1), float64(most)))
}
