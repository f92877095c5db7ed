// Package analysis answers questions about the draws of a run, using the model and the data with which it was sampled:
//
//	run, err := analysis.Open("schools.run", notes.None{})
//	answer, err := run.Ask(ctx, "P(tau > 3)", 0)
//
// It also draws replicates of the data and predictions at new data, scores predictions, cross-validates, and estimates
// the evidence.
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

// A Run is a run directory opened for questions. Draws are read when a question first needs them.
type Run struct {
	Dir     string
	Stored  *store.Run
	Options rundir.Options
	Inquiry *compiler.Inquiry
	Memory  int64 // memory limit in bytes for the draws of a question; 0 for 128 MB

	draws   map[string][][]float64
	unknown *unknownDraws    // nil before findUnknowns, and if nothing is unknown given a draw
	added   []types.Variable // variables added by AddDraws; their draws are in draws
	device  func(context.Context) infer.Device
	notes   notes.Notes
}

// Open opens a run with its model and data. It warns if the data have changed since sampling.
func Open(dir string, n notes.Notes) (*Run, error) {
	run, err := rundir.Open(dir)
	if err != nil {
		return nil, err
	}
	return Of(run, n)
}

// Of is Open for a run that is already open for reading, such as one in memory.
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
		n.Note(fmt.Sprintf("the errors are in %s, the copy of %s in the run", filepath.Join(o.Dir, store.ModelFile),
			o.Options.Model))
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
			"; queries use the changed data")
	}
	return o, nil
}

// drawsOf opens a run that has draws, without loading its model.
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

// dataArgs returns the data files that the run was given on the command line.
func (o *Run) dataArgs() ([]compiler.DataArg, error) {
	args, err := app.DataArgs(o.Options.Data)
	for i := range args {
		args[i].Path = within(o.base(), args[i].Path)
	}
	return args, err
}

// changedData describes the data that questions use and that differ from the run's.
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

// ModelText reads the text of the model as sampled.
func (o *Run) ModelText() (string, error) {
	text, err := store.ReadModel(o.Stored.System(), o.Dir)
	if err != nil {
		return "", fault.Wrong(err)
	}
	return string(text), nil
}

// ModelPath returns the path of the model. Paths in the model are relative to it.
func (o *Run) ModelPath() string { return within(o.base(), o.Options.Model) }

// base returns the directory to which the paths of a run are relative: the current directory if it contains the model's
// file, else the directory in which the run was sampled.
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

// Draws returns the draws of a variable. It reads each variable only once.
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

// AddDraws adds draws that the run does not have, such as predictions, as a variable for questions. The slice of a
// chain concatenates its draws.
func (o *Run) AddDraws(v types.Variable, chains [][]float64) error {
	if err := notes.Diagnose(o.notes, o.Inquiry.AddVariable(v)); err != nil {
		return err
	}
	o.draws[v.Name] = chains
	o.added = append(slices.DeleteFunc(o.added, func(w types.Variable) bool { return w.Name == v.Name }), v)
	return nil
}

// Added lists the variables that AddDraws added.
func (o *Run) Added() []types.Variable { return o.added }

// Refresh reopens a run that is being written. If it has new draws, variables added by AddDraws are removed, since they
// belong to the old draws.
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

// lazyDevice returns a function that opens the device for large questions at its first call. It is the host if the
// device auto cannot be opened.
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

func withoutEvidence(dir, why string) error {
	return fault.Wrongf("%s: the evidence cannot be estimated: %s", dir, why)
}
