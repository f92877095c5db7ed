package adapt

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ppl/lang/types"
)

// drawnElement draws locations, scales and, given these, an element from its posterior after one observation with the
// given standard error. It also returns the mean share of the prior in the posterior precision.
func drawnElement(r *rand.Rand, n int, observed, error float64) (e Element, freedom float64) {
	for range n {
		loc, scale := r.NormFloat64(), math.Exp(0.4*r.NormFloat64())
		weight := 1 / (1 + scale*scale/(error*error)) // share of the prior in the posterior precision
		x := weight*loc + (1-weight)*observed + math.Sqrt(weight)*scale*r.NormFloat64()
		e.Values, e.Locations, e.Scales = append(e.Values, x), append(e.Locations, loc), append(e.Scales, scale)
		freedom += weight / float64(n)
	}
	return e, freedom
}

// TestFreedom compares Freedom with the mean share of the prior in the posterior precision. The squared median of 4,000
// absolute deviations has a standard error of some 4 %; the bound is wider, since z is a mixture of normals.
func TestFreedom(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, error := range []float64{0.05, 0.5, 1, 2, 30} {
		e, want := drawnElement(r, 4000, 2, error)
		got, ok := e.Freedom()
		if !ok || math.Abs(got.Usual-want) > 0.15*want+0.01 {
			t.Errorf("standard error %g: freedom %.3f, want %.3f", error, got.Usual, want)
		}
	}
}

// TestFixedElementIsNotFree checks that the freedom of an element that the data determine is almost 0, and that a scale
// of 0 is refused.
func TestFixedElementIsNotFree(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	e, _ := drawnElement(r, 500, -3, 1e-6)
	if got, ok := e.Freedom(); !ok || got.Small > 1e-8 {
		t.Errorf("freedom %+v", got)
	}
	e.Scales[7] = 0
	if _, ok := e.Freedom(); ok {
		t.Error("a scale of 0 is accepted")
	}
}

// TestFreedomAtSmallScales checks the freedom at the smallest scale s, which is 1/(1 + s²/error²) and larger than at
// typical scales.
func TestFreedomAtSmallScales(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	e, _ := drawnElement(r, 4000, 2, 0.8)
	small := slices.Min(e.Scales)
	want := 1 / (1 + small*small/(0.8*0.8))
	if f, ok := e.Freedom(); !ok || math.Abs(f.Small-want) > 0.06 || f.Small < f.Usual {
		t.Errorf("freedom %+v, want %.3f", f, want)
	}
}

// TestDoubtIsDecidedByTheOthers checks that a centred element whose freedom is between the bounds stays centred if at
// least half of the elements are centred, and becomes noncentered otherwise. Scales are between 1 and 3. If z has the
// variance v, the freedom at the smallest scale is 1 / (1 + (1/2)² (1 − v)/v): .5 for v = .2, and .29 for v = .092.
func TestDoubtIsDecidedByTheOthers(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	element := func(variance float64) (e Element) {
		for range 2000 {
			scale := 1 + 2*random.Float64()
			e.Scales, e.Locations = append(e.Scales, scale), append(e.Locations, random.NormFloat64())
			e.Values = append(e.Values, e.Locations[len(e.Locations)-1]+scale*math.Sqrt(variance)*random.NormFloat64())
		}
		return e
	}
	free, doubt, bound := element(1), element(.2), element(.092)
	c, r := types.Centred, types.Relative
	centred := []types.Form{c, c, c, c}
	for _, test := range []struct {
		elements []Element
		want     []types.Form
	}{
		{[]Element{doubt, free, bound, bound}, []types.Form{c, r, c, c}},
		{[]Element{doubt, free, free, free}, []types.Form{r, r, r, r}},
		{[]Element{bound, free, free, free}, []types.Form{c, r, r, r}},
	} {
		got := CentringRule(CentredUnlessFree).forms(types.EffectBlock{}, centred, test.elements)
		if !slices.Equal(got, test.want) {
			t.Errorf("forms %v, want %v", got, test.want)
		}
	}
}

// TestSeriesAreCentredAsAWhole checks that all elements of a series or vector get the form that suits most of them. A
// centred series becomes noncentered only if its scale gets close to 0 or if it is Curved, a vector if its elements are
// free.
func TestSeriesAreCentredAsAWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	element := func(error, spread float64) (e Element) {
		for range 400 {
			scale := math.Exp(spread * r.NormFloat64())
			weight := 1 / (1 + scale*scale/(error*error))
			e.Scales = append(e.Scales, scale)
			e.Locations = append(e.Locations, 0)
			e.Values = append(e.Values, 1-weight+math.Sqrt(weight)*scale*r.NormFloat64())
		}
		return e
	}
	free, freeFunnel, bound := element(20, .05), element(20, 1), element(.01, .5)
	plain, bent := types.EffectBlock{Series: true}, types.EffectBlock{Series: true, Curved: true}
	vector := types.EffectBlock{Vector: true}
	for name, c := range map[string]struct {
		rule     CentringRule
		block    types.EffectBlock
		was      bool
		elements []Element
		want     bool
	}{
		"scale near 0":            {CentredUnlessFree, plain, true, []Element{freeFunnel, freeFunnel, bound}, false},
		"scale away from 0":       {CentredUnlessFree, plain, true, []Element{free, free, free}, true},
		"bent":                    {CentredUnlessFree, bent, true, []Element{free, free, bound}, false},
		"data say it all":         {CentredUnlessFree, plain, true, []Element{freeFunnel, bound, bound}, true},
		"marked, data say it all": {CentredUnlessFree, plain, false, []Element{freeFunnel, bound, bound}, true},
		"marked, scale near 0":    {CentredUnlessFree, plain, false, []Element{freeFunnel, freeFunnel, bound}, false},
		"vector":                  {FewerCentred, vector, true, []Element{free, free, bound}, false},
		"vector, data say it all": {CentredUnlessFree, vector, false, []Element{free, bound, bound}, true},
		"while it is looked for":  {FewerCentred, plain, false, []Element{bound, bound, bound}, false},
	} {
		was := slices.Repeat([]types.Form{formOf(c.was)}, len(c.elements))
		got := c.rule.forms(c.block, was, c.elements)
		if !slices.Equal(got, slices.Repeat([]types.Form{formOf(c.want)}, len(got))) {
			t.Errorf("%s: forms %v", name, got)
		}
	}
}

// TestGainsByData checks that effects get the form GivenData if elements would get much narrower at some points in the
// form that they would have otherwise, and that effects with this form keep it at a lower bound. It also checks that
// isDefined is false for coordinates that are NaN.
func TestGainsByData(t *testing.T) {
	given, relative, centred := types.GivenData, types.Relative, types.Centred
	// elements returns an element with scales from 1 to largest, and the given precision of the data.
	elements := func(largest, precision float64) map[string][]Element {
		e := Element{}
		for u := 0.0; u <= 1; u += 1e-3 {
			s := math.Pow(largest, u)
			e.Scales, e.Precisions = append(e.Scales, s), append(e.Precisions, 1/(s*s)+precision)
		}
		return map[string][]Element{"x": {e}}
	}
	for name, c := range map[string]struct {
		series         bool
		was, otherwise types.Form
		elements       map[string][]Element
		want           bool
	}{
		"data say little":    {false, centred, centred, elements(10, 1e-4), true},
		"the scale is known": {false, centred, centred, elements(2, 1e-4), false},
		"data say it all":    {false, centred, centred, elements(10, 1e4), false},
		"relative":           {false, centred, relative, elements(10, 1e4), true},
		"relative, little":   {false, centred, relative, elements(10, 1e-4), false},
		"a series":           {true, relative, relative, elements(10, 1e-4), true},
		"its scale is known": {true, relative, relative, elements(2, 1e-4), false},
		"given data already": {false, given, centred, elements(4, 1e-4), true},
		"not given data":     {false, centred, centred, elements(4, 1e-4), false},
	} {
		blocks := []types.EffectBlock{{Effect: types.Effect{Name: "x"}, Size: 1, Series: c.series, Normal: true}}
		form := func(f types.Form) types.Centring { return types.Centring{"x": {f}} }
		if got := gainsByData(blocks, form(c.was), form(c.otherwise), c.elements); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
		blocks[0].Normal = false
		if gainsByData(blocks, form(c.was), form(c.otherwise), c.elements) {
			t.Errorf("%s: GivenData is chosen for a block that is not Normal", name)
		}
	}
	block := []types.EffectBlock{{Size: 1, Normal: true}}
	if isDefined(block, [][]types.EffectPoint{{{GivenData: []float64{math.NaN()}}}}) ||
		!isDefined(block, [][]types.EffectPoint{{{GivenData: []float64{1}}}}) {
		t.Error("isDefined is wrong for a coordinate that is NaN, or for one that is 1")
	}
}

// TestFewElementsChangeWhereTheyAreClear checks that of sixty noncentered elements, two change if the data determine
// them; if their freedom is not clear, two do not change and four do.
func TestFewElementsChangeWhereTheyAreClear(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		elements int
		error    float64 // standard error of their observations
		want     bool
	}{{2, 0.05, true}, {2, 0.8, false}, {4, 0.8, true}} {
		r := rand.New(rand.NewPCG(7, 8))
		was, will, elements := make([]types.Form, 60), make([]types.Form, 60), make([]Element, 60)
		for i := range elements {
			error := 8.0
			if i < c.elements {
				will[i], error = types.Centred, c.error
			}
			elements[i], _ = drawnElement(r, 400, 2, error)
		}
		if got := worthIt(was, will, elements); got != c.want {
			t.Errorf("%d elements with an error of %g change: %t", c.elements, c.error, got)
		}
	}
}
