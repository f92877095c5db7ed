package analysis

import (
	"ppl/app"
	"ppl/app/fault"
	"ppl/compiler"
	"ppl/lang/types"
)

// unknownDraws draws quantities that remain unknown given the parameters of a draw: discrete unknowns, with the values
// that the run's `generate` statements used, and data with missing entries.
type unknownDraws struct {
	of         *compiler.Unknowns
	parameters parameterDraws
	seed       uint64
	values     []float64 // values of the parameters, then of the unknowns
	chain      int       // chain and draw to which values belong
	draw       int
}

// findUnknowns loads the model of a run as sampled if something remains unknown given its draws. Otherwise it does
// nothing.
func (o *Run) findUnknowns() error {
	text, err := o.ModelText()
	if err != nil || o.unknown != nil || !compiler.HasUnknowns(o.ModelPath(), text) {
		return err
	}
	program, err := o.sampledProgram()
	if err != nil {
		return err
	}
	of := program.Unknowns()
	if of == nil {
		return nil
	}
	u := &unknownDraws{of: of, seed: o.Stored.Info.Seed, chain: -1}
	if u.parameters, err = readDraws(o.Stored, of.Parameters); err != nil {
		return fault.Of(err)
	}
	u.values = make([]float64, app.TotalSize(of.Parameters)+app.TotalSize(of.Variables))
	o.unknown = u
	return nil
}

// separate returns the same unknowns for another goroutine.
func (u *unknownDraws) separate() *unknownDraws {
	if u == nil {
		return nil
	}
	out := *u
	out.of, out.values, out.chain = u.of.Separate(), make([]float64, len(u.values)), -1
	return &out
}

// at returns the values of the named unknown at a draw, valid until another draw is requested, or nil if there is no
// such unknown.
func (u *unknownDraws) at(name string, chain, draw int) []float64 {
	if u == nil {
		return nil
	}
	from := app.TotalSize(u.of.Parameters)
	for _, v := range u.of.Variables {
		if v.Name != name {
			from += v.Size()
			continue
		}
		if u.chain != chain || u.draw != draw {
			u.chain, u.draw = chain, draw
			u.parameters.enter(u.values, chain, draw)
			u.of.Draw(app.GeneratedStream(u.seed, chain, draw), u.values)
		}
		return u.values[from : from+v.Size()]
	}
	return nil
}

// variables returns the variables of the unknowns.
func (u *unknownDraws) variables() []types.Variable {
	if u == nil {
		return nil
	}
	return u.of.Variables
}

// at returns the values of a variable at a draw, either an unknown or stored in the run.
func (o *Run) at(name string, chain, draw int) ([]float64, error) {
	return o.atGiven(o.unknown, name, chain, draw)
}

// atGiven is at with these unknowns, for one of several goroutines. Draws must have read the variable before.
func (o *Run) atGiven(u *unknownDraws, name string, chain, draw int) ([]float64, error) {
	if xs := u.at(name, chain, draw); xs != nil {
		return xs, nil
	}
	xs, err := o.Draws(name)
	if err != nil {
		return nil, err
	}
	n := len(xs[chain]) / o.Stored.Info.Draws
	return xs[chain][draw*n : (draw+1)*n], nil
}
