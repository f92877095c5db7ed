package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ppl/compiler"
	"ppl/lang/source"
	"ppl/lang/types"
	"ppl/posterior/store"
)

// changedData says what is different between the data of a run and those that a model has now: the first element of
// each array, as `y[3]` is 5, and was 4. It is empty if nothing has changed.
func changedData(run *store.Run, options resolvedOptions, now *compiler.Program) (all []string, err error) {
	for _, g := range []struct {
		arrays []store.Observed
		then   func(string) ([]float64, error)
		now    func() ([]types.Variable, [][]float64)
	}{{run.Layout.Observed, run.ObservedData, now.Observed}, {run.Layout.Constant, run.ConstantData, now.Constants}} {
		vars, values := g.now()
		for _, o := range g.arrays {
			k := slices.IndexFunc(vars, func(v types.Variable) bool { return v.Name == o.Name })
			if k < 0 {
				all = append(all, fmt.Sprintf("`%s` is not among the data any more", o.Name))
				continue
			}
			then, err := g.then(o.Name)
			if err != nil {
				return nil, err
			}
			if text := firstChange(o.Variable, then, vars[k], values[k]); text != "" {
				all = append(all, text)
			}
		}
	}
	if len(all) == 0 && now.Streams() > 0 {
		digests, err := digestsOf(now)
		if err == nil && digests.Data != options.Digests.Data {
			all = append(all, "values in files too large for memory are others")
		}
	}
	return all, nil
}

// firstChange says where two arrays differ first, empty if nowhere.
func firstChange(old types.Variable, then []float64, v types.Variable, now []float64) string {
	if !slices.Equal(old.Shape, v.Shape) {
		return fmt.Sprintf("`%s` has shape %v, and had %v", v.Name, v.Shape, old.Shape)
	}
	count, first := 0, -1
	for i := range now {
		if now[i] == then[i] || math.IsNaN(now[i]) && math.IsNaN(then[i]) {
			continue
		}
		if count++; first < 0 {
			first = i
		}
	}
	for k := range v.Shape {
		if first < 0 && !slices.Equal(old.LabelsOf(k), v.LabelsOf(k)) {
			return fmt.Sprintf("the elements of `%s` have other names", v.Name)
		}
	}
	switch {
	case first < 0:
		return ""
	case count == 1:
		return fmt.Sprintf("`%s` is %g, and was %g", v.Element(first), now[first], then[first])
	}
	return fmt.Sprintf("`%s` is %g, and was %g (%d elements of `%s` have changed)", v.Element(first), now[first],
		then[first], count, v.Name)
}

// sampledProgram loads the model of a run with the data that it was sampled with, or says what has changed since.
func (c *console) sampledProgram(run *store.Run) (*compiler.Program, resolvedOptions, error) {
	options, err := sampledModel(run)
	if err != nil {
		return nil, options, err
	}
	args, err := dataArgs(options.Data)
	if err != nil {
		return nil, options, err
	}
	now, ds := compiler.LoadFrom(options.Model, args, compiler.DefaultRowCache())
	if now == nil {
		return nil, options, c.diagnose(ds)
	}
	changed, err := changedData(run, options, now)
	if err != nil {
		return nil, options, failed(err)
	}
	if len(changed) > 0 {
		return nil, options, wrong(fmt.Errorf("the data have changed since %s was sampled: %s; put them back, or "+
			"sample again", run.Dir, strings.Join(changed, "; ")))
	}
	return now, options, nil
}

// sampledModel are the options of a run that has ended and whose model is as it was.
func sampledModel(run *store.Run) (options resolvedOptions, err error) {
	switch {
	case len(run.Layout.Posterior) == 0:
		return options, wrong(fmt.Errorf("%s holds no draws from a posterior; sample the model first: ppl sample %s",
			run.Dir, run.Info.Model))
	case run.Info.Status == store.Running:
		return options, wrong(fmt.Errorf("the run in %s is still going on; wait for its end", run.Dir))
	}
	if options, err = readOptions(run.Dir); err != nil {
		return options, failed(err)
	}
	then, err := store.ReadModel(run.Dir)
	if err != nil {
		return options, failed(err)
	}
	now, err := source.Read(options.Model, source.MostModel)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return options, wrong(fmt.Errorf("the model of the run, %s, is not there: call ppl from the directory from "+
			"which the run was sampled", options.Model))
	case err != nil:
		return options, failed(err)
	case !slices.Equal(then, now):
		return options, wrong(fmt.Errorf("%s has changed since it was sampled; sample it again, or put back %s",
			options.Model, filepath.Join(run.Dir, store.ModelFile)))
	}
	return options, nil
}
