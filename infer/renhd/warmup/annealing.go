package warmup

import (
	"math"

	"ppl/infer/renhd/part"
	"ppl/infer/renhd/population"
)

// Constants of annealing: the temperature (at higher ones, a likelihood of some thirty rows with a flat prior no longer
// confines a walker), and the shares of warm-up at this temperature, for cooling, and for each window afterwards.
const (
	annealingHeat   = 25.0
	annealingHot    = 0.03
	annealingCool   = 0.06
	annealingWindow = 0.05
)

// findMoreModes anneals all walkers to find modes that no starting point reached. If priors are proper, starting points
// are drawn from them and are more dispersed than the posterior. Otherwise they are guesses, and all may be near the
// same mode. So walkers that agree are heated until they cross barriers of some fifty units of log density, and cooled
// (Kirkpatrick, Gelatt, Vecchi, Science 1983). agreed is true if they then return to where they were, or if none are
// heated.
func (r *Warmup) findMoreModes() (agreed bool, err error) {
	if r.Phase.Target.ProperPrior() || r.share(annealingWindow, false).sweeps == 0 {
		return true, nil
	}
	if _, err := part.Do(r.Run, &annealing{run: r}); err != nil {
		return false, err
	}
	return r.returnAfterAnnealing()
}

// returnAfterAnnealing reports whether walkers return to where they were before annealing. They get several windows,
// since some were heated to regions in which the density hardly falls. In such short windows slow walkers differ in any
// case, so it is enough if no barrier separates their positions from the earlier ones.
func (r *Warmup) returnAfterAnnealing() (agreed bool, err error) {
	const most = 4
	w := r.share(annealingWindow, false)
	w.judge = func(t *warmupWindow, found *windowResult) (err error) {
		found.OnePlace = onePlace(join(r.Walkers, &t.seen.Visits, r.state.Before), r.Phase.Options.Threads)
		if found.OnePlace {
			return nil
		}
		if found.Connected, err = r.connected(&t.seen.Visits, r.state.Before); err != nil || found.Connected {
			return err
		}
		return r.modes.RememberModes(&t.seen.Visits, r.state.Before)
	}
	for range most {
		found, err := r.windows(w)
		if err != nil || found.OnePlace || found.Connected || w.sweeps == 0 {
			return true, err
		}
	}
	return false, nil
}

// annealing is the part of warm-up in which all walkers are heated and cooled.
type annealing struct {
	run   *Warmup
	state annealingState
}

// annealingState is the state of an annealing.
type annealingState struct{ Sweeps int }

func (a *annealing) Begin() error { return nil }
func (*annealing) Name() string   { return "annealing" }
func (a *annealing) State() any   { return &a.state }

func (a *annealing) hot() int   { return sweeps(annealingHot, a.run.Phase.Options.Warmup) }
func (a *annealing) cool() int  { return sweeps(annealingCool, a.run.Phase.Options.Warmup) }
func (a *annealing) More() bool { return a.state.Sweeps < a.hot()+a.cool() }

// Iterate moves every walker by one trajectory at the current temperature.
func (a *annealing) Iterate() error {
	r, t := a.run, annealingHeat
	if i := a.state.Sweeps - a.hot(); i >= 0 {
		t = math.Pow(annealingHeat, 1-float64(i+1)/float64(a.cool()))
	}
	if err := r.MoveAt(t); err != nil {
		return err
	}
	a.state.Sweeps++
	r.Iterations++
	return nil
}

func (a *annealing) Finish() (struct{}, error) {
	a.run.Walkers.WriteAllRungs()
	return struct{}{}, nil
}

// join combines several windows of the same walkers into one window with more walkers. It leaves out stuck walkers.
func join(w *population.Walkers, windows ...*population.Visits) *population.Visits {
	both, n := &population.Visits{}, math.MaxInt
	for _, from := range windows {
		n = min(n, len(from.Density[0]))
	}
	for _, from := range windows {
		stuck := stuckWalkers(w, from)
		for lane, xs := range from.Density {
			if !stuck[lane] {
				both.Density = append(both.Density, xs[len(xs)-n:])
				both.Visited = append(both.Visited, from.Visited[lane][len(xs)-n:])
			}
		}
	}
	return both
}
