package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ppl/lang/types"
	"ppl/posterior/store"
)

// predict predicts at new data: .predict data="new.csv" as p_new. With a name the predictions are quantities of the
// session; without, and without data, it is what ppl predict does.
func (s *session) predict(ctx context.Context, args []string) error {
	if s.run == nil {
		return noDraws()
	}
	p := &prediction{from: s.run.dir, thin: 1}
	name := ""
	for len(args) > 0 {
		word, rest := args[0], args[1:]
		switch key, value, given := strings.Cut(word, "="); {
		case given && key == "data":
			p.data = append(p.data, strings.Trim(value, `"`))
		case given && key == "as":
			name = value
		case (word == "--data" || word == "as") && len(rest) == 0:
			return usagef("%s: something is missing behind it", word)
		case word == "--data":
			p.data, rest = append(p.data, rest[0]), rest[1:]
		case word == "as":
			name, rest = rest[0], rest[1:]
		default:
			return usagef(".predict [data=FILE]… [as NAME]; %q is neither", word)
		}
		args = rest
	}
	switch {
	case len(p.data) == 0 && name == "":
		root := newRoot(s.c)
		root.SetArgs([]string{"predict", s.run.dir})
		return root.ExecuteContext(ctx)
	case len(p.data) == 0:
		return usagef(".predict as %s: which data? Write data=FILE, or data=NAME=20 for a number", name)
	case name != "" && !nameForm.MatchString(name):
		return usagef("%q cannot be a name", name)
	}
	p.seed = s.run.run.Info.Seed
	if name == "" {
		return s.c.predictNew(ctx, p, true)
	}
	return s.keepPredictions(ctx, p, name)
}

// keepPredictions makes predictions quantities of the run that is asked: of a model that observes one array under the
// name, of one with several under NAME_ARRAY.
func (s *session) keepPredictions(ctx context.Context, p *prediction, name string) error {
	program, err := s.c.loadNew(p, s.run)
	if err != nil {
		return err
	}
	predicted := variablesOf(program.Predicted)
	p.quiet = !s.typed                            // a script shows no progress
	values := make([][][]float64, len(predicted)) // by variable and chain, the draws laid end to end
	for i := range values {
		values[i] = make([][]float64, s.run.run.Layout.Chains)
	}
	err = s.c.drawNew(ctx, p, s.run, program, func(chain int, draw []float64) error {
		for i, v := range predicted {
			values[i][chain] = append(values[i][chain], draw[:v.Size()]...)
			draw = draw[v.Size():]
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, v := range predicted {
		if v.Name = name + "_" + v.Name; len(predicted) == 1 {
			v.Name = name
		}
		if err := s.c.diagnose(s.run.inquiry.AddVariable(v)); err != nil {
			return err
		}
		s.run.draws[v.Name] = values[i]
		s.run.added = append(slices.DeleteFunc(s.run.added, func(w types.Variable) bool { return w.Name == v.Name }), v)
		line := v.Name
		if v.Size() > 1 {
			line = fmt.Sprintf("%s … %s", v.Element(0), v.Element(v.Size()-1))
		}
		fmt.Fprintf(s.c.out, "%s: predictions at each of %s draws\n", line,
			thousands(s.run.run.Layout.Chains*s.run.run.Info.Draws))
	}
	return nil
}

// dropAdded forgets predictions, which belong to the draws that there were.
func (o *openedRun) dropAdded(now *store.Run) {
	if now.Info.Draws == o.run.Info.Draws {
		return
	}
	o.draws = map[string][][]float64{}
	for _, v := range o.added {
		o.inquiry.DropVariable(v.Name)
	}
	o.added = nil
}
