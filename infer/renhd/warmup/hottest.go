package warmup

import (
	"math"

	"ppl/infer/dynamics"
	"ppl/infer/renhd/modesearch"
	"ppl/infer/renhd/population"
	"ppl/posterior/stats"
)

// The hottest temperature of a ladder on the energy path starts at hottestGuess and is raised by a factor, a few times.
const (
	higher          = 4.0
	hottestPossible = 1e5
)

// adaptHottest runs windows and raises the hottest temperature until walkers there forget where they were: a ladder
// whose walkers exchange rungs while each stays in a mode of its own gives the modes the weights of the starting
// points. There is nothing to raise on the likelihood path, which ends at the prior.
func (r *Warmup) adaptHottest(w window) error {
	fixed := r.Phase.System.Path != dynamics.Energy || r.Phase.Settings().Ratio > 0
	if !fixed {
		w.judge = func(t *warmupWindow, found *windowResult) error {
			hottest := len(r.Walkers.Rungs) - 1
			found.Forgets = forgets(&t.seen.Visits, hottest) && !stays(&t.seen.Visits, r.modes.Modes(), hottest)
			return nil
		}
	}
	for {
		found, err := r.windows(w)
		if err != nil || w.sweeps == 0 || fixed || r.Walkers.Hottest() > hottestPossible || found.Forgets {
			return err
		}
		r.raiseHottest()
	}
}

// forgets reports whether walkers on the hottest rung move between all the modes that walkers there are in. Too few
// visits to decide count as yes.
func forgets(s *population.Visits, hottest int) bool {
	const visits, deviations, errors = 8, 0.8, 8
	if len(s.Visited[0]) == 0 { // a window without a sweep
		return true
	}
	for j := range s.Visited[0][0] {
		there := make([][]float64, len(s.Visited))
		for lane, xs := range s.Visited {
			for i, x := range xs {
				if s.Stood[lane][i] == hottest {
					there[lane] = append(there[lane], x[j])
				}
			}
		}
		if d := stats.Apart(there, visits); d.Deviations > deviations && d.Errors > errors {
			return false
		}
	}
	return true
}

// stays reports whether walkers on the hottest rung are in several of the modes that warm-up found, and each stays in
// the one where it is from one sweep to the next. Visits are short while a ladder is new: what one walker averages says
// little, and all steps together say enough.
func stays(s *population.Visits, modes []modesearch.Mode, hottest int) bool {
	const steps, inEach = 20, 4
	if len(modes) < 2 {
		return false
	}
	changes, total, in := 0, 0, make([]int, len(modes))
	for lane, xs := range s.Visited {
		last := -1
		for i, x := range xs {
			if s.Stood[lane][i] != hottest {
				last = -1
				continue
			}
			now := modesearch.Nearest(modes, x)
			in[now]++
			if last >= 0 {
				total++
				changes += int(population.OneIf(now != last))
			}
			last = now
		}
	}
	several := 0
	for _, n := range in {
		several += int(population.OneIf(n >= inEach))
	}
	return several > 1 && total >= steps && changes == 0
}

// raiseHottest multiplies the hottest temperature by higher, and all others in proportion of their logarithms.
func (r *Warmup) raiseHottest() {
	rungs := r.Walkers.Rungs
	hottest := r.Walkers.Hottest()
	power := math.Log(hottest*higher) / math.Log(hottest)
	for j := range rungs {
		rungs[j].Beta = math.Pow(rungs[j].Beta, power)
	}
	r.Walkers.WriteAllRungs()
	r.Notef("walkers do not mix at temperature %.3g; the hottest temperature is raised to %.3g", hottest,
		hottest*higher)
}
