package analysis

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ppl/app"
	"ppl/app/fault"
	"ppl/app/rundir"
	"ppl/compiler"
	"ppl/lang/source"
	"ppl/posterior/store"
)

// sampledProgram loads the model of a run with the data that it was sampled with, or says what has changed since.
func sampledProgram(run *store.Run) (*compiler.Program, rundir.Options, error) {
	options, err := sampledModel(run)
	if err != nil {
		return nil, options, err
	}
	args, err := app.DataArgs(options.Data)
	if err != nil {
		return nil, options, err
	}
	now, ds := compiler.LoadFrom(options.Model, args, compiler.DefaultRowCache())
	if now == nil {
		return nil, options, fault.Diagnosed(ds)
	}
	changed, err := rundir.ChangedData(run, options, now)
	if err != nil {
		return nil, options, fault.Of(err)
	}
	if len(changed) > 0 {
		return nil, options, fault.Wrongf("the data have changed since %s was sampled: %s; put them back, or sample "+
			"again", run.Dir, strings.Join(changed, "; "))
	}
	return now, options, nil
}

// sampledModel are the options of a run that has ended and whose model is as it was.
func sampledModel(run *store.Run) (options rundir.Options, err error) {
	switch {
	case len(run.Layout.Posterior) == 0:
		return options, fault.Wrongf("%s holds no draws from a posterior; sample the model first: ppl sample %s",
			run.Dir, run.Info.Model)
	case run.Info.Status == store.Running:
		return options, fault.Wrongf("the run in %s is still going on; wait for its end", run.Dir)
	}
	if options, err = rundir.ReadOptions(run.Dir); err != nil {
		return options, fault.Of(err)
	}
	then, err := store.ReadModel(run.Dir)
	if err != nil {
		return options, fault.Of(err)
	}
	now, err := source.Read(options.Model, source.MostModel)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return options, fault.Wrongf("the model of the run, %s, is not there: call ppl from the directory from "+
			"which the run was sampled", options.Model)
	case err != nil:
		return options, fault.Of(err)
	case !slices.Equal(then, now):
		return options, fault.Wrongf("%s has changed since it was sampled; sample it again, or put back %s",
			options.Model, filepath.Join(run.Dir, store.ModelFile))
	}
	return options, nil
}
