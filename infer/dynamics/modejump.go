package dynamics

import (
	"math"

	"ppl/autodiff"
	"ppl/compiler/backend/lower"
	"ppl/infer/adapt"
	"ppl/runtime/device"
	"ppl/runtime/noise"
)

// A program that exchanges rungs also proposes jumps between modes (see package modesearch): each lane at temperature 1
// proposes the same relative position in another mode, chosen at random.
//
//	ModeJump     theta → y, if y is in the chosen mode; else theta is unchanged
//	start        log density at theta
//	DecideJump   restores the state before ModeJump if y is rejected
const (
	ModeJump   = "leap"    // entry
	DecideJump = "land"    // entry that runs after start
	ModeJumps  = "leaps"   // set by the host: the address of the next jump's noise
	Jumped     = "landed"  // after DecideJump: 1 if the jump was accepted
	InMode     = "in_mode" // after ModeJump: the mode that the lane was in before, −1 if it was in none

	// Values that ModeJump stores for DecideJump.
	leapFrom    = "leap_from"
	leapPrior   = "leap_prior"
	leapLik     = "leap_lik"
	leapOther   = "leap_tempered"
	leapChance  = "leap_chance" // log ratio of volumes; −∞ if there is no proposal
	modeCount   = "mode_count"  // this and the following are shared by all lanes
	modeMean    = "mode_mean"
	modeRoot    = "mode_root"    // R: R(x − mean) is standard normal in the mode
	modeInverse = "mode_inverse" // inverse of R
	modeVolume  = "mode_volume"  // log volume of the mode
	modeHeight  = "mode_height"  // log height of the mode's normal
)

// JumpBuffers returns the lane buffers that only jumps between modes use.
func JumpBuffers() []string {
	return []string{ModeJumps, Jumped, InMode, leapFrom, leapPrior, leapLik, leapOther, leapChance}
}

// MostModes is the largest number of modes for which a program jumps; with more, the host does.
const MostModes = 8

// SiteJump is the noise site of jumps.
const SiteJump = noise.Sites - 2

// widestJump is the largest dimension in which a program jumps: it multiplies by the matrices of all modes.
const widestJump = 16

func (s System) jumpsModes(r Rule) bool {
	return s.exchanges(r) && r.Traits().Corrected && s.Noise == 0 && s.Target.Dim() <= widestJump
}

// modeJumpEntries returns the entries ModeJump and DecideJump, or nil if the program does not jump.
func (s System) modeJumpEntries(r Rule) []lower.Entry {
	if !s.jumpsModes(r) {
		return nil
	}
	return []lower.Entry{s.modeJumpEntry(), s.decideJumpEntry()}
}

func (s System) modeJumpEntry() lower.Entry {
	g, d := autodiff.New(), s.Target.Dim()
	x, count := s.theta(g), g.Given(modeCount)
	i, z := s.nearestMode(x)
	last := autodiff.Sub(count, g.Const(1))
	k := autodiff.Floor(autodiff.Mul(chainNoise(g, 0), last))
	k = autodiff.Where(autodiff.Le(i, k), autodiff.Add(k, g.Const(1)), k)
	inverse := autodiff.Gather(g.Given(modeInverse, MostModes, d, d), k)
	y := autodiff.Sum(autodiff.Mul(inverse, autodiff.Broadcast(autodiff.Gather(z, i), []int{d, d}, []int{1})), 1)
	y = autodiff.Add(y, autodiff.Gather(g.Given(modeMean, MostModes, d), k))
	there, _ := s.nearestMode(y)
	goes := autodiff.Mul(autodiff.Eq(g.Input(Rung), g.Const(0)), autodiff.Eq(there, k))
	goes = autodiff.Mul(goes, autodiff.Lt(g.Const(1), count))
	around := autodiff.Le(autodiff.Gather(autodiff.Sum(square(z), 1), i), g.Const(adapt.FarthestAround(d)))
	volumes := g.Given(modeVolume, MostModes)
	chance := autodiff.Sub(autodiff.Gather(volumes, k), autodiff.Gather(volumes, i))
	chance = autodiff.Where(goes, chance, g.Const(math.Inf(-1)))
	return lower.Entry{Name: ModeJump, Still: true,
		Assign: put(Theta, autodiff.Where(goes, y, x), InMode, autodiff.Where(around, i, g.Const(-1)),
			leapFrom, x, leapPrior, g.Input(LogPrior), leapLik, g.Input(LogLik), leapOther, g.Input(Tempered),
			leapChance, chance)}
}

// chainNoise returns uniform noise of a jump that is the same for all lanes of a chain.
func chainNoise(g *autodiff.Graph, point float64) autodiff.Node {
	return g.Addressed(SiteJump, g.Input(Chain), g.Input(ModeJumps), g.Const(point))
}

// nearestMode returns the mode whose normal has the highest density at x (the first one of several), and z = R(x −
// mean) for each mode.
func (s System) nearestMode(x autodiff.Node) (at, z autodiff.Node) {
	g, d := x.Graph(), s.Target.Dim()
	from := autodiff.Sub(autodiff.Broadcast(x, []int{MostModes, d}, []int{1}), g.Given(modeMean, MostModes, d))
	z = autodiff.Sum(autodiff.Mul(g.Given(modeRoot, MostModes, d, d),
		autodiff.Broadcast(from, []int{MostModes, d, d}, []int{0, 2})), 2)
	height := autodiff.Sub(g.Given(modeHeight, MostModes),
		autodiff.Mul(g.Const(0.5), autodiff.Sum(autodiff.Mul(z, z), 1)))
	best := autodiff.Broadcast(autodiff.Max(height, 0), []int{MostModes}, nil)
	return autodiff.Min(autodiff.Where(autodiff.Eq(height, best), g.Iota(MostModes), g.Const(MostModes)), 0), z
}

func (s System) decideJumpEntry() lower.Entry {
	g := autodiff.New()
	sum := func(prior, lik string) autodiff.Node { return autodiff.Add(g.Input(prior), g.Input(lik)) }
	ratio := autodiff.Add(autodiff.Sub(sum(LogPrior, LogLik), sum(leapPrior, leapLik)), g.Input(leapChance))
	accept := autodiff.Lt(autodiff.Log(chainNoise(g, 1)), ratio)
	e := lower.Entry{Name: DecideJump, Still: true, Assign: put(Jumped, accept, ModeJumps,
		autodiff.Add(g.Input(ModeJumps), g.Const(1)), Theta, autodiff.Where(accept, s.theta(g), g.Input(leapFrom,
			s.Target.Dim())))}
	for _, n := range [][2]string{{LogPrior, leapPrior}, {LogLik, leapLik}, {Tempered, leapOther}} {
		e.Assign = append(e.Assign, put(n[0], autodiff.Where(accept, g.Input(n[0]), g.Input(n[1])))...)
	}
	return e
}

// A Place is a mode that lanes jump to: its normal, and the logarithms of its volume and of its height at the mean.
type Place struct {
	Mean, Root, Inverse []float64 // Root and Inverse are [dim, dim]
	Volume, Height      float64
}

// WritePlaces writes the modes between which a program jumps, at most MostModes.
func WritePlaces(e device.Executable, modes []Place) {
	e.Set(modeCount, []float64{float64(len(modes))})
	writeTable(e, modeMean, modes, func(m Place) []float64 { return m.Mean })
	writeTable(e, modeRoot, modes, func(m Place) []float64 { return m.Root })
	writeTable(e, modeInverse, modes, func(m Place) []float64 { return m.Inverse })
	writeTable(e, modeVolume, modes, func(m Place) []float64 { return []float64{m.Volume} })
	heights := make([]float64, MostModes)
	for k := range heights {
		heights[k] = math.Inf(-1)
		if k < len(modes) {
			heights[k] = modes[k].Height
		}
	}
	e.Set(modeHeight, heights)
}
