package adapt

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"ppl/infer"
	"ppl/lang/types"
	"ppl/posterior/stats"
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

// Narrowings from which elements are given data: such coordinates cost more for each gradient and for each draw. What
// is given data stays so up to a smaller bound.
const (
	narrows   = 2.5
	staysFrom = 0.7 // of narrows
)

// FewerCentred only stops centring elements. It is for the time in which the target is looked for, because a funnel
// holds walkers up, and a scale that few points have shown is no reason to enter one.
func FewerCentred(f Freedom, centred, _ bool) bool { return centred && f.Usual < surelyFree }

// EachAsItSuits is the rule for walkers that agree. It decides by the freedom at the smallest scale: if that is large,
// a centred element is in a funnel, in which a single step size fails, while the noncentered coordinate is at worst
// slow. If most elements are noncentered, the scale may become smaller than points have shown, and elements in doubt
// are noncentered, too.
func EachAsItSuits(f Freedom, centred, half bool) bool {
	return f.Small < notFree || f.Small < ratherFree && centred && half
}

// mostPoints are enough to choose coordinates from; the effects are read by an interpreter.
const mostPoints = 400

// Few are at most mostPoints of the points.
func Few(points [][]float64) [][]float64 { return stats.Thinned(points, mostPoints) }

// ChosenCentring returns what a rule makes of what points show of each element; nil if it changes nothing. Where
// walkers do not see all rows, series stay as they are, and nothing is given data.
func ChosenCentring(e infer.Effects, now types.Centring, rule CentringRule, allRows bool,
	points [][]float64) types.Centring {
	at := make([][]types.EffectPoint, len(points))
	for t, x := range points {
		at[t] = e.At(x)
	}
	was, will, elements := types.Centring{}, types.Centring{}, map[string][]Element{}
	for k, b := range e.Blocks {
		was[b.Name], elements[b.Name] = make([]types.Form, b.Size), make([]Element, b.Size)
		for i := range b.Size {
			was[b.Name][i], elements[b.Name][i] = b.Form(now, i), elementAt(at, k, i)
		}
		will[b.Name] = was[b.Name]
		if !b.Series || allRows {
			will[b.Name] = rule.forms(b, was[b.Name], elements[b.Name])
		}
	}
	if allRows && isDefined(e.Blocks, at) && gainsByData(e.Blocks, was, will, elements) {
		for _, b := range e.Blocks {
			if b.Normal {
				will[b.Name] = slices.Repeat([]types.Form{types.GivenData}, b.Size)
			}
		}
	}
	changed := false
	for _, b := range e.Blocks {
		if worthIt(was[b.Name], will[b.Name], elements[b.Name]) {
			changed = true
		} else {
			will[b.Name] = was[b.Name]
		}
	}
	if !changed {
		return nil
	}
	return will
}

// NotCentred returns the coordinates of a centring in which elements are only Relative by choice: the others have the
// form that the model gives them. It is nil if that is so of all.
func NotCentred(blocks []types.EffectBlock, c types.Centring) types.Centring {
	out, chosen := types.Centring{}, false
	for _, b := range blocks {
		for i := range b.Size {
			form := b.Form(nil, i)
			if b.Form(c, i) == types.Relative && form != types.Relative {
				form, chosen = types.Relative, true
			}
			out[b.Name] = append(out[b.Name], form)
		}
	}
	if !chosen {
		return nil
	}
	return out
}

// worthIt reports whether changes of forms are worth a new program: those of more than a few of the elements, since of
// a thousand some are estimated wrong, or one that is clear. Two coefficients of sixty that data fix are what makes
// trajectories long where the others are near 0.
func worthIt(was, will []types.Form, elements []Element) bool {
	const few = 0.05
	changes := 0
	for i := range will {
		if will[i] == was[i] {
			continue
		}
		changes++
		if f, ok := elements[i].Freedom(); ok && f.isClear() {
			return true
		}
	}
	return float64(changes) > few*float64(len(will))
}

// forms returns the forms of the elements of an effect, Centred or Relative by a rule. Those of which nothing is known
// stay as they are.
func (r CentringRule) forms(b types.EffectBlock, was []types.Form, elements []Element) (will []types.Form) {
	switch {
	case b.Straight:
		return slices.Repeat([]types.Form{b.Form(nil, 0)}, b.Size)
	case b.Series || b.Vector:
		return r.formsAlike(b, was, elements)
	}
	half := true
	for range 2 {
		will = slices.Clone(was)
		in := 0
		for i, e := range elements {
			if f, ok := e.Freedom(); ok {
				will[i] = formOf(r(f, was[i] == types.Centred, half) || staysCentred(b, was[i], f))
			}
			in += oneIf(will[i] == types.Centred)
		}
		if 2*in >= len(was) {
			break
		}
		half = false
	}
	return will
}

// staysCentred reports whether an element keeps the coordinates of the model whatever its freedom: one on the line
// whose width hardly changes, so that there is no funnel, and a new program is not worth it.
func staysCentred(b types.EffectBlock, was types.Form, f Freedom) bool {
	const changes = 0.4
	return b.Line && was == types.Centred && f.Scale > changes
}

func formOf(centred bool) types.Form {
	if centred {
		return types.Centred
	}
	return types.Relative
}

// formsAlike returns those of the elements of a series or of vectors, of which all or none are centred, as a rule wants
// for most. An element of a series that is not centred moves all later ones, which a longer series makes harder to
// sample; so it stops being centred only if its scale gets so small that steps fail there, or if other parameters bend
// it.
func (r CentringRule) formsAlike(b types.EffectBlock, was []types.Form, elements []Element) []types.Form {
	const funnel = 1. / 4
	known, in := 0, 0
	for i, e := range elements {
		f, ok := e.Freedom()
		if !ok {
			continue
		}
		known++
		centred := r(f, was[i] == types.Centred, true)
		if was[i] == types.Centred && b.Series && !b.Curved && f.Scale > funnel {
			centred = true
		}
		in += oneIf(centred)
	}
	if known == 0 {
		return was
	}
	return slices.Repeat([]types.Form{formOf(2*in >= known)}, len(was))
}

// isDefined reports whether coordinates given data are numbers at all points. Where scales are astronomically small,
// rounding errors leave none.
func isDefined(blocks []types.EffectBlock, at [][]types.EffectPoint) bool {
	for _, points := range at {
		for k, b := range blocks {
			if b.Normal && !finite(points[k].GivenData) {
				return false
			}
		}
	}
	return true
}

// gainsByData reports whether the elements of Normal blocks are to be given data: if in the forms that they would have
// otherwise some get so narrow at some points that steps of one size fail there.
func gainsByData(blocks []types.EffectBlock, was, otherwise types.Centring, elements map[string][]Element) bool {
	for _, b := range blocks {
		if !b.Normal {
			continue
		}
		bound, form := narrows, func(i int) types.Form { return otherwise[b.Name][i] }
		if b.Series { // in the other form each element moves all later ones, however narrow they are
			form = func(int) types.Form { return types.Centred }
		}
		if was[b.Name][0] == types.GivenData {
			bound *= staysFrom
		}
		for i, e := range elements[b.Name] {
			if e.Narrowing(form(i)) > bound {
				return true
			}
		}
	}
	return false
}

// elementAt returns an element of a block at all points.
func elementAt(at [][]types.EffectPoint, block, i int) Element {
	n := len(at)
	e := Element{Values: make([]float64, n), Locations: make([]float64, n), Scales: make([]float64, n)}
	for t, blocks := range at {
		b := &blocks[block]
		e.Values[t], e.Locations[t], e.Scales[t] = b.Values[i], b.Locations[i], b.Scales[i]
		if b.Precisions != nil {
			e.Precisions = append(e.Precisions, b.Precisions[i])
		}
	}
	return e
}

// NewScales returns the standard deviations at points of the coordinates that change.
func NewScales(from infer.Effects, now, c types.Centring, points [][]float64) map[int]float64 {
	scales := map[int]float64{}
	converted := make([][]float64, len(points))
	for t, x := range points {
		converted[t] = from.Converted(x, c)
	}
	for _, b := range from.Blocks {
		for i := range b.Size {
			if b.Form(now, i) == b.Form(c, i) {
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
		counts := map[types.Form]int{}
		for i := range b.Size {
			counts[b.Form(c, i)]++
		}
		p.Centring[b.Name] = counts[types.Centred]
		if note := centringNote(b, counts); note != "" {
			p.Notes = append(p.Notes, note)
		}
	}
}

// centringNote reports how many elements of an effect have which form, unless the model says the same.
func centringNote(b types.EffectBlock, counts map[types.Form]int) string {
	if counts[types.GivenData] > 0 {
		return fmt.Sprintf("`%s` is sampled by how far it is from its mean given the data and all scales, as it would "+
			"be in a funnel otherwise", b.Name)
	}
	other, not := counts[types.Relative], ""
	if b.NonCentered {
		other, not = counts[types.Centred], "not "
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
