package imports

import (
	"fmt"

	"ppl/app"
	"ppl/app/fault"
	"ppl/app/notes"
	"ppl/app/verify"
	"ppl/lang/diag"
	"ppl/lang/stan/evaluate"
	"ppl/lang/stan/translate"
)

// Verify compares the log density of a Stan program with that of the translated model. It reports the result to to, and
// returns an error if they differ.
func (p *StanProgram) Verify(m *translate.Model, data []string, to notes.Notes) error {
	failed := func(format string, args ...any) error {
		return &fault.Error{Kind: fault.Failure, Err: fmt.Errorf(p.path+": "+format, args...)}
	}
	known, err := dataOf(data)
	if err != nil {
		return err
	}
	machine, err := evaluate.New(p.tree, p.info, known)
	if err != nil {
		return fault.Wrong(fmt.Errorf("%s: not verified: %w", p.path, err))
	}
	from := app.Source{Model: ModelPath(p.path), Text: m.Text, Data: renamedData(data, m.Renamed)}
	model, err := app.LoadInMemory(from, to)
	if err != nil {
		return err
	}
	r, err := verify.Densities(machine, model, m.Parameters)
	switch {
	case err != nil:
		return failed("not verified: %w", err)
	case r.Finite == 0:
		return failed("not verified: neither density is finite at any of %d points", r.Others)
	case !r.Agree():
		return failed("the log densities of the program and of the model differ by more than a constant: by "+
			"%.1e of their size", r.Difference)
	}
	to.Step(fmt.Sprintf("verified: the log densities of the program and of the model agree at %s, to %.1e",
		diag.Count(r.Finite, "point", "points"), r.Difference))
	return nil
}
