package dynamicstest

import (
	"testing"

	"ppl/compiler/lower"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/runtime/device"
	"ppl/runtime/host"
)

// Lanes are walkers under one rule on the host.
type Lanes struct {
	device.Executable
	N, Dim int
	step   uint64
}

// Open loads a rule over a target on n lanes, all with the identity metric and started from the target's Start.
func Open(t testing.TB, r dynamics.Rule, s dynamics.System, n int) *Lanes {
	t.Helper()
	if s.Metric.Dim == 0 {
		s.Metric = adapt.Identity(s.Target.Dim())
	}
	p, err := lower.Program(dynamics.Program(r, s))
	if err != nil {
		t.Fatal(err)
	}
	e, err := host.Device{}.Load(p, device.Options{Lanes: n, Seed: 20200601})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	l := &Lanes{Executable: e, N: n, Dim: s.Target.Dim()}
	for lane := range n {
		dynamics.SetMetric(e, lane, s.Metric)
		e.SetLane(dynamics.Theta, lane, s.Target.Start(7, lane))
	}
	return l
}

// Fill sets a scalar lane buffer on all lanes.
func (l *Lanes) Fill(name string, value float64) {
	values := make([]float64, l.N)
	for i := range values {
		values[i] = value
	}
	l.Set(name, values)
}

// Read copies a lane buffer.
func (l *Lanes) Read(name string) []float64 {
	out := make([]float64, l.N*l.Size(name))
	l.Get(name, out)
	return out
}

// Counting is by lane 1 where the last trajectory ended at a draw.
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

// Call runs an entry a number of times.
func (l *Lanes) Call(t testing.TB, entry string, times int) {
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
