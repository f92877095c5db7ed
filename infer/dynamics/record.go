package dynamics

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/backend/lower"
)

// Trajectories are recorded where nothing between two of them needs the host: a lane buffer RecordOf(name) has a row
// for each trajectory since the host set Recorded to 0. "end" fills in Accept, Diverged, Total, Finite and Ended, and
// the entry Values what it computes, LogPrior and LogLik, in the row of the trajectory before it; with a ladder also
// Theta, which of free rules "end" records, as forces and the thermostat, and "end" Tempered. The entry Swap records
// the chance of the swap after the trajectory and the new rung, ModeJump and DecideJump from which mode a lane jumps
// and whether that is accepted. So one call of the device runs as many trajectories as there are rows.
//
//	recorded        0 → 1 → 2          after two trajectories
//	record_accept   [1, 0.8, …]        of each
const Recorded = "recorded"

// RecordOf returns the buffer that has the rows of another.
func RecordOf(name string) string { return "record_" + name }

const (
	mostRecorded  = 16      // trajectories: what a call takes besides them is then small
	leastRecorded = 4       // fewer are not worth their memory
	recordNumbers = 1 << 13 // of a lane, in all rows,
	recordsOfAll  = 1 << 23 // of all lanes: 64 MB, and as much when the host reads them
)

// recorded returns entries that also fill in the rows of records. There are none with a ladder whose temperatures the
// host exchanges, and none of a free rule without a ladder.
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

// lanes is about how many walkers there are, few on a ladder if their number is not known.
func (s System) lanes() int {
	const alone, few = 4, 8 // of a chain
	if s.Path == Plain {
		return alone * s.Chains
	}
	return min(s.Rungs, few) * s.Chains
}

func endNumbers() []string { return []string{Accept, Diverged, Total, Finite} }

// record adds the rows of values that an entry assigns.
func record(e *lower.Entry, rows int, at autodiff.Node, names ...string) {
	for _, name := range names {
		k := slices.IndexFunc(e.Assign, func(a lower.Assign) bool { return a.Name == name })
		e.Assign = append(e.Assign,
			lower.Assign{Name: RecordOf(name), Value: e.Assign[k].Value, At: at, Rows: rows})
	}
}
