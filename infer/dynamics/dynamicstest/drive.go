package dynamicstest

import (
	"testing"

	"gonum.org/v1/gonum/floats"

	"ppl/compiler/backend/lower"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/runtime/device"
	"ppl/runtime/host"
)

// Lanes runs walkers under one rule on the host device.
type Lanes struct {
	device.Executable
	N, Dim  int
	batches dynamics.Batches
	step    uint64
	at      *Anchor
}

// An Anchor is the anchor of all lanes: Σ ℓᵢ and its gradient over the rows of each block, and their totals, which
// serve as the sums over all rows.
type Anchor struct {
	At     []float64
	Sums   []float64
	Slopes [][]float64
	Sum    float64
	Slope  []float64
}

// seed is the seed of the noise of Lanes.
const seed = 20200601

// Open loads a rule over a target on n lanes. All have the identity metric and start at the target's Start.
func Open(t testing.TB, r dynamics.Rule, s dynamics.System, n int) *Lanes {
	t.Helper()
	if s.Metric.Dim == 0 {
		s.Metric = adapt.Identity(s.Target.Dim())
	}
	p, err := lower.Program(dynamics.Program(r, s))
	if err != nil {
		t.Fatal(err)
	}
	e, err := host.Device{}.Load(p, device.Options{Lanes: n, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	l := &Lanes{Executable: e, N: n, Dim: s.Target.Dim(), batches: s.Batches}
	if s.OneMetric() {
		dynamics.ShareMetric(e, s.Metric)
	}
	for lane := range n {
		if !s.OneMetric() {
			dynamics.SetMetric(e, lane, s.Metric)
		}
		e.SetLane(dynamics.Theta, lane, s.Target.Start(7, lane))
	}
	return l
}

// Fill sets a scalar lane buffer to value on all lanes.
func (l *Lanes) Fill(name string, value float64) {
	values := make([]float64, l.N)
	for i := range values {
		values[i] = value
	}
	l.Set(name, values)
}

// Read returns a copy of a lane buffer of all lanes.
func (l *Lanes) Read(name string) []float64 {
	out := make([]float64, l.N*l.Size(name))
	l.Get(name, out)
	return out
}

// Counting returns for each lane 1 if the last trajectory gave a draw, else 0.
func (l *Lanes) Counting(r dynamics.Rule) []float64 {
	if r.Traits().Flagged {
		return l.Read(dynamics.Counts)
	}
	out := make([]float64, l.N)
	for i := range out {
		out[i] = 1
	}
	return out
}

// AnchorAt sets the anchor of all lanes to a point, with the sums that the entry Block computes there. From then on
// Call writes the corrections of batches.
func (l *Lanes) AnchorAt(t testing.TB, at []float64) *Anchor {
	t.Helper()
	a := &Anchor{At: at, Slope: make([]float64, l.Dim)}
	for lane := range l.N {
		l.SetLane(dynamics.Anchor, lane, at)
	}
	l.Fill(dynamics.AnchorShare, 1)
	for block := range l.batches.Blocks() {
		l.Fill(dynamics.BlockNumber, float64(block))
		if _, err := l.Run([]device.Call{{Entry: dynamics.Block, Times: 1}}, 0, nil); err != nil {
			t.Fatal(err)
		}
		sum, slope := l.Read(dynamics.BlockSum)[0], l.Read(dynamics.BlockSlope)[:l.Dim]
		a.Sums, a.Slopes = append(a.Sums, sum), append(a.Slopes, slope)
		a.Sum += sum
		floats.Add(a.Slope, slope)
	}
	l.at = a
	return a
}

// correct writes the correction of the batch that the next step uses.
func (l *Lanes) correct() {
	block, blocks := l.batches.BlockAt(seed, l.step), float64(l.batches.Blocks())
	slopes := make([]float64, dynamics.Ahead*l.Dim)
	levels := []float64{dynamics.Ahead - 1: 0}
	levels[0] = l.at.Sum - blocks*l.at.Sums[block]
	copy(slopes, l.at.Slope)
	floats.AddScaled(slopes[:l.Dim], -blocks, l.at.Slopes[block])
	for lane := range l.N {
		l.SetLane(dynamics.Levels, lane, levels)
		l.SetLane(dynamics.Slopes, lane, slopes)
	}
	l.Fill(dynamics.Taken, 0)
}

// Call runs an entry several times.
func (l *Lanes) Call(t testing.TB, entry string, times int) {
	t.Helper()
	if l.at != nil && l.batches.UsesAnchor(entry) {
		for range times {
			l.correct()
			l.call(t, entry, 1)
		}
		return
	}
	l.call(t, entry, times)
}

func (l *Lanes) call(t testing.TB, entry string, times int) {
	t.Helper()
	next, err := l.Run([]device.Call{{Entry: entry, Times: times}}, l.step, nil)
	if err != nil {
		t.Fatal(err)
	}
	l.step = next
}

// Trajectory runs begin, steps and end.
func (l *Lanes) Trajectory(t testing.TB, steps int) {
	t.Helper()
	l.Call(t, "begin", 1)
	l.Call(t, "step", steps)
	l.Call(t, "end", 1)
}
