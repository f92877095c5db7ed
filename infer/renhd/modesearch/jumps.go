package modesearch

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
// so the target is what it was. A jump costs one density and no ladder; where modes are not normals few are accepted.
type jumpStatistics struct{ Tried, Accepted int }

// Rate returns the accepted share, 0 if there were no jumps.
func (j jumpStatistics) Rate() float64 { return float64(j.Accepted) / math.Max(float64(j.Tried), 1) }

// siteJump is that of jumps, of the host and of programs.
const siteJump = dynamics.SiteJump

// CanJump reports whether walkers jump between the modes that warm-up has found.
func (r *Known) CanJump() bool {
	return len(r.state.Modes) > 1 && !r.Phase.Unadjusted() && !r.Phase.Batches.Some()
}

// JumpsOnDevice reports whether the program itself makes the jumps between modes.
func (r *Known) JumpsOnDevice() bool {
	return r.CanJump() && r.Walkers.JumpsOnDevice && len(r.state.Modes) <= dynamics.MostModes
}

// Jump proposes a jump to every walker at temperature 1.
func (r *Known) Jump(round int) error {
	switch {
	case !r.CanJump():
		return nil
	case r.JumpsOnDevice():
		return r.jumpOnDevice(round)
	}
	return r.jumpByHost()
}

// jumpOnDevice lets the program propose a jump to every walker at temperature 1.
func (r *Known) jumpOnDevice(round int) error {
	w := r.Walkers
	r.BeginDeviceJumps(r.Iterations)
	w.BeginSwaps(round)
	w.Calls = append(w.Calls[:0], DeviceJumpCalls()...)
	if err := w.Execute(r.Ctx, w.Calls, nil); err != nil {
		return err
	}
	r.CountDeviceJumps(w.View(dynamics.Jumped))
	return nil
}

func DeviceJumpCalls() []device.Call {
	return []device.Call{{Entry: dynamics.ModeJump, Times: 1}, {Entry: "start", Times: 1},
		{Entry: dynamics.DecideJump, Times: 1}}
}

// CountDeviceJumps counts the jumps of an iteration; landed is 1 for each lane whose jump was accepted.
func (r *Known) CountDeviceJumps(landed []float64) {
	for chain := range r.Walkers.Chains {
		r.state.Jumps.Tried++
		r.state.Jumps.Accepted += int(landed[r.Walkers.Cold(chain)])
	}
}

// BeginDeviceJumps writes between which modes the program jumps, and the iteration that noise of the next jump is of.
func (r *Known) BeginDeviceJumps(iteration int) {
	var places []dynamics.Place
	for _, m := range r.state.Modes {
		n := &m.Normal
		places = append(places, dynamics.Place{Mean: n.Mean, Root: n.Root, Inverse: n.InverseRoot(),
			Volume: n.LogVolume(), Height: m.Mass - n.LogVolume()})
	}
	dynamics.WritePlaces(r.Walkers.Exe, places)
	r.Walkers.SetAll(dynamics.ModeJumps, float64(iteration))
}

// jumpByHost proposes jumps between modes if the program does not: if the dimension or the number of modes is too
// large for the device.
func (r *Known) jumpByHost() error {
	w, modes := r.Walkers, r.state.Modes
	mask, from, chance := make([]bool, w.Lanes()), make([][]float64, w.Chains), make([]float64, w.Chains)
	before := w.LogDensities()
	kept := map[string][]float64{}
	for _, name := range []string{dynamics.LogPrior, dynamics.LogLik, dynamics.Tempered} {
		kept[name] = w.Read(name, nil)
	}
	uniform := func(chain int, point uint32) float64 {
		return noise.Uniform(r.Phase.Options.Seed, uint32(chain), uint64(r.Iterations), siteJump, point)
	}
	for chain := range w.Chains {
		lane, x := w.Cold(chain), make([]float64, w.Dim)
		w.Exe.GetLane(dynamics.Theta, lane, x)
		i := Nearest(modes, x)
		k := int(uniform(chain, 0) * float64(len(modes)-1))
		if k >= i {
			k++
		}
		y := modes[k].Normal.Point(modes[i].Normal.Whiten(x))
		if Nearest(modes, y) != k {
			continue
		}
		mask[lane], from[chain] = true, x
		chance[chain] = modes[k].Normal.LogVolume() - modes[i].Normal.LogVolume()
		w.Exe.SetLane(dynamics.Theta, lane, y)
	}
	if err := w.RunEntry(r.Ctx, "start", mask); err != nil {
		return err
	}
	after := w.LogDensities()
	for chain, x := range from {
		r.state.Jumps.Tried++
		if x == nil {
			continue
		}
		lane := w.Cold(chain)
		if ratio := after[lane] - before[lane] + chance[chain]; math.Log(uniform(chain, 1)) < ratio {
			r.state.Jumps.Accepted++
			continue
		}
		w.Exe.SetLane(dynamics.Theta, lane, x)
		for name, values := range kept {
			w.Set(name, lane, values[lane])
		}
	}
	return nil
}

// JumpsOnly reports whether a walker, which a diverged trajectory has left where it was, is in a mode that the step
// cannot follow and that jumps lead to and from. Steps are those that suit most of the target; what is in a mode a
// hundred times as narrow moves by jumps alone, so that the divergence says nothing about the draws.
func (c *Watch) JumpsOnly(modeOf func(lane int) int, lane int) bool {
	r := c.Known
	if !r.CanJump() {
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

// ModeOf returns the mode that a lane is in, or −1.
func (r *Known) ModeOf(lane int) int {
	x := r.Walkers.OfLane(dynamics.Theta, lane)
	if k := Nearest(r.state.Modes, x); r.state.Modes[k].within(x) {
		return k
	}
	return -1
}

// tooNarrow reports whether step sizes at temperature 1 are too long for a mode: leapfrog is unstable if a step is
// longer than two standard deviations in some direction.
func (r *Known) tooNarrow(m *Mode) bool {
	cold := &r.Walkers.Rungs[0]
	for j := range r.Walkers.Dim {
		z := make([]float64, r.Walkers.Dim)
		z[j] = cold.Step
		if y := cold.Metric.Push(z); m.Normal.Distance(floats.AddTo(y, y, m.Normal.Mean)) > 4 {
			return true
		}
	}
	return false
}
