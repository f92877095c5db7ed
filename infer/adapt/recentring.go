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

// A CentringRule decides whether an element of an effect should be centred. Its arguments are the element's freedom,
// whether it is centred now, and whether at least half of the elements of its effect will be centred.
type CentringRule func(f Freedom, centred, half bool) bool

// Bounds on the freedom. The gaps between them keep noisy estimates from switching an element back and forth.
const (
	surelyFree = 0.7
	ratherFree = 0.6
	notFree    = 0.4
)

// narrows is the Narrowing above which elements get the form types.GivenData. These coordinates cost more for each
// gradient and each draw. Elements that have this form keep it if their Narrowing is above staysFrom times narrows.
const (
	narrows   = 2.5
	staysFrom = 0.7 // factor of narrows
)

// FewerCentred is the rule during the search for the target: it makes centred elements noncentered, never the reverse.
// Funnels slow walkers down, and a scale estimated from few points does not justify entering one.
func FewerCentred(f Freedom, centred, _ bool) bool { return centred && f.Usual < surelyFree }

// CentredUnlessFree is the rule after walkers agree. It decides by the freedom at the smallest scale. If that is large,
// a centred element is in a funnel, where a single step size fails; a noncentered one is at worst slow. If most
// elements are noncentered, the scale may get smaller than at the points seen, so elements in doubt are noncentered
// too.
func CentredUnlessFree(f Freedom, centred, half bool) bool {
	return f.Small < notFree || f.Small < ratherFree && centred && half
}

// mostPoints is the number of points used to choose coordinates. More are not needed, and an interpreter evaluates the
// effects at each.
const mostPoints = 400

// Thinned returns at most mostPoints of the points.
func Thinned(points [][]float64) [][]float64 { return stats.Thinned(points, mostPoints) }

// ChosenCentring applies a rule to the elements of all effects, given the effects at several points: at has for each
// point an entry for each block. It returns nil if nothing changes. allRows is false if walkers see only some rows of
// the data: then series keep their form, and no element gets the form GivenData.
func ChosenCentring(blocks []types.EffectBlock, now types.Centring, rule CentringRule, allRows bool,
	at [][]types.EffectPoint) types.Centring {
	was, will, elements := types.Centring{}, types.Centring{}, map[string][]Element{}
	for k, b := range blocks {
		was[b.Name], elements[b.Name] = make([]types.Form, b.Size), make([]Element, b.Size)
		for i := range b.Size {
			was[b.Name][i], elements[b.Name][i] = b.Form(now, i), elementAt(at, k, i)
		}
		will[b.Name] = was[b.Name]
		if !b.Series || allRows {
			will[b.Name] = rule.forms(b, was[b.Name], elements[b.Name])
		}
	}
	if allRows && isDefined(blocks, at) && gainsByData(blocks, was, will, elements) {
		for _, b := range blocks {
			if b.Normal {
				will[b.Name] = slices.Repeat([]types.Form{types.GivenData}, b.Size)
			}
		}
	}
	changed := false
	for _, b := range blocks {
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

// NotCentred returns the forms that the model chooses, except that elements are Relative if they are in c. It returns
// nil if c makes no element Relative that the model does not.
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

// worthIt reports whether changes of forms justify compiling a new program: either more than a small share of elements
// changes, since some of a thousand estimates are wrong by chance, or one change is clear. If data fix two coefficients
// of sixty and all others are near 0, these two make trajectories long.
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

// forms returns the form of each element of an effect, Centred or Relative by the rule. Elements whose freedom is
// unknown keep their form.
func (r CentringRule) forms(b types.EffectBlock, was []types.Form, elements []Element) (will []types.Form) {
	switch {
	case b.Straight:
		return slices.Repeat([]types.Form{b.Form(nil, 0)}, b.Size)
	case b.Series || b.Vector:
		return r.formsAlike(b, was, elements)
	}
	half, freedoms, known := true, make([]Freedom, len(elements)), make([]bool, len(elements))
	for i, e := range elements {
		freedoms[i], known[i] = e.Freedom()
	}
	for range 2 {
		will = slices.Clone(was)
		in := 0
		for i, f := range freedoms {
			if known[i] {
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

// staysCentred reports whether an element keeps the model's coordinates whatever its freedom: an element with a bounded
// support or a fixed sum whose scale hardly changes. It has no funnel, so a new program is not worthwhile.
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

// formsAlike returns one form for all elements of a series or vector: the form that the rule chooses for most of them.
// A noncentered element of a series moves all later elements, which makes long series harder to sample. So a series
// becomes noncentered only if its scale gets so small that steps fail there, or if other parameters affect its location
// but not its scale (Curved).
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

// isDefined reports whether the coordinates of the form GivenData are finite at all points. At extremely small scales,
// rounding errors make them undefined.
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

// gainsByData reports whether the elements of Normal blocks should get the form GivenData. It is true if some elements,
// in the forms chosen otherwise, become so narrow at some points that a single step size fails there.
func gainsByData(blocks []types.EffectBlock, was, otherwise types.Centring, elements map[string][]Element) bool {
	for _, b := range blocks {
		if !b.Normal {
			continue
		}
		bound, form := narrows, func(i int) types.Form { return otherwise[b.Name][i] }
		if b.Series { // in the Relative form each element moves all later ones, however narrow they are
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

// elementAt returns element i of a block at all points.
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

// NewScales returns, for each coordinate whose form changes from now to c, its standard deviation in the new form,
// given the effects at several points.
func NewScales(blocks []types.EffectBlock, now, c types.Centring, at [][]types.EffectPoint) map[int]float64 {
	scales := map[int]float64{}
	for k, b := range blocks {
		for i := range b.Size {
			if b.Form(now, i) == b.Form(c, i) {
				continue
			}
			column := make([]float64, len(at))
			for t := range column {
				column[t] = at[t][k].Coordinate(i, b.Form(c, i))
			}
			if sd := stat.StdDev(column, nil); sd > 0 && !math.IsInf(sd, 0) {
				scales[b.First+i] = sd
			}
		}
	}
	return scales
}

// RemarkOnCentring adds to a report which effects are sampled in coordinates other than the model's.
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

// centringNote returns a note on the elements of an effect whose form differs from the model's, or "" if none does.
func centringNote(b types.EffectBlock, counts map[types.Form]int) string {
	if counts[types.GivenData] > 0 {
		return fmt.Sprintf("the coordinates of `%s` are its differences from its mean given the data and all scales, "+
			"since other coordinates would have a funnel", b.Name)
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
