package renhd

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/lang/types"
)

// Warm-up gives each element of an effect the coordinate that suits it (adapt.Element): itself, or how far it is from
// its location in units of its scale. While walkers look for the target, elements only stop being centred, because a
// funnel holds walkers up, and a scale that few points have shown is no reason to enter one. Once walkers agree, each
// element gets what suits it. A ladder keeps the coordinates of the model: on hot rungs, data say less about an effect.

// A centring says whether an element is to be centred, from how free it is, whether it is centred now, and whether half
// of the elements of its effect will be.
type centring func(f adapt.Freedom, centred, half bool) bool

// The bounds lie about one half, apart, so that estimates that vary change nothing back and forth.
const (
	surelyFree = 0.7
	ratherFree = 0.6
	notFree    = 0.4
)

func fewerCentred(f adapt.Freedom, centred, _ bool) bool { return centred && f.Usual < surelyFree }

// eachAsItSuits asks for the freedom at the smallest scale: where that is large, a centred element is in a funnel, in
// which steps of one size fail. The other coordinate is slow at worst. Where most elements are not centred, they let
// the scale become smaller than points have shown, so that those in doubt are in the funnel, too.
func eachAsItSuits(f adapt.Freedom, centred, half bool) bool {
	return f.Small < notFree || f.Small < ratherFree && centred && half
}

// mostPoints are enough to choose coordinates from; the effects are read by an interpreter.
const mostPoints = 400

// recentrable is the target where its coordinates can be chosen, else nil: metric and steps have to be free to follow.
func (s *shared) recentrable() infer.Recentrable {
	t, ok := s.target.(infer.Recentrable)
	if !ok || s.settings().Metric == "identity" || !s.adaptsStep() || len(t.EffectBlocks()) == 0 {
		return nil
	}
	return t
}

// centre gives the target the coordinates that c says; nil is the model's.
func (s *shared) centre(c types.Centring) {
	if t, ok := s.named.(infer.Recentrable); ok && !s.centredBy(c) {
		s.target, s.centring = t.Recentred(c), c
		s.system.Target = s.target
	}
}

// centredBy reports whether the target has the coordinates that c says.
func (s *shared) centredBy(c types.Centring) bool {
	return maps.EqualFunc(s.centring, c, slices.Equal[[]bool])
}

// recentre gives the elements of effects the coordinates that points ask for, by a rule.
func (r *run) recentre(rule centring, p *adapt.Points) (changed bool, err error) {
	target := r.shared.recentrable()
	if target == nil || p.Len() < fewestToChoose {
		return false, nil
	}
	e, points := infer.NewEffects(target), few(p.X)
	c := chosenCentring(e, r.state.Centring, rule, points)
	if c == nil {
		return false, nil
	}
	return true, r.changeCoordinates(e, c, points)
}

// few are at most mostPoints of the points.
func few(points [][]float64) (out [][]float64) {
	for i := 0; i < len(points); i += 1 + len(points)/mostPoints {
		out = append(out, points[i])
	}
	return out
}

// chosenCentring is what a rule makes of what points show of each element; nil where it changes nothing.
func chosenCentring(e infer.Effects, now types.Centring, rule centring, points [][]float64) types.Centring {
	at := make([][]infer.EffectPoint, len(points))
	for t, x := range points {
		at[t] = e.At(x)
	}
	changed, out := false, types.Centring{}
	for k, b := range e.Blocks {
		was, elements := make([]bool, b.Size), make([]adapt.Element, b.Size)
		for i := range b.Size {
			was[i], elements[i] = b.Centred(now, i), elementAt(at, k, i)
		}
		will := ruled(rule, was, elements)
		changes := 0
		for i := range will {
			changes += int(oneIf(will[i] != was[i]))
		}
		out[b.Name] = was
		if float64(changes) > fewChanges*float64(b.Size) {
			out[b.Name], changed = will, true
		}
	}
	if !changed {
		return nil
	}
	return out
}

// ruled are the elements of an effect that a rule has centred. Those of which nothing is known stay as they are.
func ruled(rule centring, was []bool, elements []adapt.Element) (will []bool) {
	half := true
	for range 2 {
		will = slices.Clone(was)
		in := 0
		for i, e := range elements {
			if f, ok := e.Freedom(); ok {
				will[i] = rule(f, was[i], half)
			}
			in += int(oneIf(will[i]))
		}
		if 2*in >= len(was) {
			break
		}
		half = false
	}
	return will
}

// fewChanges is the share of an effect's elements that are not worth a new program: of a thousand elements, estimates
// of some are wrong.
const fewChanges = 0.05

// elementAt is an element of a block at all points.
func elementAt(at [][]infer.EffectPoint, block, i int) adapt.Element {
	n := len(at)
	e := adapt.Element{Values: make([]float64, n), Locations: make([]float64, n), Scales: make([]float64, n)}
	for t, blocks := range at {
		b := &blocks[block]
		e.Values[t], e.Locations[t], e.Scales[t] = b.Values[i], b.Locations[i], b.Scales[i]
	}
	return e
}

// changeCoordinates lets walkers go on in other coordinates than those in which from reads effects; c is nil for the
// model's. What is remembered in the old ones is converted or forgotten. Points in the old coordinates show how wide
// the target is in the new ones.
func (r *run) changeCoordinates(from infer.Effects, c types.Centring, points [][]float64) error {
	s := &r.shared
	at := r.walkers.positions()
	for lane := range at {
		at[lane] = from.Converted(at[lane], c)
	}
	for k := range r.state.Left {
		r.state.Left[k].At = from.Converted(r.state.Left[k].At, c)
	}
	scales := newScales(from, r.state.Centring, c, points)
	for j := range r.walkers.Rungs {
		rung := &r.walkers.Rungs[j]
		rung.Metric = rung.Metric.Rescaled(scales)
		rung.Step = s.firstStepIn(*rung)
	}
	r.state.FormFrom = 0
	r.state.Centring, r.state.Before, r.state.Modes, r.state.Divergence = c, nil, nil, adapt.Divergence{}
	s.centre(c)
	return r.changeProgram(at)
}

// newScales are the standard deviations at points of the coordinates that change.
func newScales(from infer.Effects, now, c types.Centring, points [][]float64) map[int]float64 {
	scales := map[int]float64{}
	converted := make([][]float64, len(points))
	for t, x := range points {
		converted[t] = from.Converted(x, c)
	}
	for _, b := range from.Blocks {
		for i := range b.Size {
			if b.Centred(now, i) == b.Centred(c, i) {
				continue
			}
			column := make([]float64, len(points))
			for t := range column {
				column[t] = converted[t][b.First+i]
			}
			if sd := stat.StdDev(column, nil); sd > 0 && !math.IsInf(sd, 0) {
				scales[b.First+i] = sd
			}
		}
	}
	return scales
}

// convergeRecentred gives walkers that do not agree the coordinates that suit what they have shown so far, in which
// they may.
func (r *run) convergeRecentred(last result) (result, error) {
	w := r.share(.05, true)
	if w.centre = eachAsItSuits; r.shared.recentrable() == nil {
		return last, nil
	}
	if found, err := r.windows(w); err != nil || !found.Recentred {
		return last, err
	}
	w, judged := r.share(.05, true), r.share(.10, true)
	judged.judge = judgePlaces
	return r.windows(w, judged)
}

// lookAround runs two short windows, the second of which shows where walkers are.
func (r *run) lookAround() error {
	last := r.share(.05, true)
	last.judge = func(t *warmupWindow, _ *result) error {
		r.state.Before = t.seen.places()
		return nil
	}
	_, err := r.windows(r.share(.05, true), last)
	return err
}

// searchAsTheModel goes back to the coordinates of the model and searches for modes in those: a ladder may be needed.
func (r *run) searchAsTheModel() (found bool, err error) {
	if !r.replay.replaying() {
		r.state.Chosen = r.state.Centring
	}
	if err := r.asTheModelSays(); err != nil {
		return false, err
	}
	if err := r.lookAround(); err != nil {
		return false, err
	}
	return r.searchModes()
}

// asChosen takes up again the coordinates that were chosen, after a search as the model that has found nothing: what
// looked like a mode in them was none, and they suit the walkers.
func (r *run) asChosen() error {
	c := r.state.Chosen
	if c == nil || r.replay.replaying() {
		return nil
	}
	var points [][]float64
	for _, visited := range r.state.Before.Visited {
		points = append(points, visited[len(visited)/2:]...)
	}
	r.state.Chosen = nil
	return r.changeCoordinates(infer.NewEffects(r.shared.recentrable()), c, few(points))
}

// asTheModelSays goes back to the coordinates of the model.
func (r *run) asTheModelSays() error {
	if r.state.Centring == nil || r.replay.replaying() {
		return nil
	}
	return r.changeCoordinates(infer.NewEffects(r.shared.recentrable()), nil, r.walkers.positions())
}

// asTheModel are positions in the coordinates of the model.
func (r *run) asTheModel(positions [][]float64) [][]float64 {
	if r.state.Centring == nil || len(positions) == 0 {
		return positions
	}
	e, out := infer.NewEffects(r.shared.target.(infer.Recentrable)), make([][]float64, len(positions))
	for k, x := range positions {
		out[k] = e.Converted(x, nil)
	}
	return out
}

// remarkOnCentring says which effects are sampled in other coordinates than the model's. Where there is no ladder,
// those of all effects were chosen.
func (r *run) remarkOnCentring() {
	target, p := r.shared.recentrable(), &r.stats.Report
	if target == nil || r.shared.settings().Replicas > 0 || r.shared.system.Path != dynamics.Plain {
		return
	}
	p.Centring = map[string]int{}
	for _, b := range target.EffectBlocks() {
		in := 0
		for i := range b.Size {
			in += int(oneIf(b.Centred(r.state.Centring, i)))
		}
		p.Centring[b.Name] = in
		r.noteCentring(b, in)
	}
}

// noteCentring says how many elements of an effect are centred, unless the model says the same.
func (r *run) noteCentring(b types.EffectBlock, in int) {
	other, not := b.Size-in, ""
	if b.NonCentered {
		other, not = in, "not "
	}
	switch other {
	case 0:
	case b.Size:
		r.notef("`%s` is sampled as if it were %smarked `noncentered`, which suits its data better", b.Name, not)
	default:
		r.notef("%d of the %d elements of `%s` are sampled as if they were %smarked `noncentered`, which suits their "+
			"data better", other, b.Size, b.Name, not)
	}
}
