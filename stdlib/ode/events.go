package ode

import (
	"math"
	"slices"

	ad "ppl/autodiff"
)

// Events change the state: at the time of event k, element k of Amount is added to state element Into[k]. Amounts are
// computed from the state before all events at that time, so simultaneous events add up. An output at the time of an
// event is the state before it. Events at or after the last time have no effect.
type Events struct {
	Fixed  []float64 // times if they are known, in any order, none before T0
	Moving Node      // times if they are computed, [K]; events before T0 never happen
	Into   []int
	Amount func(t, y Node, shared []Node) Node // result of shape [K]
}

// Known event times are added to the list of stops at which steps end. Each event has its own stop, after the stop of
// an output at the same time. A step of length 0 leads to it, and the state after that step is the state after the
// event. Computed event times are compared with the present time in every attempt.

// stops returns the sorted times at which steps end: output times and breaks, and an additional entry for each event
// time.
func (s *solver) stops(asked []float64) []float64 {
	last, t0 := asked[len(asked)-1], s.problem.T0
	plain, events := slices.Clone(asked), []float64{}
	for _, b := range s.problem.Breaks {
		if t0 < b && b < last {
			plain = append(plain, b)
		}
		if t0 <= b && b <= last {
			s.breaks++
		}
	}
	for _, e := range s.problem.Events {
		for _, t := range e.Fixed {
			if t < t0 {
				bug("an event at %v, before %v", t, t0)
			}
			if t0 < t && t < last {
				events = append(events, t)
			}
		}
	}
	slices.Sort(plain)
	slices.Sort(events)
	events = slices.Compact(events)
	s.jumps = len(events)
	all := slices.Concat(slices.Compact(plain), events)
	slices.Sort(all)
	return all
}

// stopOf returns for each event the index of its stop, or −1 if it has none.
func (s *solver) stopOf(times []float64) []float64 {
	at := make([]float64, len(times))
	for k, t := range times {
		after, _ := slices.BinarySearch(s.times, math.Nextafter(t, math.Inf(1)))
		at[k] = float64(after - 1)
		if t >= s.times[len(s.times)-1] {
			at[k] = -1
		}
	}
	return at
}

// inputs returns the nodes that an attempt reads in addition to the carry: the shared ones, then the computed times.
func (s *solver) inputs() []Node {
	in := slices.Clone(s.problem.Shared)
	if m := s.problem.Moving; m.Valid() {
		in = append(in, m)
	}
	for _, e := range s.problem.Events {
		if e.Moving.Valid() {
			in = append(in, e.Moving)
		}
	}
	return in
}

// moving extracts the computed times from inputs. all lists them, and of[k] has those of events k, or an invalid node
// if these events have fixed times.
func (s *solver) moving(inputs []Node) (all []Node, of []Node) {
	all = inputs[len(s.problem.Shared):]
	next := all
	if s.problem.Moving.Valid() {
		next = next[1:]
	}
	for _, e := range s.problem.Events {
		if !e.Moving.Valid() {
			of = append(of, Node{})
			continue
		}
		of, next = append(of, next[0]), next[1:]
	}
	return all, of
}

// A stop is the time at which the present step must end at the latest. listed is 1 if it is in the list of stops, else
// 0.
type stop struct{ time, listed Node }

// next returns the first stop after t: the first entry of the list that is not yet reached, or an earlier computed
// time.
func (s *solver) next(t, reached Node, inputs []Node) stop {
	g := t.Graph()
	listed := ad.Gather(g.Data("times", s.times, len(s.times)), reached)
	all, _ := s.moving(inputs)
	if len(all) == 0 {
		return stop{listed, g.Const(1)}
	}
	moving := s.ahead(t, all)
	return stop{ad.Minimum(listed, moving), ad.Le(listed, moving)}
}

// length returns the length of the step to attempt. If stops are computed, the length has the gradient of the stop's
// time. Otherwise it is rounded, which has no gradient.
func (s *solver) length(next, t, way, rounded Node) Node {
	if len(s.inputs()) == len(s.problem.Shared) {
		return rounded
	}
	return ad.Div(ad.Sub(next, t), ad.Maximum(t.Graph().Const(1), ad.Ceil(way)))
}

// jumped returns the state after the events at stop next. It changes y only if the step arrives at the stop.
func (s *solver) jumped(next stop, reached, arrive, y Node, inputs []Node) Node {
	g := y.Graph()
	_, of := s.moving(inputs)
	return s.changed(next.time, y, inputs[:len(s.problem.Shared)], func(k int, e Events) Node {
		if !of[k].Valid() {
			at := g.Data("stops of events", s.stopOf(e.Fixed), len(e.Fixed))
			return ad.Mul(ad.Mul(arrive, next.listed), ad.Eq(at, reached))
		}
		before := ad.Lt(of[k], g.Const(s.times[len(s.times)-1]))
		return ad.Mul(ad.Mul(arrive, before), ad.Eq(of[k], next.time))
	})
}

// ahead returns the first computed time between t and the last time, or the last time if there is none.
func (s *solver) ahead(t Node, times []Node) Node {
	c, x := t.Graph().Const, ad.Concat(0, times...)
	last := c(s.times[len(s.times)-1])
	to := ad.Mul(ad.Lt(t, x), ad.Lt(x, last))
	return ad.Min(ad.Where(to, x, last), 0)
}

// changed returns the state after the events at time t for which due returns 1.
func (s *solver) changed(t, y Node, shared []Node, due func(k int, e Events) Node) Node {
	g, after := y.Graph(), y
	for k, e := range s.problem.Events {
		amount := ad.Where(due(k, e), e.Amount(t, y, shared), g.Const(0))
		into := make([]float64, len(e.Into))
		for i, v := range e.Into {
			into[i] = float64(v)
		}
		after = ad.Add(after, ad.ScatterAdd(y.Shape(), amount, g.Data("changed by events", into, len(into))))
	}
	return after
}

// begun returns the state after the events at T0.
func (s *solver) begun() Node {
	p, g := s.problem, s.problem.Y0.Graph()
	_, of := s.moving(s.inputs())
	return s.changed(g.Const(p.T0), p.Y0, p.Shared, func(k int, e Events) Node {
		if of[k].Valid() {
			return ad.Eq(of[k], g.Const(p.T0))
		}
		now := make([]float64, len(e.Fixed))
		for i, t := range e.Fixed {
			if t == p.T0 {
				now[i] = 1
			}
		}
		return g.Data("events at the beginning", now, len(now))
	})
}
