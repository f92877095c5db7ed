package dynamics

import (
	"ppl/autodiff"
	"ppl/compiler/backend/lower"
	"ppl/infer/adapt"
	"ppl/runtime/device"
	"ppl/runtime/noise"
)

// A program with a ladder exchanges rungs itself, if swaps are decided by a Metropolis test that may correct for noise
// of known variance. Each lane has the number of its rung and of its partner's rung, with which it wants to swap. For
// four rungs:
//
//	Look   reads Tempered of the lane on the wanted rung                  rung 0 1 2 3   want 1  0 3 2
//	Swap   both lanes of a pair decide the same; only 0 and 1 swap        rung 1 0 2 3   want 2 -1 1 4
//
// After a swap a lane continues in its direction along the ladder, otherwise it reverses it. So even and odd pairs
// alternate. The parameters of a rung are in tables that all lanes read (WriteLadder); a lane copies the row of its new
// rung.
const (
	Look          = "look"      // entry in which lanes of a chain read each other's buffers
	Swap          = "swap"      // entry that runs after Look
	Rung          = "rung"      // set by the host, like Want and Swaps; after Swap the new rung
	Want          = "want"      // rung to swap with; nothing happens if there is no such rung
	Swaps         = "swaps"     // number of rounds of swaps so far, the address of their noise
	Chance        = "chance"    // after Swap: acceptance probability
	otherTempered = "theirs"    // Tempered of the lane on the wanted rung
	of            = "_of_other" // suffix of the name of a buffer: the value of the lane on the wanted rung
)

// SiteSwap is the noise site of swap decisions; the point is 4 × the lower rung of the pair.
const SiteSwap = noise.Sites - 1

// Tables by rung, shared by all lanes.
const (
	ladderBeta = "ladder_beta"
	ladderStep = "ladder_step"
	ladderDrag = "ladder_friction"
	ladderOf   = "ladder_" // prefix of the name of a metric's buffer
)

// largestExchanged is the largest metric, in numbers, for which the program exchanges rungs: lanes copy it at each
// swap.
const largestExchanged = 1 << 10

// exchanges reports whether the program exchanges rungs.
func (s System) exchanges(r Rule) bool {
	numbers := 0
	for _, n := range metricSizes(s.Metric) {
		numbers += n.size
	}
	return s.Rungs > 1 && s.Path != Plain && s.Batches.Size == 0 && !r.Traits().Flagged && numbers <= largestExchanged
}

// exchangeEntries returns the entries Look and Swap, or nil if the host exchanges rungs.
func (s System) exchangeEntries(r Rule) []lower.Entry {
	if !s.exchanges(r) {
		return nil
	}
	g := autodiff.New()
	rung, want, at := g.Input(Rung), g.Input(Want), g.Input(Swaps)
	up, lowest := autodiff.Lt(rung, want), autodiff.Minimum(rung, want)
	own, other := g.Input(Tempered), g.Input(otherTempered)
	betas := g.Given(ladderBeta, s.Rungs)
	gap := autodiff.Sub(autodiff.Gather(betas, lowest), autodiff.Gather(betas, autodiff.Add(lowest, g.Const(1))))
	gain := autodiff.Sub(autodiff.Where(up, other, own), autodiff.Where(up, own, other)) // hot minus cold
	ratio := autodiff.Mul(gap, gain)
	if s.Noise > 0 { // corrects by half the variance of the noise
		ratio = autodiff.Sub(ratio, autodiff.Mul(autodiff.Mul(gap, gap), g.Const(s.Noise)))
	}
	chance := autodiff.Exp(autodiff.Minimum(ratio, g.Const(0)))
	chance = autodiff.Where(autodiff.Eq(chance, chance), chance, g.Const(0))
	u := g.Addressed(SiteSwap, g.Input(Chain), at, autodiff.Mul(g.Const(4), lowest))
	accept := autodiff.Lt(u, chance)
	beyond := func(from, to autodiff.Node) autodiff.Node {
		return autodiff.Sub(autodiff.Mul(g.Const(2), to), from)
	}
	now := autodiff.Where(accept, want, rung)
	e := lower.Entry{Name: Swap, Still: true, Assign: put(Rung, now, Want, autodiff.Where(accept, beyond(rung, want),
		beyond(want, rung)), Swaps, autodiff.Add(at, g.Const(1)), Chance, chance, Beta, autodiff.Gather(betas, now),
		StepSize, autodiff.Gather(g.Given(ladderStep, s.Rungs), now))}
	look := lower.Peer{Key: Rung, Want: Want, Copies: []lower.Copy{{From: Tempered, To: otherTempered}}}
	for _, name := range r.Traits().Carried {
		look.Copies = append(look.Copies, lower.Copy{From: name, To: name + of})
		e.Assign = append(e.Assign,
			lower.Assign{Name: name, Value: autodiff.Where(accept, g.Input(name+of), g.Input(name))})
	}
	if r.Traits().Friction {
		e.Assign = append(e.Assign,
			lower.Assign{Name: Friction, Value: autodiff.Gather(g.Given(ladderDrag, s.Rungs), now)})
	}
	for _, n := range metricSizes(s.Metric) {
		table := g.Given(ladderOf+n.name, s.Rungs, n.size)
		e.Assign = append(e.Assign, lower.Assign{Name: n.name, Value: autodiff.Gather(table, now)})
	}
	return []lower.Entry{{Name: Look, Still: true, Peers: []lower.Peer{look}}, e}
}

// A LadderRung holds the parameters of a rung.
type LadderRung struct {
	Beta, Step, Friction float64
	Metric               adapt.Metric
}

// WriteLadder writes the parameters of the rungs to the tables of a program. The tables may have room for more rungs.
func WriteLadder(e device.Executable, rule Traits, rungs []LadderRung) {
	writeTable(e, ladderBeta, rungs, func(r LadderRung) []float64 { return []float64{r.Beta} })
	writeTable(e, ladderStep, rungs, func(r LadderRung) []float64 { return []float64{r.Step} })
	if rule.Friction {
		writeTable(e, ladderDrag, rungs, func(r LadderRung) []float64 { return []float64{r.Friction} })
	}
	for _, n := range metricSizes(rungs[0].Metric) {
		writeTable(e, ladderOf+n.name, rungs, func(r LadderRung) (values []float64) {
			writeMetric(r.Metric, func(name string, numbers []float64) {
				if name == n.name {
					values = numbers
				}
			})
			return values
		})
	}
}

// writeTable writes one row for each element of all to a table that all lanes read. The table may have room for more.
func writeTable[T any](e device.Executable, name string, all []T, row func(T) []float64) {
	table := make([]float64, e.Size(name))
	for k, one := range all {
		values := row(one)
		copy(table[k*len(values):], values)
	}
	e.Set(name, table)
}

// Partner returns the rung that a rung wants to swap with, in a round in which first (0 or 1) is the lower rung of the
// first pair. It may be outside the ladder.
func Partner(rung, first int) int {
	if rung%2 == first {
		return rung + 1
	}
	return rung - 1
}

// sized is the name of a buffer with the number of its elements.
type sized struct {
	name string
	size int
}

// metricSizes returns the buffers of a metric.
func metricSizes(m adapt.Metric) []sized {
	switch {
	case m.Rank < 0:
		return []sized{{factor, m.Dim * m.Dim}}
	case m.Rank == 0:
		return []sized{{scale, m.Dim}}
	}
	return []sized{{scale, m.Dim}, {vectors, m.Dim * m.Rank}, {stretch, m.Rank}}
}
