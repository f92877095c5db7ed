package dynamics

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/backend/lower"
)

// Recorded counts the trajectories since the host set it to 0. If the host has no work between trajectories, their
// results are recorded: the lane buffer RecordOf(name) has a row for each of them, so one call of the device can run
// several trajectories. The entry "end" records Accept, Diverged, Total, Finite and Ended. The entry Values, which runs
// after it, records its result, LogPrior and LogLik. With a ladder, "end" also records Tempered, and Theta is recorded:
// by Values for rules with a Metropolis test, and by "end" for unadjusted rules, with forces and thermostat. The entry
// Swap records the acceptance probability and the new rung, ModeJump the mode from which a lane jumps, and DecideJump
// whether the jump is accepted.
//
//	recorded       0 → 1 → 2      after two trajectories
//	record_accept  [1, 0.8, …]    one value for each
const Recorded = "recorded"

// RecordOf returns the name of the buffer that records another buffer.
func RecordOf(name string) string { return "record_" + name }

const (
	mostRecorded  = 16      // maximum number of rows: then other costs of a call are small
	leastRecorded = 4       // minimum number of rows: fewer are not worth their memory
	recordNumbers = 1 << 13 // maximum number of values in all rows of a lane
	recordsOfAll  = 1 << 23 // maximum number of values of all lanes: 64 MB, and as much again when the host reads them
)

// recorded adds the records to entries. It returns entries unchanged if the host exchanges the rungs of a ladder, if an
// unadjusted rule or one with batches has no ladder, or if fewer than leastRecorded rows fit into the memory for
// records.
func (s System) recorded(r Rule, entries []lower.Entry) []lower.Entry {
	atValues := slices.IndexFunc(entries, func(e lower.Entry) bool { return e.Name == Values })
	row := s.Target.Dim() + entries[atValues].Assign[0].Size() + len(endNumbers()) + 2
	if s.exchanges(r) {
		row += s.Target.Dim() + 6 + s.forces()*s.Target.Dim()
	}
	rows := min(mostRecorded, recordNumbers/row, recordsOfAll/row/max(s.lanes(), 1))
	alone := s.OneMetric() && r.Traits().Corrected && s.Batches.Size == 0
	if rows < leastRecorded || !alone && !s.exchanges(r) {
		return entries
	}
	for i := range entries {
		e := &entries[i]
		switch e.Name {
		case Swap:
			g := e.Assign[0].Value.Graph()
			record(e, rows, autodiff.Sub(g.Input(Recorded), g.Const(1)), Rung, Chance)
		case ModeJump, DecideJump:
			g, what := e.Assign[0].Value.Graph(), map[string]string{ModeJump: InMode, DecideJump: Jumped}
			record(e, rows, autodiff.Sub(g.Input(Recorded), g.Const(1)), what[e.Name])
		case "end":
			g := e.Assign[0].Value.Graph()
			count := g.Input(Recorded)
			record(e, rows, count, append(endNumbers(), Ended)...)
			if s.exchanges(r) {
				record(e, rows, count, Tempered)
			}
			if !r.Traits().Corrected {
				record(e, rows, count, slices.Concat([]string{Theta}, s.ForceBuffers(), r.Traits().Carried)...)
			}
			e.Assign = append(e.Assign, put(Recorded, autodiff.Add(count, g.Const(1)))...)
		case Values:
			g := e.Assign[0].Value.Graph()
			last := autodiff.Sub(g.Input(Recorded), g.Const(1))
			record(e, rows, last, Values)
			inputs := []autodiff.Node{g.Input(LogPrior), g.Input(LogLik)}
			if s.exchanges(r) && r.Traits().Corrected {
				inputs = append(inputs, s.theta(g))
			}
			for _, in := range inputs {
				e.Assign = append(e.Assign,
					lower.Assign{Name: RecordOf(in.Op().Name), Value: in, At: last, Rows: rows})
			}
		}
	}
	return entries
}

// lanes returns the approximate number of walkers, with at most 8 for each chain. It is 0 if Chains is not set.
func (s System) lanes() int {
	const alone, few = 4, 8 // walkers of a chain
	if s.Path == Plain {
		return alone * s.Chains
	}
	return min(s.Rungs, few) * s.Chains
}

func endNumbers() []string { return []string{Accept, Diverged, Total, Finite} }

// record adds to an entry the records of some of its values.
func record(e *lower.Entry, rows int, at autodiff.Node, names ...string) {
	for _, name := range names {
		k := slices.IndexFunc(e.Assign, func(a lower.Assign) bool { return a.Name == name })
		e.Assign = append(e.Assign,
			lower.Assign{Name: RecordOf(name), Value: e.Assign[k].Value, At: at, Rows: rows})
	}
}
