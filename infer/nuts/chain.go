package nuts

import (
	"math"

	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/runtime/device"
	"ppl/runtime/noise"
)

// A chain grows one trajectory after the other on its lane.
type chain struct {
	exe       device.Executable
	lane, dim int
	limits    limits
	seed      uint64
	faults    faults

	iteration uint64 // number of trajectories begun
	left      int    // number of trajectories to be finished in this phase
	repeat    int    // steps of the first trajectory of a resumed run that were made before the checkpoint
	step      float64
	adapt     adapt.StepSize

	last       []float64    // State of the last draw, from which the trajectory began
	trajectory *tree        // trajectory so far, oriented so that it grows at its end
	forward    bool         // whether it grows forward in time
	ends       [2][]float64 // States at its backward and forward ends
	waiting    []*tree      // subtrees of 2ᵏ points in this doubling that wait for a sibling
	fresh      *tree        // newest subtree
	origin     float64      // H₀
	depth      int          // number of doublings done
	leaves     int          // number of points in this doubling
	decisions  uint32       // number of decisions made
	steps      int
	accept     float64 // Σ min(1, e^(H₀ − H)) over steps
	diverged   bool
	nonFinite  []float64 // position at which the density or a momentum was not finite; empty if there was none
}

// faults are deviations from the algorithm that tests plant.
type faults struct {
	unweighted bool // every join chooses the newer sample
	relentless bool // a U-turn within the newer half ends the trajectory, but its points count
}

// Noise sites of the host's decisions. Neither device programs nor the sampler renhd use them.
const (
	siteMomentum = noise.Sites - 5 - iota
	siteDirection
	siteDecision
	siteProbe
)

func newChain(lane, dim int, l limits, seed uint64) *chain {
	c := &chain{lane: lane, dim: dim, limits: l, seed: seed, trajectory: newTree(dim),
		fresh: newTree(dim)}
	for range l.depth {
		c.waiting = append(c.waiting, newTree(dim))
	}
	c.ends = [2][]float64{make([]float64, stateSize(dim)), make([]float64, stateSize(dim))}
	return c
}

// state returns the State of the last draw.
func (c *chain) state() []float64 { return c.trajectory.sample }

// kick draws a momentum into a State.
func (c *chain) kick(state []float64, site uint32, step uint64) {
	for i := range momentum(state, c.dim) {
		state[c.dim+i] = noise.Normal(c.seed, uint32(c.lane), step, site, uint32(i))
	}
}

func (c *chain) uniform(site, point uint32) float64 {
	return noise.Uniform(c.seed, uint32(c.lane), c.iteration, site, point)
}

// begin starts a trajectory at the last draw.
func (c *chain) begin() {
	c.iteration++
	c.last = append(c.last[:0], c.state()...)
	here := c.ends[0]
	copy(here, c.state())
	c.kick(here, siteMomentum, c.iteration)
	copy(c.ends[1], here)
	c.origin = hamiltonian(here, c.dim)
	c.trajectory.leaf(here, c.origin, 0)
	c.forward, c.depth, c.decisions, c.steps, c.accept = true, 0, 0, 0, 0
	c.diverged, c.nonFinite = false, c.nonFinite[:0]
	c.double()
}

// double starts a doubling in a random direction.
func (c *chain) double() {
	forward := c.uniform(siteDirection, uint32(c.depth)) < 0.5
	if forward != c.forward {
		c.trajectory.reverse()
	}
	c.forward, c.leaves = forward, 0
	c.exe.SetLane(dynamics.State, c.lane, *c.end())
	c.setStep(c.step)
}

// isStuck reports whether the mean acceptance probability of the trajectory is so low that it hardly moved.
func (c *chain) isStuck() bool {
	const least = 0.1
	return c.accept < least*float64(c.steps)
}

// end returns the State from which the trajectory grows.
func (c *chain) end() *[]float64 {
	if c.forward {
		return &c.ends[1]
	}
	return &c.ends[0]
}

func (c *chain) setStep(h float64) {
	if !c.forward {
		h = -h
	}
	c.exe.SetLane(dynamics.StepSize, c.lane, []float64{h})
}

// grow adds the next point to the trajectory, and reports whether the trajectory is complete. If it is not, the lane is
// ready for the next step.
func (c *chain) grow(state []float64) (done bool) {
	energy := hamiltonian(state, c.dim)
	c.steps++
	c.accept += math.Exp(min(c.origin-energy, 0))
	if energy-c.origin > c.limits.energyError {
		c.diverged = true
		if math.IsInf(energy, 0) {
			c.nonFinite = append(c.nonFinite, position(state, c.dim)...)
		}
		return true
	}
	c.fresh.leaf(state, energy, c.origin-energy)
	straight := c.climb()
	c.leaves++
	switch {
	case !straight && !c.faults.relentless:
		return true
	case straight && c.leaves < 1<<c.depth:
		return false
	}
	copy(*c.end(), state)
	straight = c.trajectory.join(c.fresh, c.prefers(c.trajectory, c.fresh)) && straight
	c.depth++
	if !straight || c.depth == c.limits.depth {
		return true
	}
	c.double()
	return false
}

// climb joins the newest leaf with waiting subtrees of equal size, like carries in binary addition. It reports whether
// the resulting subtree has no U-turn. The subtree then waits for a sibling, unless it is the complete doubling.
func (c *chain) climb() (straight bool) {
	level := 0
	for ; c.leaves>>level&1 == 1; level++ {
		older := c.waiting[level]
		straight := older.join(c.fresh, c.chooses(older, c.fresh))
		c.waiting[level], c.fresh = c.fresh, older
		if !straight {
			return false
		}
	}
	if level < c.depth {
		c.waiting[level], c.fresh = c.fresh, c.waiting[level]
	}
	return true
}

// chooses decides, by weight, whether a subtree takes the sample of its newer half.
func (c *chain) chooses(older, newer *tree) bool {
	return c.decide(newer.weight - logAdd(older.weight, newer.weight))
}

// prefers decides whether a trajectory takes the sample of the half that doubles it: with probability min(1, ratio of
// weights). This preserves the target too, and moves further.
func (c *chain) prefers(older, newer *tree) bool { return c.decide(newer.weight - older.weight) }

func (c *chain) decide(logProbability float64) bool {
	c.decisions++
	return c.faults.unweighted || math.Log(c.uniform(siteDecision, c.decisions)) < logProbability
}
