package warmup

import (
	"math"

	"ppl/infer/dynamics"
	"ppl/infer/renhd/modesearch"
	"ppl/infer/renhd/population"
	"ppl/posterior/stats"
)

// The hottest temperature of a ladder on the energy path starts at ladder.HottestGuess. It is multiplied by higher, a
// few times if necessary, up to hottestPossible.
const (
	higher          = 4.0
	hottestPossible = 1e5
)

// adaptHottest runs windows and raises the hottest temperature until walkers there forget their starting points. On a
// ladder whose walkers exchange rungs but stay in their modes, the modes would get the weights of the starting points.
// The likelihood path ends at the prior, so nothing can be raised there.
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

// forgets reports whether walkers on the hottest rung move between all modes that such walkers are in. It returns true
// if there are too few visits to decide.
func forgets(s *population.Visits, hottest int) bool {
	const visits, deviations, errors = 8, 0.8, 8
	if len(s.Visited[0]) == 0 { // a window without sweeps
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

// stays reports whether walkers on the hottest rung are in several of the known modes, and none ever changes its mode
// from one sweep to the next. On a new ladder, visits to the rung are short: the mean of one walker says little, but
// all steps together are enough.
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

// raiseHottest multiplies the hottest temperature by higher, and raises all others in proportion to their logarithms.
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
