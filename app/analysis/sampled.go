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

// sampledProgram loads the model of a run with the data that it was sampled with: from their files, or from the run if
// these are not there any more. It refuses a run that continues, and a model or data that have changed.
func (o *Run) sampledProgram() (*compiler.Program, error) {
	if o.Stored.Info.Status == store.Running {
		return nil, fault.Wrongf("the run in %s is still going on; wait for its end", o.Dir)
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

// unchanged gives the text of the model, if its file is not there or is as it was, and the files of the data.
func (o *Run) unchanged() (text string, args []compiler.DataArg, err error) {
	if text, err = o.ModelText(); err != nil {
		return "", nil, err
	}
	_, inMemory := o.Stored.System().(*files.Memory) // its text need not be that of a file
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

// predictiveProgram loads the model of a run, with the data that it was sampled with, so that it draws its data
// or, if an expectation is asked for, gives their expected values.
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

// predictive returns the program with what is wrong with it; nil if that is an error.
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
