// Package effects computes how the expected outcome of a model depends on one or two predictors, like R's
// conditional_effects and emmeans:
//
//	run, err := analysis.Open("sleep.run", notes.None{})
//	e, err := effects.Of(ctx, run, effects.Question{Terms: []string{"Days"}})
//	fmt.Println(e.Places[0].Values[0].Label, e.Estimates[0].Mean, e.Estimates[0].Lo, e.Estimates[0].Hi)
//
// The requested predictors vary over a grid. Each other predictor is fixed at its mean or, if it is a category, at its
// first element. Groups with their own effects are replaced by a new group, whose effects have the mean of their
// distribution. The expected outcome on the grid is predicted from the draws of the run.
package effects

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ppl/app/analysis"
	"ppl/app/fault"
	"ppl/compiler"
	"ppl/lang/diag"
	"ppl/lang/types"
	"ppl/posterior/query"
	"ppl/posterior/stats"
)

// A Question selects the effects to compute.
type Question struct {
	Terms   []string           // names of one or two predictors in the model
	Outcome string             // name of the observed array; may be empty if there is only one
	At      map[string]string  // values of other predictors, by name
	Groups  compiler.NewGroups // how effects of new groups are chosen
	Thin    int                // use every Thin-th draw; 0 means 1
}

// Effects holds the expected outcomes on a grid of the terms. The first term varies fastest.
type Effects struct {
	Outcome   string
	Terms     []Axis   // requested terms, then the categories or columns of the outcome, if it has any
	Shares    bool     // whether estimates are probabilities of categories
	Fixed     []string // values of the other predictors, such as "x = 2.1"
	Places    []Place
	Estimates []query.Estimate // by place
	Contrasts []Contrast
}

// An Axis holds the values of a term on the grid.
type Axis struct {
	Name     string
	Category bool
	Values   []Value
}

// A Value is a number, or an element of a category.
type Value struct {
	Number float64
	Label  string
}

// A Place is a point of the grid, with a value for each term.
type Place struct{ Values []Value }

// A Contrast is the expected outcome at an element of the first term minus that at its first element.
type Contrast struct {
	Place, Reference Place
	query.Estimate
}

// The grid contains all values of a predictor with at most fewValues values, else a number of equidistant points
// over its range, given by points.
const (
	fewValues = 12
	points    = 50
)

// Of computes the effects.
func Of(ctx context.Context, run *analysis.Run, q Question) (*Effects, error) {
	f, err := newFrame(run, q)
	if err != nil {
		return nil, err
	}
	e := &Effects{Outcome: f.outcome.Name}
	for k, name := range q.Terms {
		axis, err := f.axis(name, k)
		if err != nil {
			return nil, err
		}
		e.Terms = append(e.Terms, axis)
	}
	values, err := f.predictAll(ctx, e)
	if err != nil {
		return nil, err
	}
	e.Estimates = query.Estimates(&query.Result{Values: values})
	e.contrast(values)
	return e, nil
}

// places returns all combinations of the terms' values. The first term varies fastest.
func places(terms []Axis) []Place {
	all := []Place{{}}
	for k := len(terms) - 1; k >= 0; k-- {
		var longer []Place
		for _, p := range all {
			for _, v := range terms[k].Values {
				longer = append(longer, Place{append([]Value{v}, p.Values...)})
			}
		}
		all = longer
	}
	return all
}

// contrast compares each element of a categorical first term with its first element.
func (e *Effects) contrast(values [][][]float64) {
	if !e.Terms[0].Category {
		return
	}
	n := len(e.Terms[0].Values)
	for k, place := range e.Places {
		if k%n == 0 {
			continue
		}
		reference := k - k%n
		difference := make([][]float64, len(values[k]))
		for c, chain := range values[k] {
			for d, v := range chain {
				difference[c] = append(difference[c], v-values[reference][c][d])
			}
		}
		of := query.Estimates(&query.Result{Values: [][][]float64{difference}})
		e.Contrasts = append(e.Contrasts, Contrast{place, e.Places[reference], of[0]})
	}
}

// A frame holds an outcome and the predictors of its rows.
type frame struct {
	run        *analysis.Run
	question   Question
	outcome    types.Variable
	predictors []predictor
}

// A predictor is an array with a value for each row of the outcome.
type predictor struct {
	types.Variable
	values []float64
	set    *types.IndexSet // index set whose elements the values are; nil for numbers
	group  bool            // whether the model estimates the distribution of parameters over the set
}

func newFrame(run *analysis.Run, q Question) (*frame, error) {
	layout := run.Stored.Layout
	f := &frame{run: run, question: q}
	var names []string
	for _, v := range layout.Observed {
		names = append(names, v.Name)
		if q.Outcome == v.Name || q.Outcome == "" && f.outcome.Name == "" {
			f.outcome = v.Variable
		}
	}
	switch {
	case len(names) == 0:
		return nil, fault.Wrongf("the model of %s observes nothing", run.Dir)
	case f.outcome.Name == "":
		return nil, fault.Wrongf("the model of %s does not observe %q; it observes %s", run.Dir, q.Outcome,
			diag.And(names))
	case q.Outcome == "" && len(names) > 1:
		return nil, fault.Usagef("the model of %s observes %s; choose one with --of", run.Dir, diag.And(names))
	case len(f.outcome.Dims) != 1 && len(f.outcome.Dims) != 2:
		return nil, fault.Wrongf("effects need an outcome with one or two axes, but %s has %d",
			f.outcome.Name, len(f.outcome.Dims))
	}
	for _, v := range layout.Observed {
		if v.Name != f.outcome.Name {
			if err := f.add(v.Variable, run.Stored.ObservedData); err != nil {
				return nil, err
			}
		}
	}
	for _, v := range layout.Constant {
		if err := f.add(v.Variable, run.Stored.ConstantData); err != nil {
			return nil, err
		}
	}
	return f, f.checkNames()
}

// add adds an array to the predictors if its first axis is the rows of the outcome.
func (f *frame) add(v types.Variable, read func(string) ([]float64, error)) error {
	if len(v.Dims) == 0 || v.Dims[0] != f.outcome.Dims[0] {
		return nil
	}
	values, err := read(v.Name)
	if err != nil {
		return fault.Of(err)
	}
	p := predictor{Variable: v, values: values}
	if set, ok := f.run.Stored.Layout.SetOf(v.Name); ok {
		p.set, p.group = &set, f.hasEffects(set.Name)
	}
	f.predictors = append(f.predictors, p)
	return nil
}

// hasEffects reports whether a parameter over a set has a distribution that depends on other parameters.
func (f *frame) hasEffects(set string) bool {
	layout := f.run.Stored.Layout
	return slices.ContainsFunc(layout.Posterior, func(v types.Variable) bool {
		return slices.Contains(v.Dims, set) && slices.Contains(layout.Parameters, v.Name) &&
			!slices.Contains(layout.TopLevel, v.Name)
	})
}

// checkNames returns an error if a term or value names no predictor, or a predictor is named twice.
func (f *frame) checkNames() error {
	var names []string
	for _, p := range f.predictors {
		names = append(names, p.Name)
	}
	asked := slices.Clone(f.question.Terms)
	for name := range f.question.At {
		asked = append(asked, name)
	}
	slices.Sort(asked[len(f.question.Terms):])
	for k, name := range asked {
		if !slices.Contains(names, name) {
			return fault.Wrongf("%s is not a predictor of %s; %s", name, f.outcome.Name,
				diag.MeantAmong(names, "%s", name, "it has "+diag.And(names)))
		}
		if slices.Contains(asked[:k], name) {
			return fault.Usagef("%s is named twice", name)
		}
	}
	return nil
}

func (f *frame) predictor(name string) *predictor {
	return &f.predictors[slices.IndexFunc(f.predictors, func(p predictor) bool { return p.Name == name })]
}

// axis returns the grid of the k-th term: all elements of a category; all values of a number if there are few; else
// equidistant points over its range or, for the second term, the mean and one standard deviation on both sides.
func (f *frame) axis(name string, k int) (Axis, error) {
	p := f.predictor(name)
	if len(p.Dims) != 1 {
		return Axis{}, fault.Wrongf("%s has %d axes, but effects need predictors with one axis", name, len(p.Dims))
	}
	a := Axis{Name: name, Category: p.set != nil}
	if p.set != nil {
		for _, v := range p.distinct() {
			a.Values = append(a.Values, Value{v, p.set.Element(v)})
		}
		return a, nil
	}
	distinct := p.distinct()
	switch {
	case len(distinct) == 0:
		return Axis{}, fault.Wrongf("%s has no values", name)
	case len(distinct) > fewValues && k == 1:
		m, s := stats.MeanSD(p.present())
		distinct = []float64{m - s, m, m + s}
	case len(distinct) > fewValues:
		low, high := distinct[0], distinct[len(distinct)-1]
		distinct = nil
		for i := range points {
			distinct = append(distinct, low+(high-low)*float64(i)/(points-1))
		}
		if isWhole(p.present()) {
			distinct = rounded(distinct)
		}
	}
	for _, v := range distinct {
		a.Values = append(a.Values, Value{Number: v, Label: fmt.Sprintf("%.4g", v)})
	}
	return a, nil
}

func isWhole(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return v != math.Trunc(v) })
}

func rounded(values []float64) []float64 {
	for i, v := range values {
		values[i] = math.Round(v)
	}
	return slices.Compact(values)
}

func (p *predictor) present() (all []float64) {
	for _, v := range p.values {
		if !math.IsNaN(v) {
			all = append(all, v)
		}
	}
	return all
}

func (p *predictor) distinct() []float64 {
	return slices.Compact(slices.Sorted(slices.Values(p.present())))
}

// predictAll returns the expected outcome at each place, by chain and draw. For a categorical outcome, it adds the
// category as a last term, and the expectation is the category's probability. For an outcome with columns, it adds the
// columns as a last term.
func (f *frame) predictAll(ctx context.Context, e *Effects) (all [][][]float64, err error) {
	e.Places = places(e.Terms)
	dir, err := os.MkdirTemp("", "ppl-effects-")
	if err != nil {
		return nil, fault.Of(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "grid.json")
	if err := f.writeGrid(e, path); err != nil {
		return nil, err
	}
	values, last, err := f.predict(ctx, path, len(e.Places))
	if err != nil {
		return nil, err
	}
	n := max(1, len(last.Values)) // the values of a place are consecutive
	for k := range n {
		for j := range e.Places {
			all = append(all, values[j*n+k])
		}
	}
	if last.Values != nil {
		e.Terms = append(e.Terms, last)
		e.Places = places(e.Terms)
	}
	_, e.Shares = f.run.Stored.Layout.SetOf(f.outcome.Name)
	return all, nil
}

// writeGrid writes the predictors at the places of the grid as a file of new data, and records the values of the other
// predictors.
func (f *frame) writeGrid(e *Effects, path string) error {
	data := map[string]any{}
	for i := range f.predictors {
		p := &f.predictors[i]
		if k := slices.Index(f.question.Terms, p.Name); k >= 0 {
			column := make([]any, len(e.Places))
			for j, place := range e.Places {
				column[j] = p.given(place.Values[k])
			}
			data[p.Name] = column
			continue
		}
		value, words, err := f.other(p)
		if err != nil {
			return err
		}
		data[p.Name] = slices.Repeat([]any{value}, len(e.Places))
		e.Fixed = append(e.Fixed, words)
	}
	text, err := json.Marshal(data)
	if err != nil {
		return fault.Of(err)
	}
	return fault.Of(os.WriteFile(path, text, 0o600))
}

// predict returns the expected outcome at the n places in a file. A categorical outcome, or one with columns, has
// several values for each place, which the axis names.
func (f *frame) predict(ctx context.Context, path string, n int) (values [][][]float64, last Axis, err error) {
	p, err := f.run.Expect(ctx, analysis.NewData{Data: []string{path}, Groups: f.question.Groups,
		Thin: f.question.Thin}, f.outcome.Name)
	if err != nil {
		return nil, last, err
	}
	i := slices.IndexFunc(p.Variables, func(v types.Variable) bool { return v.Name == f.outcome.Name })
	if i < 0 || p.Variables[i].Shape[0] != n {
		return nil, last, fault.Wrongf("%s cannot be predicted from its predictors alone", f.outcome.Name)
	}
	v := p.Variables[i]
	last = Axis{Name: f.outcome.Name, Category: true}
	if len(v.Shape) > 1 {
		for k := range v.Shape[1] {
			last.Values = append(last.Values, Value{float64(k + 1), v.Place(1, k)})
		}
	}
	return byPlace(p.Values[i], v.Size()), last, nil
}

// byPlace splits the draws of each chain, which are concatenated, by place.
func byPlace(chains [][]float64, n int) [][][]float64 {
	out := make([][][]float64, n)
	for i := range out {
		out[i] = make([][]float64, len(chains))
		for c, all := range chains {
			for at := i; at < len(all); at += n {
				out[i][c] = append(out[i][c], all[at])
			}
		}
	}
	return out
}

// given returns a value in the form required in new data.
func (p *predictor) given(v Value) any {
	if p.set != nil && p.set.Labels != nil {
		return v.Label
	}
	return v.Number
}

// other returns the value of a predictor that is not a term, and its description.
func (f *frame) other(p *predictor) (value any, words string, err error) {
	text, asked := f.question.At[p.Name]
	switch {
	case len(p.Dims) > 1:
		return p.meanRow(), p.Name + " at its means", nil
	case p.set != nil && asked:
		return p.named(text)
	case p.group && f.question.Groups != compiler.RefuseGroups:
		return p.fresh(), "a new " + p.Name, nil
	case p.set != nil:
		first := p.distinct()[0]
		v := Value{first, p.set.Element(first)}
		return p.given(v), p.Name + " = " + v.Label, nil
	case asked:
		var v float64
		if _, err := fmt.Sscanf(text, "%g", &v); err != nil {
			return nil, "", fault.Usagef("--at %s=%s: the value of %s must be a number", p.Name, text, p.Name)
		}
		return v, fmt.Sprintf("%s = %g", p.Name, v), nil
	}
	m, _ := stats.MeanSD(p.present())
	if isWhole(p.present()) {
		m = math.Round(m)
	}
	return m, fmt.Sprintf("%s = %.4g", p.Name, m), nil
}

// named returns the element of a category with the given name, and its description.
func (p *predictor) named(text string) (value any, words string, err error) {
	var names []string
	for _, v := range p.distinct() {
		x := Value{v, p.set.Element(v)}
		if x.Label == text {
			return p.given(x), p.Name + " = " + text, nil
		}
		names = append(names, x.Label)
	}
	help := fmt.Sprintf("it has %d elements, for example %s", len(names), names[0])
	if len(names) <= fewValues {
		help = "available: " + strings.Join(names, ", ")
	}
	return nil, "", fault.Wrongf("%s has no element %q; %s", p.Name, text, diag.MeantAmong(names, "%s", text, help))
}

// fresh returns an element that the run does not have.
func (p *predictor) fresh() any {
	if p.set.Labels == nil {
		return slices.Max(p.present()) + 1
	}
	name := "another " + p.Name
	for slices.Contains(p.set.Labels, name) {
		name += "'"
	}
	if slices.IndexFunc(p.set.Labels, func(l string) bool { return strings.Trim(l, "0123456789") != "" }) < 0 {
		return largest(p.set.Labels) + 1 // the labels are numeric codes
	}
	return name
}

func largest(codes []string) (most float64) {
	for _, c := range codes {
		var v float64
		if _, err := fmt.Sscanf(c, "%g", &v); err == nil {
			most = max(most, v)
		}
	}
	return most
}

// meanRow returns the mean over rows of each element of a row.
func (p *predictor) meanRow() any {
	n := 1
	for _, s := range p.Shape[1:] {
		n *= s
	}
	rows := len(p.values) / max(1, n)
	row := make([]float64, n)
	for i := range rows {
		for k := range row {
			row[k] += p.values[i*n+k] / float64(rows)
		}
	}
	return row
}

// Few returns the effects at n evenly spaced values of the first term.
func (e *Effects) Few(n int) *Effects {
	all := len(e.Terms[0].Values)
	few := *e
	few.Terms, few.Places, few.Estimates = slices.Clone(e.Terms), nil, nil
	few.Terms[0].Values = nil
	var at []int
	for i := range n {
		at = append(at, i*(all-1)/(n-1))
	}
	for _, i := range at {
		few.Terms[0].Values = append(few.Terms[0].Values, e.Terms[0].Values[i])
	}
	for k := 0; k < len(e.Places); k += all {
		for _, i := range at {
			few.Places, few.Estimates = append(few.Places, e.Places[k+i]), append(few.Estimates, e.Estimates[k+i])
		}
	}
	return &few
}
