// Package analysis asks about the draws of a run, together with the model and the data that it was sampled with:
//
//	run, err := analysis.Open("schools.run", notes.None{})
//	answer, err := run.Ask(ctx, "P(tau > 3)", 0)
//
// It draws replicates of the data and predictions at new data, scores predictions, estimates how well a model predicts
// rows that it has not seen, and how probable it makes its data.
package analysis

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ppl/app"
	"ppl/app/devices"
	"ppl/app/fault"
	"ppl/app/notes"
	"ppl/app/rundir"
	"ppl/compiler"
	"ppl/infer"
	"ppl/lang/diag"
	"ppl/lang/types"
	"ppl/posterior/store"
	"ppl/runtime/host"
)

// A Run is a run directory of which questions are asked. Draws are read when a question first needs them.
type Run struct {
	Dir     string
	Stored  *store.Run
	Options rundir.Options
	Inquiry *compiler.Inquiry
	Memory  int64 // bytes that the draws of a question may take; 0 for 128 MB

	draws   map[string][][]float64
	unknown *unknownDraws    // nil before findUnknowns, and if everything is known at a draw
	added   []types.Variable // what AddDraws named; their draws are in draws
	device  func(context.Context) infer.Device
	notes   notes.Notes
}

// Open opens a run with the model and the data that it was sampled with. It warns if the data have changed since.
func Open(dir string, n notes.Notes) (*Run, error) {
	run, err := rundir.Open(dir)
	if err != nil {
		return nil, err
	}
	return Of(run, n)
}

// Of returns a run that is open for reading already, such as one in memory, as Open does for a directory.
func Of(run *store.Run, n notes.Notes) (*Run, error) {
	o, err := drawsOf(run, n)
	if err != nil {
		return nil, err
	}
	text, err := o.ModelText()
	if err != nil {
		return nil, err
	}
	args, err := o.dataArgs()
	if err != nil {
		return nil, err
	}
	var ds []diag.Diagnostic
	o.Inquiry, ds = compiler.NewInquiry(o.ModelPath(), text, args, o.sampled())
	if diag.HasErrors(ds) {
		n.Note(fmt.Sprintf("the text of %s is that of its copy in the run, %s", o.Options.Model,
			filepath.Join(o.Dir, store.ModelFile)))
	}
	if err := notes.Diagnose(n, ds); err != nil {
		return nil, err
	}
	changed, err := o.changedData()
	if err != nil {
		return nil, fault.Of(err)
	}
	if len(changed) > 0 {
		n.Warn("the data have changed since " + o.Dir + " was sampled: " + strings.Join(changed, "; ") +
			"; what is asked of them is of the data as they are now")
	}
	return o, nil
}

// drawsOf takes a run that has draws, without its model.
func drawsOf(run *store.Run, n notes.Notes) (*Run, error) {
	dir := run.Dir
	switch {
	case len(run.Layout.Posterior) == 0:
		return nil, fault.Wrongf("%s holds no draws from a posterior; sample the model first: ppl sample %s", dir,
			run.Info.Model)
	case run.Info.Draws == 0:
		return nil, fault.Wrongf("the run in %s (%s) has no draws yet", dir, run.Info.Status)
	}
	o := &Run{Dir: dir, Stored: run, draws: map[string][][]float64{}, device: lazyDevice(), notes: n}
	var err error
	if o.Options, err = rundir.OptionsOf(run); err != nil {
		return nil, fault.Wrong(err)
	}
	return o, nil
}

// dataArgs returns the files that the run was given on the command line.
func (o *Run) dataArgs() ([]compiler.DataArg, error) {
	args, err := app.DataArgs(o.Options.Data)
	for i := range args {
		args[i].Path = within(o.base(), args[i].Path)
	}
	return args, err
}

// changedData reports which of the data that questions read are not those of the run.
func (o *Run) changedData() (all []string, err error) {
	vs, values := o.Inquiry.Data()
	for k, v := range vs {
		for _, old := range slices.Concat(o.Stored.Layout.Observed, o.Stored.Layout.Constant) {
			if old.Name != v.Name {
				continue
			}
			then, err := o.Stored.Data(v.Name)
			if err != nil {
				return nil, err
			}
			if text := rundir.FirstChange(old.Variable, then, v, values[k]); text != "" {
				all = append(all, text)
			}
		}
	}
	return all, nil
}

// ModelText reads the text of the model as it was sampled.
func (o *Run) ModelText() (string, error) {
	text, err := store.ReadModel(o.Stored.System(), o.Dir)
	if err != nil {
		return "", fault.Wrong(err)
	}
	return string(text), nil
}

// ModelPath returns the path of the model, to which what it names is relative.
func (o *Run) ModelPath() string { return within(o.base(), o.Options.Model) }

// base returns the directory to which the paths of a run are relative: the current one if the model's file exists
// there, else the directory in which the run was sampled.
func (o *Run) base() string {
	if rundir.Exists(o.Options.Model) {
		return ""
	}
	return o.Options.Directory
}

func within(dir, path string) string {
	if dir == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// Draws reads a variable once.
func (o *Run) Draws(name string) ([][]float64, error) {
	xs, ok := o.draws[name]
	if ok {
		return xs, nil
	}
	xs, err := o.Stored.Draws(name)
	if err == nil {
		o.draws[name] = xs
	}
	return xs, err
}

// AddDraws makes draws that the run does not have, such as predictions, a quantity that can be asked about: by chain,
// the draws laid end to end.
func (o *Run) AddDraws(v types.Variable, chains [][]float64) error {
	if err := notes.Diagnose(o.notes, o.Inquiry.AddVariable(v)); err != nil {
		return err
	}
	o.draws[v.Name] = chains
	o.added = append(slices.DeleteFunc(o.added, func(w types.Variable) bool { return w.Name == v.Name }), v)
	return nil
}

// Added lists what AddDraws has added to the draws that there are.
func (o *Run) Added() []types.Variable { return o.added }

// Refresh looks whether a run that is being written has grown since. What AddDraws added belongs to the draws that
// there were, and is dropped then.
func (o *Run) Refresh() error {
	now, err := store.OpenOn(o.Stored.System(), o.Dir)
	if err != nil {
		return err
	}
	if now.Info.Draws != o.Stored.Info.Draws {
		o.draws = map[string][][]float64{}
		for _, v := range o.added {
			o.Inquiry.DropVariable(v.Name)
		}
		o.added = nil
	}
	o.Stored = now
	return nil
}

// lazyDevice opens the device for large questions when it is first asked for.
func lazyDevice() func(context.Context) infer.Device {
	var dev infer.Device
	return func(ctx context.Context) infer.Device {
		if dev == nil {
			var err error
			if dev, err = devices.Open(ctx, devices.Auto, func(string) {}); err != nil {
				dev = infer.Lowered(host.Device{})
			}
		}
		return dev
	}
}
