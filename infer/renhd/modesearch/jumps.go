package modesearch

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"ppl/infer/dynamics"
	"ppl/runtime/device"
	"ppl/runtime/noise"
)

// siteJump is the noise site of jumps, both of the host and of programs.
const siteJump = dynamics.SiteJump

// CanJump reports whether walkers jump between the modes that warm-up has found.
func (r *Known) CanJump() bool {
	return len(r.state.Modes) > 1 && !r.Phase.Unadjusted() && !r.Phase.Batches.InUse()
}

// JumpsOnDevice reports whether the program itself does the jumps between modes.
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

// jumpOnDevice makes the program propose a jump to every walker at temperature 1.
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

// DeviceJumpCalls returns the calls of the device that propose and decide a jump.
func DeviceJumpCalls() []device.Call {
	return []device.Call{{Entry: dynamics.ModeJump, Times: 1}, {Entry: "start", Times: 1},
		{Entry: dynamics.DecideJump, Times: 1}}
}

// CountDeviceJumps counts the jumps of one iteration. landed is 1 for each lane whose jump was accepted.
func (r *Known) CountDeviceJumps(landed []float64) {
	for chain := range r.Walkers.Chains {
		r.state.Jumps.Tried++
		r.state.Jumps.Accepted += int(landed[r.Walkers.Cold(chain)])
	}
}

// BeginDeviceJumps writes the modes between which the program jumps. iteration is the noise address of the next jump.
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

// JumpsOnly reports whether a walker whose trajectory diverged is in a mode that is too narrow for the step size and
// that walkers enter and leave by jumps. Step sizes suit most of the target; in a mode a hundred times narrower,
// walkers move by jumps only, so such a divergence does not affect the draws.
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

// tooNarrow reports whether the step at temperature 1 is too long for a mode: leapfrog is unstable if a step is longer
// than two standard deviations in some direction.
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
