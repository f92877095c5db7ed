package analysis

import (
	"strings"

	"ppl/app"
	"ppl/app/fault"
	"ppl/app/notes"
	"ppl/app/rundir"
	"ppl/compiler"
	"ppl/lang/diag"
	"ppl/lang/source"
	"ppl/posterior/store"
	"ppl/runtime/sys/files"
)

// sampledProgram loads the model of a run with the data with which it was sampled, from their files or, if these are
// gone, from the run. It returns an error if the run has not ended, or if the model or data have changed.
func (o *Run) sampledProgram() (*compiler.Program, error) {
	if o.Stored.Info.Status == store.Running {
		return nil, fault.Wrongf("the run in %s has not ended; wait for its end", o.Dir)
	}
	text, args, err := o.unchanged()
	if err != nil {
		return nil, err
	}
	now, ds := compiler.Load(compiler.Request{Path: o.ModelPath(), Text: text, Data: args})
	if now == nil {
		run := o.sampled()
		if held, _ := compiler.Load(compiler.Request{Path: o.ModelPath(), Text: text, Run: &run}); held != nil {
			return held, nil
		}
		return nil, fault.Diagnosed(ds)
	}
	changed, err := rundir.ChangedData(o.Stored, o.Options, now)
	if err != nil {
		return nil, fault.Of(err)
	}
	if len(changed) > 0 {
		return nil, fault.Wrongf("the data have changed since %s was sampled: %s; put them back, or sample "+
			"again", o.Dir,
			strings.Join(changed, "; "))
	}
	return now, nil
}

// unchanged returns the text of the model and the arguments of its data files. It returns an error if the model's file
// has changed.
func (o *Run) unchanged() (text string, args []compiler.DataArg, err error) {
	if text, err = o.ModelText(); err != nil {
		return "", nil, err
	}
	_, inMemory := o.Stored.System().(*files.Memory) // the text of a run in memory need not come from a file
	if path := o.ModelPath(); !inMemory && rundir.Exists(path) {
		now, err := source.Read(path, source.MostModel)
		if err != nil {
			return "", nil, fault.Of(err)
		}
		if string(now) != text {
			return "", nil, fault.Wrongf("%s has changed since it was sampled; sample it again, or put back "+
				"%s/%s", path,
				o.Dir, store.ModelFile)
		}
	}
	args, err = o.dataArgs()
	return text, args, err
}

// predictiveProgram loads the model of a run, with its data, as a program that draws the data, or that computes their
// expected values if expect is set.
func (o *Run) predictiveProgram(from compiler.Basis, expect *compiler.Expectation) (*compiler.Program, error) {
	p, ds, err := o.predictive(from, expect)
	if err != nil {
		return nil, err
	}
	if err := notes.Diagnose(o.notes, ds); err != nil {
		return nil, err
	}
	return app.DrawsData(p)
}

// predictive returns that program with its diagnostics. The program is nil if there are errors.
func (o *Run) predictive(from compiler.Basis, expect *compiler.Expectation) (*compiler.Program, []diag.Diagnostic,
	error) {
	text, args, err := o.unchanged()
	if err != nil {
		return nil, nil, err
	}
	request := compiler.Request{Path: o.ModelPath(), Text: text, Data: args, Predict: from, Expect: expect}
	p, ds := compiler.Load(request)
	if p == nil {
		run := o.sampled()
		request.Run = &run
		if held, more := compiler.Load(request); held != nil {
			return held, more, nil
		}
	}
	return p, ds, nil
}

// sampled returns the description of the run's variables and data.
func (o *Run) sampled() compiler.SampledRun {
	run := compiler.SampledRun{Saved: o.Stored.Layout.Posterior, Sets: o.Stored.Layout.Sets,
		Unknown: o.unknown.variables()}
	observed := map[string]bool{}
	for _, d := range o.Stored.Layout.Observed {
		run.Data, observed[d.Name] = append(run.Data, d.Variable), true
	}
	for _, d := range o.Stored.Layout.Constant {
		run.Data = append(run.Data, d.Variable)
	}
	run.Values = func(name string) ([]float64, error) {
		if observed[name] {
			return o.Stored.ObservedData(name)
		}
		return o.Stored.ConstantData(name)
	}
	return run
}
