package renhd

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"ppl/infer/dynamics"
	"ppl/runtime/device"
	"ppl/runtime/noise"
)

// A jump takes a walker at temperature 1 from the mode that it is in to where another mode has the same place (Pompe,
// Holmes and Łatuszyński, "A framework for adaptive MCMC targeting multimodal distributions", Annals of Statistics 48,
// 2020, deterministic jumps): with means m and roots R of the precisions of modes i and k,
//
//	y = m_k + R_k⁻¹ R_i (x − m_i), accepted with probability min(1, π(y)/π(x) · |R_i|/|R_k|),
//
// refused where y is not in mode k, so that the way back is a jump as likely. Modes are fixed once draws are collected,
// so the target is what it was. A jump costs one density and no ladder; where modes are no normals few are accepted.
type jumpStatistics struct{ Tried, Accepted int }

// rate is the accepted share, 0 if there were no jumps.
func (j jumpStatistics) rate() float64 { return float64(j.Accepted) / math.Max(float64(j.Tried), 1) }

// siteJump is that of jumps, of the host and of programs.
const siteJump = dynamics.SiteJump

// jumps reports whether walkers jump between the modes that warm-up has found.
func (r *knownModes) jumps() bool {
	return len(r.state.Modes) > 1 && !r.phase.free() && !r.phase.batches.Some()
}

// leaps reports whether the program makes the jumps by itself.
func (r *knownModes) leaps() bool {
	return r.jumps() && r.walkers.leaps && len(r.state.Modes) <= dynamics.MostModes
}

// jump proposes a jump to every walker at temperature 1.
func (r *knownModes) jump(round int) error {
	switch {
	case !r.jumps():
		return nil
	case r.leaps():
		return r.leap(round)
	}
	return r.jumpByHost()
}

// leap lets the program propose a jump to every walker at temperature 1.
func (r *knownModes) leap(round int) error {
	w := r.walkers
	r.beginLeaps(r.Iterations)
	w.beginSwaps(round)
	w.calls = append(w.calls[:0], leapCalls()...)
	if err := w.run(r.ctx, w.calls, nil); err != nil {
		return err
	}
	r.countLeaps(w.view(dynamics.Landed))
	return nil
}

func leapCalls() []device.Call {
	return []device.Call{{Entry: dynamics.Leap, Times: 1}, {Entry: "start", Times: 1}, {Entry: dynamics.Land, Times: 1}}
}

// countLeaps counts the jumps of an iteration, of which the program says which lanes made one.
func (r *knownModes) countLeaps(landed []float64) {
	for chain := range r.walkers.chains {
		r.state.Jumps.Tried++
		r.state.Jumps.Accepted += int(landed[r.walkers.cold(chain)])
	}
}

// beginLeaps writes between which modes the program jumps, and the iteration that noise of the next jump is of.
func (r *knownModes) beginLeaps(iteration int) {
	var places []dynamics.Place
	for _, m := range r.state.Modes {
		n := &m.Normal
		places = append(places, dynamics.Place{Mean: n.Mean, Root: n.Root, Inverse: n.InverseRoot(),
			Volume: n.LogVolume(), Height: m.Mass - n.LogVolume()})
	}
	dynamics.WritePlaces(r.walkers.exe, places)
	r.walkers.setAll(dynamics.Leaps, float64(iteration))
}

// jumpByHost proposes the jumps where the program does not: of many dimensions, or between many modes.
func (r *knownModes) jumpByHost() error {
	w, modes := r.walkers, r.state.Modes
	mask, from, chance := make([]bool, w.lanes()), make([][]float64, w.chains), make([]float64, w.chains)
	before := w.logDensities()
	kept := map[string][]float64{}
	for _, name := range []string{dynamics.LogPrior, dynamics.LogLik, dynamics.Tempered} {
		kept[name] = w.read(name, nil)
	}
	uniform := func(chain int, point uint32) float64 {
		return noise.Uniform(r.phase.options.Seed, uint32(chain), uint64(r.Iterations), siteJump, point)
	}
	for chain := range w.chains {
		lane, x := w.cold(chain), make([]float64, w.dim)
		w.exe.GetLane(dynamics.Theta, lane, x)
		i := nearest(modes, x)
		k := int(uniform(chain, 0) * float64(len(modes)-1))
		if k >= i {
			k++
		}
		y := modes[k].Normal.Point(modes[i].Normal.Whiten(x))
		if nearest(modes, y) != k {
			continue
		}
		mask[lane], from[chain] = true, x
		chance[chain] = modes[k].Normal.LogVolume() - modes[i].Normal.LogVolume()
		w.exe.SetLane(dynamics.Theta, lane, y)
	}
	if err := w.runEntry(r.ctx, "start", mask); err != nil {
		return err
	}
	after := w.logDensities()
	for chain, x := range from {
		r.state.Jumps.Tried++
		if x == nil {
			continue
		}
		lane := w.cold(chain)
		if ratio := after[lane] - before[lane] + chance[chain]; math.Log(uniform(chain, 1)) < ratio {
			r.state.Jumps.Accepted++
			continue
		}
		w.exe.SetLane(dynamics.Theta, lane, x)
		for name, values := range kept {
			w.set(name, lane, values[lane])
		}
	}
	return nil
}

// jumpsOnly reports whether a walker, which a diverged trajectory has left where it was, is in a mode that the step
// cannot follow and that jumps lead to and from. Steps are those that suit most of the target; what is in a mode a
// hundred times as narrow moves by jumps alone, so that the divergence says nothing about the draws.
func (c *modeWatch) jumpsOnly(modeOf func(lane int) int, lane int) bool {
	r := c.knownModes
	if !r.jumps() {
		return false
	}
	if c.narrow == nil {
		for k := range r.state.Modes {
			c.narrow = append(c.narrow, r.tooNarrow(&r.state.Modes[k]))
		}
	}
	k := modeOf(lane)
	return k >= 0 && c.narrow[k]
}

// modeOf is the mode that a lane is in, or −1.
func (r *knownModes) modeOf(lane int) int {
	x := r.walkers.ofLane(dynamics.Theta, lane)
	if k := nearest(r.state.Modes, x); r.state.Modes[k].within(x) {
		return k
	}
	return -1
}

// tooNarrow reports whether steps at temperature 1 are too long for a mode: leapfrog is unstable where a step is longer
// than two standard deviations in some direction.
func (r *knownModes) tooNarrow(m *mode) bool {
	cold := &r.walkers.Rungs[0]
	for j := range r.walkers.dim {
		z := make([]float64, r.walkers.dim)
		z[j] = cold.Step
		if y := cold.Metric.Push(z); m.Normal.Distance(floats.AddTo(y, y, m.Normal.Mean)) > 4 {
			return true
		}
	}
	return false
}
