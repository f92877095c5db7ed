package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ppl/compiler"
	"ppl/infer"
	"ppl/lang/diag"
	"ppl/lang/types"
	"ppl/posterior/store"
	"ppl/runtime/host"
)

// An openedRun is a run directory of which questions are asked. Draws are read when a question first needs them.
type openedRun struct {
	dir     string
	run     *store.Run
	options resolvedOptions
	inquiry *compiler.Inquiry
	draws   map[string][][]float64
	added   []types.Variable // predictions that a session named; their draws are in draws
	device  func(context.Context) infer.Device
}

// openRun opens a run with the model and the data that it was sampled with. What is wrong with the data is printed.
func (c *console) openRun(dir string) (*openedRun, error) {
	o, text, err := c.readRun(dir)
	if err != nil {
		return nil, err
	}
	args, err := o.dataArgs()
	if err != nil {
		return nil, err
	}
	var ds []diag.Diagnostic
	o.inquiry, ds = compiler.NewInquiry(within(o.base(), o.options.Model), text, args, o.run.Layout.Posterior)
	if err := c.diagnose(ds); err != nil {
		return nil, err
	}
	changed, err := o.changedData()
	if err != nil {
		return nil, failed(err)
	}
	if len(changed) > 0 {
		c.notef("warning: the data have changed since %s was sampled: %s; what is asked of them is of the data as "+
			"they are "+
			"now", dir, strings.Join(changed, "; "))
	}
	return o, nil
}

// dataArgs are the files that the run was given on the command line.
func (o *openedRun) dataArgs() ([]compiler.DataArg, error) {
	args, err := dataArgs(o.options.Data)
	for i := range args {
		args[i].Path = within(o.base(), args[i].Path)
	}
	return args, err
}

// changedData says which of the data that questions read are not those of the run.
func (o *openedRun) changedData() (all []string, err error) {
	vs, values := o.inquiry.Data()
	for k, v := range vs {
		for _, old := range slices.Concat(o.run.Layout.Observed, o.run.Layout.Constant) {
			if old.Name != v.Name {
				continue
			}
			then, err := o.run.Data(v.Name)
			if err != nil {
				return nil, err
			}
			if text := firstChange(old.Variable, then, v, values[k]); text != "" {
				all = append(all, text)
			}
		}
	}
	return all, nil
}

// readRun opens a run that has draws, and reads its model and options.
func (c *console) readRun(dir string) (o *openedRun, text string, err error) {
	run, err := openRun(dir)
	if err != nil {
		return nil, "", err
	}
	if len(run.Layout.Posterior) == 0 {
		return nil, "", wrong(fmt.Errorf("%s holds no draws from a posterior; sample the model first: ppl sample %s",
			dir,
			run.Info.Model))
	}
	if run.Info.Draws == 0 {
		return nil, "", wrong(fmt.Errorf("the run in %s (%s) has no draws yet", dir, run.Info.Status))
	}
	o = &openedRun{dir: dir, run: run, draws: map[string][][]float64{}, device: c.lazyDevice()}
	text, err = o.read()
	return o, text, err
}

// read reads the model and the options of the run.
func (o *openedRun) read() (model string, err error) {
	if o.options, err = readOptions(o.dir); err != nil {
		return "", wrong(err)
	}
	text, err := store.ReadModel(o.dir)
	if err != nil {
		return "", wrong(err)
	}
	return string(text), nil
}

// base is the directory to which the paths of a run are relative: this one if the model stands there, else the one
// that the run was sampled in.
func (o *openedRun) base() string {
	if exists(o.options.Model) {
		return ""
	}
	return o.options.Directory
}

func within(dir, path string) string {
	if dir == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// Draws reads a variable once.
func (o *openedRun) Draws(name string) ([][]float64, error) {
	xs, ok := o.draws[name]
	if ok {
		return xs, nil
	}
	xs, err := o.run.Draws(name)
	if err == nil {
		o.draws[name] = xs
	}
	return xs, err
}

// refresh looks whether a run that is being written has grown since.
func (o *openedRun) refresh() error {
	run, err := store.Open(o.dir)
	if err != nil {
		return err
	}
	o.dropAdded(run)
	o.run = run
	return nil
}

// lazyDevice opens the device for large questions when it is first asked for.
func (c *console) lazyDevice() func(context.Context) infer.Device {
	var dev infer.Device
	return func(ctx context.Context) infer.Device {
		if dev == nil {
			var err error
			if dev, err = openDevice(ctx, auto, func(string) {}); err != nil {
				dev = infer.Lowered(host.Device{})
			}
		}
		return dev
	}
}
