package repl

import (
	"context"
	"fmt"
	"ppl/app/analysis"
	"ppl/app/fault"
	"ppl/app/rundir"
	"ppl/lang/diag"
	"strings"
)

// predict predicts at new data: .predict data="new.csv" as p_new. With a name, the predictions become variables of the
// session; without one, it works like `ppl predict`.
func (s *session) predict(ctx context.Context, args []string) error {
	if s.run == nil {
		return noDraws()
	}
	var d analysis.NewData
	name := ""
	for len(args) > 0 {
		word, rest := args[0], args[1:]
		switch key, value, given := strings.Cut(word, "="); {
		case given && key == "data":
			d.Data = append(d.Data, strings.Trim(value, `"`))
		case given && key == "as":
			name = value
		case (word == "--data" || word == "as") && len(rest) == 0:
			return fault.Usagef("%s: a value is missing after it", word)
		case word == "--data":
			d.Data, rest = append(d.Data, rest[0]), rest[1:]
		case word == "as":
			name, rest = rest[0], rest[1:]
		default:
			return fault.Usagef(".predict [data=FILE]… [as NAME]; %q is neither", word)
		}
		args = rest
	}
	switch {
	case len(d.Data) == 0 && name == "":
		return s.host.CarryOut(ctx, s.run, []string{"predict", s.run.Dir})
	case len(d.Data) == 0:
		return fault.Usagef(".predict as %s: which data? Write data=FILE, or data=NAME=20 for a number", name)
	case name != "" && !rundir.IsName(name):
		return fault.Usagef("%q cannot be a name", name)
	}
	if name == "" {
		words := []string{"predict", s.run.Dir}
		for _, data := range d.Data {
			words = append(words, "--data", data)
		}
		return s.host.CarryOut(ctx, s.run, words)
	}
	return s.keepPredictions(ctx, d, name)
}

// keepPredictions adds predictions as variables of the open run. A single variable gets the name itself; of several,
// each gets NAME_ARRAY.
func (s *session) keepPredictions(ctx context.Context, d analysis.NewData, name string) error {
	predicted, err := s.run.PredictInMemory(ctx, d)
	if err != nil {
		return err
	}
	for i, v := range predicted.Variables {
		v.Name = name + "_" + v.Name
		if len(predicted.Variables) == 1 {
			v.Name = name
		}
		if err := s.run.AddDraws(v, predicted.Values[i]); err != nil {
			return err
		}
		line := v.Name
		if v.Size() > 1 {
			line = fmt.Sprintf("%s … %s", v.Element(0), v.Element(v.Size()-1))
		}
		fmt.Fprintf(s.host.Out(), "%s: predictions at each of %s draws\n", line,
			diag.Thousands(s.run.Stored.Layout.Chains*s.run.Stored.Info.Draws))
	}
	return nil
}
