package adapt

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"ppl/infer"
	"ppl/lang/types"
)

// A CentringRule says whether an element of an effect is to be centred, from how free it is, whether it is centred now,
// and whether half of the elements of its effect will be.
type CentringRule func(f Freedom, centred, half bool) bool

// The bounds lie about one half, apart, so that estimates that vary change nothing back and forth.
const (
	surelyFree = 0.7
	ratherFree = 0.6
	notFree    = 0.4
)

// FewerCentred only stops centring elements. It is for the time in which the target is looked for, because a funnel
// holds walkers up, and a scale that few points have shown is no reason to enter one.
func FewerCentred(f Freedom, centred, _ bool) bool { return centred && f.Usual < surelyFree }

// EachAsItSuits is for walkers that agree. It asks for the freedom at the smallest scale: where that is large, a
// centred element is in a funnel, in which steps of one size fail. The other coordinate is slow at worst. Where most
// elements are not centred, they let the scale become smaller than points have shown, so that those in doubt are in the
// funnel, too.
func EachAsItSuits(f Freedom, centred, half bool) bool {
	return f.Small < notFree || f.Small < ratherFree && centred && half
}

// mostPoints are enough to choose coordinates from; the effects are read by an interpreter.
const mostPoints = 400

// Few are at most mostPoints of the points.
func Few(points [][]float64) (out [][]float64) {
	for i := 0; i < len(points); i += 1 + len(points)/mostPoints {
		out = append(out, points[i])
	}
	return out
}

// ChosenCentring is what a rule makes of what points show of each element; nil where it changes nothing. Series stay as
// they are unless they may change, too.
func ChosenCentring(e infer.Effects, now types.Centring, rule CentringRule, series bool,
	points [][]float64) types.Centring {
	at := make([][]infer.EffectPoint, len(points))
	for t, x := range points {
		at[t] = e.At(x)
	}
	changed, out := false, types.Centring{}
	for k, b := range e.Blocks {
		was, elements := make([]bool, b.Size), make([]Element, b.Size)
		for i := range b.Size {
			was[i], elements[i] = b.Centred(now, i), elementAt(at, k, i)
		}
		if out[b.Name] = was; b.Series && !series {
			continue
		}
		will := ruled(rule, b, was, elements)
		changes := 0
		for i := range will {
			changes += oneIf(will[i] != was[i])
		}
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
func ruled(rule CentringRule, b types.EffectBlock, was []bool, elements []Element) (will []bool) {
	if b.Series {
		return ruledAlike(rule, b, was, elements)
	}
	half := true
	for range 2 {
		will = slices.Clone(was)
		in := 0
		for i, e := range elements {
			if f, ok := e.Freedom(); ok {
				will[i] = rule(f, was[i], half)
			}
			in += oneIf(will[i])
		}
		if 2*in >= len(was) {
			break
		}
		half = false
	}
	return will
}

// ruledAlike are the elements of a series, of which all or none are centred, as a rule wants for most. An element that
// is not centred moves all later ones, which a longer series makes harder to sample; so a series stops being centred
// only if its scale gets so small that steps fail there, or if other parameters bend it.
func ruledAlike(rule CentringRule, b types.EffectBlock, was []bool, elements []Element) []bool {
	const funnel = 1. / 4
	known, in := 0, 0
	for i, e := range elements {
		f, ok := e.Freedom()
		if !ok {
			continue
		}
		known++
		centred := rule(f, was[i], true)
		if was[i] && !b.Curved && f.Scale > funnel {
			centred = true
		}
		in += oneIf(centred)
	}
	if known == 0 {
		return was
	}
	return slices.Repeat([]bool{2*in >= known}, len(was))
}

// fewChanges is the share of an effect's elements that are not worth a new program: of a thousand elements, estimates
// of some are wrong.
const fewChanges = 0.05

// elementAt is an element of a block at all points.
func elementAt(at [][]infer.EffectPoint, block, i int) Element {
	n := len(at)
	e := Element{Values: make([]float64, n), Locations: make([]float64, n), Scales: make([]float64, n)}
	for t, blocks := range at {
		b := &blocks[block]
		e.Values[t], e.Locations[t], e.Scales[t] = b.Values[i], b.Locations[i], b.Scales[i]
	}
	return e
}

// NewScales are the standard deviations at points of the coordinates that change.
func NewScales(from infer.Effects, now, c types.Centring, points [][]float64) map[int]float64 {
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

// RemarkOnCentring says in a report which effects are sampled in other coordinates than the model's.
func RemarkOnCentring(p *infer.Report, blocks []types.EffectBlock, c types.Centring) {
	p.Centring = map[string]int{}
	for _, b := range blocks {
		in := 0
		for i := range b.Size {
			in += oneIf(b.Centred(c, i))
		}
		p.Centring[b.Name] = in
		if note := centringNote(b, in); note != "" {
			p.Notes = append(p.Notes, note)
		}
	}
}

// centringNote says how many elements of an effect are centred, unless the model says the same.
func centringNote(b types.EffectBlock, in int) string {
	other, not := b.Size-in, ""
	if b.NonCentered {
		other, not = in, "not "
	}
	switch other {
	case 0:
		return ""
	case b.Size:
		return fmt.Sprintf("`%s` is sampled as if it were %smarked `noncentered`, which suits its data better", b.Name,
			not)
	}
	return fmt.Sprintf("%d of the %d elements of `%s` are sampled as if they were %smarked `noncentered`, which suits "+
		"their data better", other, b.Size, b.Name, not)
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}
