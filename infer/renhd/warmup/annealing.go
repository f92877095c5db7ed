package warmup

import (
	"math"

	"ppl/infer"
	"ppl/infer/renhd/part"
	"ppl/infer/renhd/population"
)

// The search for modes by annealing: how hot (hotter than that, a likelihood of some thirty rows with a flat prior no
// longer holds a walker), and for which share of warm-up at that temperature, cooling, and in each window after.
const (
	annealingHeat   = 25.0
	annealingHot    = 0.03
	annealingCool   = 0.06
	annealingWindow = 0.05
)

// findMoreModes anneals all walkers to find modes that no starting point reached. Where priors are proper, starts come
// from them and lie further apart than the posterior; where they are not, starts are a guess, and all walkers may be in
// the one mode that is near. So the walkers, who agree, are heated until they cross barriers of some fifty in log
// density, are cooled (Kirkpatrick, Gelatt, Vecchi, Science 1983), and have to be where they were before.
func (r *Warmup) findMoreModes() (agreed bool, err error) {
	if r.Phase.Target.ProperPrior() || r.share(annealingWindow, false).sweeps == 0 {
		return true, nil
	}
	if _, err := part.Do(r.Run, &annealing{run: r}); err != nil {
		return false, err
	}
	return r.settledWhereBefore()
}

// settledWhereBefore reports whether walkers come back to where they were. It gives them time: some were heated to
// where the density hardly falls off. Windows are short, in which slow walkers differ in any case: then it is enough
// that no barrier lies between the places where they are and were.
func (r *Warmup) settledWhereBefore() (agreed bool, err error) {
	const most = 4
	w := r.share(annealingWindow, false)
	w.judge = func(t *warmupWindow, found *windowResult) (err error) {
		found.OnePlace = onePlace(join(r.Walkers, &t.seen.Visits, r.state.Before))
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

// annealingState is how far it is.
type annealingState struct{ Sweeps int }

func (a *annealing) Begin() error { return nil }
func (*annealing) Name() string   { return "annealing" }
func (a *annealing) State() any   { return &a.state }

func (a *annealing) hot() int   { return sweeps(annealingHot, a.run.Phase.Options.Warmup) }
func (a *annealing) cool() int  { return sweeps(annealingCool, a.run.Phase.Options.Warmup) }
func (a *annealing) More() bool { return a.state.Sweeps < a.hot()+a.cool() }

// iterate moves every walker by a trajectory at the temperature that is next.
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
	r.ShowProgress(infer.WarmingUp)
	return nil
}

func (a *annealing) Finish() (struct{}, error) {
	a.run.Walkers.WriteAllRungs()
	return struct{}{}, nil
}

// join returns several windows of the same walkers as one window with more walkers, without those that are stuck.
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
