// Package callable makes the log density of a model available to programs in other languages: as a shared library
// (Build), or by answering requests if there is no C compiler (Serve).
//
//	d, err := callable.Of(program)
//	err = callable.Build(ctx, d, "growth.so")   // growth.so and growth.h
package callable

import (
	"encoding/json"
	"slices"

	"ppl/app/fault"
	"ppl/autodiff"
	"ppl/compiler"
	"ppl/compiler/backend/library"
	"ppl/compiler/backend/lower"
	"ppl/lang/types"
)

// A Density holds the callable functions, as entries that evaluate one point per lane, and their description.
type Density struct {
	Entries     []lower.Entry
	Description Description
}

// A Description describes points and parameter values. Its JSON form is the result of ppl_describe.
type Description struct {
	Model      string           `json:"model"`
	Dimension  int              `json:"dimension"`  // number of unconstrained coordinates
	Values     int              `json:"values"`     // number of elements of all parameters
	Parameters []types.Variable `json:"parameters"` // in the order of their values
}

// Of returns the density of a program. It returns an error if the model has no parameters.
func Of(p *compiler.Program) (Density, error) {
	if p.Dim() == 0 {
		return Density{}, fault.Wrongf("the model has no parameters, so its density is not a function")
	}
	g := autodiff.New()
	theta := g.Input(library.Theta, p.Dim())
	value, own := autodiff.Add(p.Density(theta)), p.OwnScale(theta)
	ownValue := autodiff.Add(own.Prior, own.Likelihood)
	d := Density{Description: Description{Model: p.Model().Source.Name, Dimension: p.Dim(), Parameters: parameters(p)}}
	for _, v := range d.Description.Parameters {
		d.Description.Values += v.Size()
	}
	d.Entries = []lower.Entry{
		{Name: library.Density, Still: true, Assign: []lower.Assign{
			{Name: library.Value, Value: value},
			{Name: library.Gradient, Value: autodiff.Grad(value, theta)[0]}}},
		{Name: library.Own, Still: true, Assign: []lower.Assign{
			{Name: library.OwnValue, Value: ownValue},
			{Name: library.OwnGradient, Value: autodiff.Grad(ownValue, theta)[0]}}},
		{Name: library.Constrain, Still: true, Assign: []lower.Assign{{Name: library.Parameters,
			Value: autodiff.Slice(p.Values(theta), []int{0}, []int{d.Description.Values})}}},
	}
	return d, nil
}

// parameters returns the variables of a program that are parameters; they precede all others that it saves.
func parameters(p *compiler.Program) (all []types.Variable) {
	names := p.Parameters()
	for _, v := range p.Saved() {
		if !slices.Contains(names, v.Name) {
			break
		}
		all = append(all, v)
	}
	return all
}

func (d Description) json() []byte {
	text, err := json.Marshal(d)
	if err != nil {
		panic(err) // cannot fail for strings and numbers
	}
	return text
}
