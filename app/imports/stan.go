// Package imports reads models of other languages as models of ppl: programs of Stan, and models of BUGS and JAGS.
//
//	from, err := imports.Source("kidscore.stan", []string{"kidscore.json"}, notes.None{})
//	program, err := app.LoadInMemory(from, notes.None{})
//
// The languages are those of the Stan Reference Manual 2.36, of the BUGS book (Lunn et al., 2012) and of the JAGS 4.3
// User Manual; packages lang/stan and lang/bugs translate them.
package imports

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ppl/app"
	"ppl/app/fault"
	"ppl/app/notes"
	"ppl/app/rundir"
	"ppl/compiler"
	"ppl/compiler/datasets/datafile"
	"ppl/lang/diag"
	"ppl/lang/source"
	"ppl/lang/stan"
	"ppl/lang/stan/evaluate"
	"ppl/lang/stan/translate"
)

// IsStan reports whether a model is a program of Stan.
func IsStan(model string) bool { return filepath.Ext(model) == ".stan" }

// ModelPath returns the file in which the model of a program would be.
func ModelPath(program string) string {
	base := filepath.Base(program)
	return strings.TrimSuffix(base, filepath.Ext(base)) + ".ppl"
}

// Source returns a model with its data. That of a program of Stan has the text of the program as a model, and the data
// in the names of the model; a density that is not all there is an error.
func Source(model string, data []string, to notes.Notes) (app.Source, error) {
	if !IsStan(model) {
		return app.Source{Model: model, Data: data}, nil
	}
	p, err := ReadStan(model, to)
	if err != nil {
		return app.Source{}, err
	}
	m, given, err := p.Translate(data)
	if err != nil {
		return app.Source{}, err
	}
	if !m.Equal() {
		var ds diag.List
		for _, u := range m.Unsaid {
			if !u.Generated {
				ds.Errorf(diag.NotCompiled, u.At, "not translated: %s", u.Reason)
			}
		}
		return app.Source{}, notes.Diagnose(to, ds.All())
	}
	for _, u := range m.Unsaid {
		to.Note(fmt.Sprintf("line %d is left out: %s", u.At.Line(), u.Reason))
	}
	if m.Text == "" {
		return app.Source{}, fault.Wrongf("%s has no statements", model)
	}
	p.NoteLeft(m, to)
	return app.Source{Model: ModelPath(model), Text: m.Text, Data: given}, nil
}

// A StanProgram is a checked program of Stan.
type StanProgram struct {
	path string
	tree *stan.Program
	info *stan.Info
}

// ReadStan reads and checks a program.
func ReadStan(path string, to notes.Notes) (*StanProgram, error) {
	text, err := source.ReadModel(path)
	if err != nil {
		return nil, fault.Wrong(err)
	}
	p, ds := stan.Parse(source.New(path, text))
	if err := notes.Diagnose(to, ds); err != nil {
		return nil, err
	}
	info, ds := stan.Check(p)
	if err := notes.Diagnose(to, ds); err != nil {
		return nil, err
	}
	info, ds = stan.SplitTuples(p, info)
	return &StanProgram{path, p, info}, notes.Diagnose(to, ds)
}

// Translate returns the program as a model, with the data in the names of the model.
func (p *StanProgram) Translate(data []string) (*translate.Model, []string, error) {
	known, err := dataOf(data)
	if err != nil {
		return nil, nil, err
	}
	o := translate.Options{Data: known}
	m := translate.Program(p.tree, p.info, o)
	o.Computed = p.computed(m, known)
	if len(o.Computed) > 0 {
		m = translate.Program(p.tree, p.info, o)
	}
	if m.Equal() && p.hasTangledLoops(m) {
		o.Unrolled = true
		m = translate.Program(p.tree, p.info, o) // what is too long then is refused with its line
	}
	return m, renamedData(data, m.Renamed), nil
}

// tangled are the mistakes of a model whose loops carry values into each other in a way that translation does not see.
var tangled = []diag.Code{diag.Undefined, diag.DefinedTwice, diag.Circular, diag.NotPast, diag.NotCompiled}

// hasTangledLoops reports such a mistake in the text of a model.
func (p *StanProgram) hasTangledLoops(m *translate.Model) bool {
	_, ds := compiler.CheckText(ModelPath(p.path), m.Text)
	return slices.ContainsFunc(ds, func(d diag.Diagnostic) bool {
		return d.Severity == diag.Error && slices.Contains(tangled, d.Code)
	})
}

// maxComputed is how many numbers of transformed data the text of a model may have.
const maxComputed = 50_000

// computed returns the values of the transformed data that a translation lacks; nil if the data do not give them.
func (p *StanProgram) computed(m *translate.Model, known stan.Data) stan.Data {
	if len(m.Uncomputed) == 0 || known == nil {
		return nil
	}
	machine, err := evaluate.New(p.tree, p.info, known)
	if err != nil {
		return nil // what is not translated is reported
	}
	values, count := machine.TransformedData(m.Uncomputed), 0
	for _, a := range values {
		count += len(a.Values)
	}
	if len(values) < len(m.Uncomputed) || count > maxComputed {
		return nil
	}
	return values
}

// NoteLeft notes what has no part in the density.
func (p *StanProgram) NoteLeft(m *translate.Model, to notes.Notes) {
	for _, u := range m.Left {
		to.Note(fmt.Sprintf("line %d: %s", u.At.Line(), u.Reason))
	}
}

// dataOf returns the values of data flags; nil without any.
func dataOf(flags []string) (stan.Data, error) {
	var known stan.Data
	for _, flag := range flags {
		if known == nil {
			known = stan.Data{}
		}
		given := rundir.ParseData(flag)
		if v, err := strconv.ParseFloat(given.Path, 64); err == nil && given.Name != "" {
			known[given.Name] = stan.Array{Values: []float64{v}}
			continue
		}
		file, err := datafile.DefaultRowCache().Whole(given.Path)
		if err != nil {
			return nil, fault.Wrong(err)
		}
		for _, a := range file.Columns() {
			name := a.Name
			if given.Name != "" {
				if key := given.Key; key != "" && key != name || key == "" && given.Name != name {
					continue
				}
				name = given.Name
			}
			values := make([]float64, a.Values.Len())
			for i := range values {
				values[i] = a.Values.At(i)
			}
			known[name] = stan.Array{Dims: slices.Clone(a.Shape), Values: values}
		}
	}
	return known, nil
}

// renamedData adds to data flags where the model finds data whose names are words of ppl.
func renamedData(flags []string, renamed map[string]string) []string {
	out := slices.Clone(flags)
	for _, flag := range flags {
		given := rundir.ParseData(flag)
		if given.Name != "" {
			continue
		}
		for old, name := range renamed {
			out = append(out, rundir.DataFlag{Name: name, Path: given.Path, Key: old}.String())
		}
	}
	slices.Sort(out[len(flags):])
	return out
}
