package app

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ppl/app/devices"
	"ppl/app/fault"
	"ppl/app/rundir"
	"ppl/infer"
	"ppl/runtime/sys/files"
)

// A Request says what is sampled, and how. NewRequest fills in defaults.
type Request struct {
	Source

	Sampler  string   // empty: that of the model's infer statement, else the default
	Settings []string // of the sampler, as option=value
	Device   string   // a name of package devices

	Chains  int
	Draws   int // kept draws of each chain; 0: 1,000, and more while they are not good enough (see Until)
	Warmup  int // iterations of warm-up of each chain
	Seed    uint64
	Threads int // 0: all cores; results do not depend on it

	Init string   // chains begin at the values in this file, or at the last draws of this run
	Keep []string // names and patterns of what is kept of a draw; all if there are none

	// Until has criteria such as ess=400 (package goal): the run ends when its draws satisfy them. Draws is a limit
	// then.
	Until        []string
	MaxTime      time.Duration // 0: no limit
	MaxGradients float64       // 0: no limit

	// Dir is the directory that keeps the run. If it is empty, a Model that is a run directory is resumed there; else
	// the run is in memory, and nothing is written.
	Dir      string
	Existing rundir.Existing // what to do with a run that is in Dir

	CopyInputs bool // copy the data files into Dir, so that the run can be moved and needs them no more

	// Given names the options that replace those of a run that is resumed, as the flags of the command are named: data,
	// sampler, set, device, chains, warmup, seed, keep, until. All others are as they were; Draws, if it is not 0,
	// always replaces the number of draws.
	Given []string

	Disk files.System // where the run is written; nil: the disk of the machine
	Lost func()       // called when another process takes Dir over; nil: the run fails then
	Job  *Job         // processes that sample together; nil for this one alone

	// Join gives the Job of processes that are still to come, once the model has been loaded, so that nobody waits for
	// them with a model that is wrong; nil if there are none.
	Join func(context.Context) (*Job, error)
}

// NewRequest returns the request to sample a model with the options that nobody has to think about, and a new seed.
func NewRequest(model string) Request {
	o := infer.Defaults()
	return Request{Source: Source{Model: model}, Device: devices.Auto, Chains: o.Chains, Warmup: o.Warmup,
		Seed: uint64(rand.Uint32())}
}

// Resume returns the request to continue with the run in a directory, with the options that it had. Other values take
// their place where Given names them.
func Resume(dir string) Request {
	r := NewRequest(dir)
	r.Existing = rundir.GoOn
	return r
}

// DefaultDir returns the directory in which the command keeps the run of a model.
func DefaultDir(model string) string {
	return strings.TrimSuffix(filepath.Base(model), ".ppl") + ".run"
}

// BeTask makes the request that of a task of many, which have the numbers 0, 1, …: its seed is made of Seed and the
// number, and its directory has the number in its name.
func (r *Request) BeTask(task int) error {
	switch {
	case task < 0:
		return fault.Usagef("--task %d: tasks have numbers from 0", task)
	case r.ByDirectory():
		return fault.Usagef("--task %d: %s is the run of one task; give the model, and --resume goes on with the run "+
			"of the task", task, r.Model)
	}
	r.Seed = taskSeed(r.Seed, task)
	dir := r.Dir
	if dir == "" {
		dir = DefaultDir(r.Model)
	}
	name, isRun := strings.CutSuffix(dir, ".run")
	r.Dir = fmt.Sprintf("%s.%d", name, task)
	if isRun {
		r.Dir += ".run"
	}
	return nil
}

// taskSeed returns the seed of a task. It has 48 bits, so that not even a million tasks are likely to share one.
func taskSeed(seed uint64, task int) uint64 {
	return rand.New(rand.NewPCG(seed, uint64(task))).Uint64() >> 16
}

// ByDirectory reports whether the model is named by its run, which is resumed.
func (r *Request) ByDirectory() bool {
	return r.Existing == rundir.GoOn && (rundir.IsRun(r.Model) || rundir.Adopting(r.Model))
}

// check returns an error for what can be refused before the model is read.
func (r *Request) check() error {
	switch {
	case r.ByDirectory() && r.Dir != "" && r.Dir != r.Model:
		return fault.Usagef("--out names another directory than the run %s, which is to go on", r.Model)
	case r.Chains < 1:
		return fault.Usagef("--chains %d: at least one chain is needed", r.Chains)
	case r.Draws < 0:
		return fault.Usagef("--draws %d: at least one draw is needed", r.Draws)
	case r.Warmup < 0:
		return fault.Usagef("--warmup %d cannot be negative", r.Warmup)
	case r.Threads < 0:
		return fault.Usagef("--threads %d cannot be negative; 0 means all cores", r.Threads)
	case r.MaxTime < 0 || r.MaxGradients < 0:
		return fault.Usagef("--max-time and --max-gradients must be greater than 0")
	}
	return devices.Check(r.Device)
}

// asked has the options of a sampler as they were given.
func (r *Request) asked(autoExtend bool) rundir.Asked {
	return rundir.Asked{Sampler: r.Sampler, Device: r.Device, Settings: r.Settings, Until: r.Until,
		AutoExtend: autoExtend}
}

// fillFrom takes what the request leaves open from the run that is to continue: of a run named by its directory model
// and data, too.
func (r *Request) fillFrom(from *rundir.Options, byDirectory bool) {
	for name, take := range map[string]func(){
		"seed":    func() { r.Seed = from.Seed },
		"chains":  func() { r.Chains = from.Chains },
		"warmup":  func() { r.Warmup = from.Warmup },
		"sampler": func() { r.Sampler = from.Asked.Sampler },
		"set":     func() { r.Settings = from.Asked.Settings },
		"device":  func() { r.Device = from.AskedDevice() },
		"data":    func() { r.Data = nil },
		"until":   func() { r.Until = from.Asked.Until },
		"keep":    func() { r.Keep = from.Keep },
	} {
		if !slices.Contains(r.Given, name) {
			take()
		}
	}
	if byDirectory {
		r.Model = from.Located(from.Model)
	}
	if byDirectory && !slices.Contains(r.Given, "data") {
		for _, d := range from.Data {
			flag := rundir.ParseData(d)
			if _, err := strconv.ParseFloat(flag.Path, 64); flag.Name == "" || err != nil {
				flag.Path = from.Located(flag.Path)
			}
			r.Data = append(r.Data, flag.String())
		}
	}
}
