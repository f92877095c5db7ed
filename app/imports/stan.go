// Package imports translates models of other languages to ppl: Stan programs, and BUGS and JAGS models.
//
//	from, err := imports.Source("kidscore.stan", []string{"kidscore.json"}, notes.None{})
//	program, err := app.LoadInMemory(from, notes.None{})
//
// The languages are defined by the Stan Reference Manual 2.36, the BUGS book (Lunn et al., 2012) and the JAGS 4.3 User
// Manual. Packages lang/stan and lang/bugs do the translation.
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

// IsStan reports whether the file name is that of a Stan program.
func IsStan(model string) bool { return filepath.Ext(model) == ".stan" }

// ModelPath returns the file name of the model translated from a program.
func ModelPath(program string) string {
	base := filepath.Base(program)
	return strings.TrimSuffix(base, filepath.Ext(base)) + ".ppl"
}

// Source returns a model with its data. A Stan program is translated, and its data are renamed to the names in the
// model. It is an error if part of the program's density cannot be translated.
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

// A StanProgram is a Stan program that has been parsed and checked.
type StanProgram struct {
	path string
	tree *stan.Program
	info *stan.Info
}

// ReadStan parses and checks a Stan program.
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

// Translate translates the program to a model, and renames the data to the names in the model.
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
		m = translate.Program(p.tree, p.info, o) // reports a line that becomes too long
	}
	return m, renamedData(data, m.Renamed), nil
}

// tangled lists the error codes of a translated model whose loops depend on each other in a way that the translation
// does not detect.
var tangled = []diag.Code{diag.Undefined, diag.DefinedTwice, diag.Circular, diag.NotPast, diag.NotCompiled}

// hasTangledLoops reports whether checking the translated model finds such an error.
func (p *StanProgram) hasTangledLoops(m *translate.Model) bool {
	_, ds := compiler.CheckText(ModelPath(p.path), m.Text)
	return slices.ContainsFunc(ds, func(d diag.Diagnostic) bool {
		return d.Severity == diag.Error && slices.Contains(tangled, d.Code)
	})
}

// maxComputed is the maximum number of transformed data values in the text of a model.
const maxComputed = 50_000

// computed returns the values of the transformed data that the translation lacks, or nil if they cannot be computed
// from the data.
func (p *StanProgram) computed(m *translate.Model, known stan.Data) stan.Data {
	if len(m.Uncomputed) == 0 || known == nil {
		return nil
	}
	machine, err := evaluate.New(p.tree, p.info, known)
	if err != nil {
		return nil // the missing translation is reported instead
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

// NoteLeft writes a note for each statement that does not affect the density.
func (p *StanProgram) NoteLeft(m *translate.Model, to notes.Notes) {
	for _, u := range m.Left {
		to.Note(fmt.Sprintf("line %d: %s", u.At.Line(), u.Reason))
	}
}

// dataOf returns the values given by data flags, or nil if there are no flags.
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

// renamedData adds data flags for variables that the model renames because their names are ppl keywords.
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
