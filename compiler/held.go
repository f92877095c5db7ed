package compiler

import (
	"ppl/compiler/datasets/datafile"
	"ppl/compiler/datasets/dataset"
	"ppl/compiler/frontend/model"
	"ppl/compiler/plan"
	"ppl/compiler/predict/newdata"
	"ppl/lang/diag"
	"ppl/lang/types"
	"ppl/numbers"
)

// heldProgram builds a program from a model and the data stored in a run, without reading other files. The program is
// nil if the run does not hold all of its data, or if there are errors.
func heldProgram(m *model.Model, run SampledRun) (*Program, []diag.Diagnostic) {
	d := heldData(m, run)
	if d == nil {
		return nil, nil
	}
	p, ds := plan.NewPlan(d)
	ds = errorsAmong(ds)
	if diag.HasErrors(ds) {
		return nil, ds
	}
	return newProgram(p), nil
}

// heldData returns the data of a run for its model, or nil if the run does not hold all of them.
func heldData(m *model.Model, run SampledRun) *dataset.Dataset {
	arrays, sizes, labels := map[*model.Array]dataset.Array{}, map[*model.Size]int{}, map[*model.Size][]string{}
	data := m.Arrays
	for _, r := range m.Ragged {
		data = append(data[:len(data):len(data)], r.Group, r.Place)
	}
	for _, a := range data {
		if a.Role != model.Data && !a.Missing {
			continue
		}
		v, held := newdata.Find(run.Data, a.Name)
		if !held {
			return nil
		}
		values, err := run.Values(a.Name)
		if err != nil {
			return nil
		}
		arrays[a] = dataset.Array{Shape: v.Shape, Values: numbers.Packed(values)}
	}
	for _, z := range m.Sizes {
		known := false
		for _, s := range run.Sets {
			if s.Name == z.Name {
				sizes[z], labels[z], known = s.Size, s.Labels, true
			}
		}
		if !known {
			return nil
		}
	}
	d := dataset.New(m, arrays, sizes, labels)
	d.Memory = datafile.DefaultRowCache().Memory
	return d
}

// Sets returns the index sets whose sizes the data give.
func (p *Program) Sets() (sets []types.IndexSet) {
	d := p.Data()
	for _, z := range d.Model.Sizes {
		s := types.IndexSet{Name: z.Name, Size: d.Sizes[z], Labels: d.Labels[z]}
		for _, a := range d.Model.Arrays {
			if a.IndexOf == nil {
				continue
			}
			if of, ok := a.IndexOf.Hi.(*model.SizeOf); ok && of.Size == z {
				s.NumberedBy = append(s.NumberedBy, a.Name)
			}
		}
		sets = append(sets, s)
	}
	return sets
}
