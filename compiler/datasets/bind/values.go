package bind

import (
	"fmt"
	"go/token"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/dataset"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/lang/types"
	"ppl/numbers"
)

// values checks data against their declarations, after all sizes are known.
type values struct {
	d     *dataset.Dataset
	diags *diag.List
	raw   map[*model.Array]*content.Array
}

func (v *values) check() {
	for _, a := range v.d.Model.Arrays {
		if x := v.raw[a]; x != nil {
			v.array(a, x)
		}
	}
	if v.diags.HasErrors() {
		return
	}
	for _, t := range v.d.Model.Terms {
		if x := v.raw[t.Array]; t.Kind == model.Likelihood && x != nil && x.Rows == nil && x.Values.Len() == 0 {
			v.diags.Warnf(diag.NoInfluence, t.Array.At, "`%s` has no rows in %s, so nothing is learned from it",
				t.Array.Name, x.Origin)
		}
	}
}

// array checks the shape and the values of an array; it stops at the first error.
func (v *values) array(a *model.Array, x *content.Array) {
	shape := v.d.Arrays[a].Shape
	for k, s := range a.Type.Axes {
		n, ds := evaluate.SetSize(v.d, s)
		v.diags.Add(ds...)
		if len(ds) == 0 && n != shape[k] {
			help := "correct the data or the size in the model; a name instead of the number takes its size " +
				"from the data"
			if isName(s) {
				help = fmt.Sprintf("correct the data, or give %s no value in the model: its size then comes "+
					"from the data", s.Name)
			}
			v.diags.Errorf(diag.SizesDiffer, a.At, "axis %s of `%s` has %d elements, but %d in %s", s.Name, a.Name, n,
				shape[k], x.Origin).Help("%s", help)
			return
		}
	}
	if x.Rows != nil {
		v.inFile(a, x)
	} else {
		v.inMemory(a, x)
	}
}

func (v *values) inMemory(a *model.Array, x *content.Array) {
	missing, first := 0, -1
	for i, y := range x.Values.All() {
		if math.IsNaN(y) {
			missing++
			if first < 0 {
				first = i
			}
		}
	}
	switch {
	case missing > 0 && !a.Missing:
		v.notMissing(a, x.Origin, missing, "; the first: "+strings.TrimSuffix(v.d.Row(a, first), ", "+x.Origin))
		return
	case len(x.Labels) > 0 && !takesNames(a):
		i := firstText(x)
		v.notText(a, x.Labels[int(x.Values.At(i))-1], i)
		return
	}
	lo, hi, word := v.limits(a)
	for i, y := range x.Values.All() {
		switch {
		case math.IsNaN(y):
		case a.NeedInt && y != math.Trunc(y):
			v.notInteger(a, y, i)
			return
		case y < lo || y > hi:
			v.outside(a, y, i, word)
			return
		}
	}
	if a.IndexOf == nil && len(x.Labels) == 0 {
		v.farOff(a, x)
	}
}

// farthest limits the distance of a value from the median, in median absolute deviations.
const farthest = 1e8

// farOff warns about a value so far from all others that it is probably a typing error or a code for a missing value.
// With such a value, a sampler may take minutes to find the scale of a slope.
func (v *values) farOff(a *model.Array, x *content.Array) {
	n, low, high := extent(x.Values, math.NaN())
	if n < 3 {
		return
	}
	if code, at := missingCode(x.Values, low, high); at >= 0 {
		v.diags.Warnf(diag.Outlier, a.At, "`%s` is %g (%s), and no other value is near: is it a code for a "+
			"missing value?", a.Name, code, v.d.Row(a, at)).
			Help("read it as missing: `%s missing %g`; or leave the rows out with `complete`", declared(a), code)
		return
	}
	if spreadOut(x.Values, n, low, high) {
		return
	}
	middle := ranked(x.Values, func(y float64) float64 { return y }, n/2)
	typical := ranked(x.Values, func(y float64) float64 { return math.Abs(y - middle) }, n/2)
	most := math.Max(math.Abs(low-middle), math.Abs(high-middle))
	if typical == 0 {
		typical = math.Abs(middle)
	}
	if typical == 0 || most <= farthest*typical || math.IsInf(most, 0) {
		return
	}
	at := 0
	for i, y := range x.Values.All() {
		if math.Abs(y-middle) == most {
			at = i
		}
	}
	report, code := v.diags.Warnf, diag.Outlier
	if isFactor(v.d.Model, a) {
		report, code = v.diags.Errorf, diag.ImpossibleValue
	}
	report(code, a.At, "`%s` is %g (%s), and half of its values are within %.3g of %.3g: is it a slip, or a code for "+
		"a missing value?", a.Name, x.Values.At(at), v.d.Row(a, at), typical, middle).
		Help("correct the file, or read the code as missing: `%s missing %g`; if such values are right, rescale the "+
			"column, for example by a logarithm", declared(a), x.Values.At(at))
}

// isFactor reports whether parameters multiply data directly. Such a value is then an error: next to its square, the
// information in the other values is lost in rounding.
func isFactor(m *model.Model, a *model.Array) (found bool) {
	look := func(x model.Expr) {
		args := []model.Expr{}
		switch x := x.(type) {
		case *model.Apply:
			if x.Name == "*" {
				args = x.Args
			}
		case *model.MatMul:
			args = []model.Expr{x.X, x.Y}
		}
		if len(args) == 2 {
			found = found || reads(args[0], a) && !args[1].Info().Static || reads(args[1], a) && !args[0].Info().Static
		}
	}
	for _, t := range m.Terms {
		for _, x := range t.Exprs() {
			model.Walk(x, look)
		}
	}
	for _, b := range m.Arrays {
		for _, p := range b.Pieces {
			model.Walk(p.Value, look)
		}
	}
	return found
}

// reads reports whether an expression is an array, or an element of one.
func reads(x model.Expr, a *model.Array) bool {
	if sub, ok := x.(*model.Subscript); ok {
		x = sub.X
	}
	ref, ok := x.(*model.Ref)
	return ok && ref.Array == a
}

// missingCode returns a number that files often use for a missing value, such as -99 or 9999, if it is the least or
// greatest value and much farther from all others than these are from each other. at is its first position, or −1.
func missingCode(values numbers.List, least, greatest float64) (code float64, at int) {
	for _, code := range []float64{least, greatest} {
		if !nines(code) {
			continue
		}
		n, low, high := extent(values, code)
		gap := math.Min(math.Abs(code-low), math.Abs(code-high))
		if n >= 2 && gap > 2*(high-low) && high > low {
			return code, placeOf(values, code)
		}
	}
	return 0, -1
}

// placeOf returns the first position of a number, or −1.
func placeOf(values numbers.List, x float64) int {
	for i, y := range values.All() {
		if y == x {
			return i
		}
	}
	return -1
}

// nines reports whether a number, apart from its sign, consists of two or more digits 9.
func nines(y float64) bool {
	digits := strings.TrimPrefix(strconv.FormatFloat(y, 'f', -1, 64), "-")
	return len(digits) > 1 && strings.Trim(digits, "9") == ""
}

// inFile is like inMemory for values on disk: it uses the statistics from the pass over the file.
func (v *values) inFile(a *model.Array, x *content.Array) {
	all := summary(x)
	switch lo, hi, word := v.limits(a); {
	case all.Missing > 0:
		v.notMissing(a, x.Origin, all.Missing, "")
	case len(x.Labels) > 0 && !takesNames(a):
		v.notText(a, all.Text, all.TextAt)
	case len(x.Labels) > 0: // numbers of labels are in range
	case a.NeedInt && all.Broken.At >= 0:
		v.notInteger(a, all.Broken.Value, all.Broken.At)
	case all.Low.At >= 0 && all.Low.Value < lo:
		v.outside(a, all.Low.Value, all.Low.At, word)
	case all.High.At >= 0 && all.High.Value > hi:
		v.outside(a, all.High.Value, all.High.At, word)
	}
}

// isName reports whether a set is a single name whose size the data determine.
func isName(s *model.Set) bool { return token.IsIdentifier(s.Name) }

// limits returns the bounds of an array's values, and the word for them in messages.
func (v *values) limits(a *model.Array) (lo, hi float64, word string) {
	switch {
	case a.IndexOf != nil:
		n, ds := evaluate.SetBox(v.d, a.IndexOf)
		v.diags.Add(ds...)
		return float64(n[0]), float64(n[1]), "index(" + a.IndexOf.Name + ")"
	case a.Declared == types.Bool:
		return 0, 1, "bool"
	case a.Bounds != nil:
		return number(v.d, v.diags, a.Bounds.Lo), number(v.d, v.diags, a.Bounds.Hi), "its bounds"
	}
	return math.Inf(-1), math.Inf(1), ""
}

// notMissing reports an error for n missing values; first describes the position of the first one, if known.
func (v *values) notMissing(a *model.Array, origin string, n int, first string) {
	v.diags.Errorf(diag.UndeclaredMissing, a.At, "`%s` has missing values in %s (%d%s); declared without `missing`",
		a.Name, origin, n, first).
		Help("write `%s missing` and give it a distribution to have them drawn, or `complete` at the end of the "+
			"statement to leave out their rows", declared(a))
}

func (v *values) notText(a *model.Array, text string, i int) {
	v.diags.Errorf(diag.ImpossibleValue, a.At, "`%s` is text, not numbers: %q (%s)", a.Name, text, v.d.Row(a, i)).
		Help("%s", notNumber(text, declared(a)))
}

// missingWords lists texts that files often use for missing values.
var missingWords = []string{".", "..", "-", "--", "?", "n/a", "#n/a", "#na", "null", "none", "nil", "missing",
	"unknown",
	"nd", "n.d.", "#null!", "<na>", "*", "na.", "-nan", "1.#qnan", "1.#ind"}

// notNumber returns advice for a text that should be a number.
func notNumber(text, declared string) string {
	switch {
	case slices.Contains(missingWords, strings.ToLower(text)):
		return fmt.Sprintf("if %[1]q means a missing value, say so: `%[2]s missing %[1]q`, or `from \"FILE\" missing "+
			"%[1]q` "+
			"for all columns", text, declared)
	case strings.HasPrefix(text, "#"):
		return "it is an error of a spreadsheet: correct it there, or leave the cell empty"
	}
	for _, form := range []struct{ like, advice string }{
		{`^[-+]?\d{1,3}([ ,.'\x{a0}\x{202f}]\d{3})+([.,]\d+)?$`,
			"write numbers without separators of thousands: 1234.5"},
		{`^[-+]?\d+,\d+$`,
			"write decimals with a point; decimal commas are read where semicolons separate the columns"},
		{`^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}$`, "write dates as 2024-12-31: they are read as days since 1970-01-01"},
		{`^[$€£¥] ?[-\d]|\d ?[%$€£¥]$`, "leave signs of currencies and percent out"},
		{`^\([\d.,]+\)$`, "write negative numbers with a minus, -12 for (12)"},
		{`^="?[-\d.,]+"?$`, "format the cells as numbers in the spreadsheet, and export it again"},
		{`^'[-\d.,]+'?$`, "leave the apostrophe out"},
		{`^[-\d.,]+ ?[<>A-Za-zµ°/²³]{1,6}$`, "leave units out, and put them into the name of the column"},
		{`^[<>≤≥] ?[-\d.,]+$`, "a value below or above a limit is censored: write the limit, and give the model " +
			"`censored`"},
	} {
		if regexp.MustCompile(form.like).MatchString(text) {
			return form.advice
		}
	}
	return fmt.Sprintf("names of groups need `%s: index(J)`; a missing value is written NA", declared)
}

func (v *values) notInteger(a *model.Array, y float64, i int) {
	v.diags.Errorf(diag.ImpossibleValue, a.At, "value %g of `%s` (%s) is not an integer, as its use in the model "+
		"requires", y, a.Name, v.d.Row(a, i)).
		Help("correct it, or give it a distribution of real numbers if it is not a count; numbers of groups must be " +
			"integers")
}

func (v *values) outside(a *model.Array, y float64, i int, word string) {
	text := fmt.Sprintf("%g", y)
	if names := v.d.Labels[sizeOf(a.IndexOf)]; int(y) >= 1 && int(y) <= len(names) {
		text = strconv.Quote(names[int(y)-1])
	}
	d := v.diags.Errorf(diag.OutsideDeclaration, a.At, "value %s of `%s` (%s) is not in %s", text, a.Name,
		v.d.Row(a, i), word)
	switch {
	case a.IndexOf == nil:
	case !isName(a.IndexOf):
		d.Help("correct the value, or the range in the model")
	case y == 0:
		d.Help("declare codes from 0 as `index(0..…)`; or remove all other sources of the size of %s, so that the "+
			"codes that occur are the groups", a.IndexOf.Name)
	default:
		d.Help("correct the value; or remove all other sources of the size of %s, so that the codes "+
			"that occur are the groups", a.IndexOf.Name)
	}
}

// firstText returns the first element that is not a number. If all are numbers in quotes, it returns the first element
// that is not missing.
func firstText(x *content.Array) int {
	first := -1
	for i, v := range x.Values.All() {
		if math.IsNaN(v) {
			continue
		}
		if _, err := strconv.ParseFloat(x.Labels[int(v)-1], 64); err != nil {
			return i
		}
		if first < 0 {
			first = i
		}
	}
	return first
}
