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
	"ppl/runtime/parallel/ranks"
	"ppl/runtime/sys/files"
)

// A Request describes what to sample and how. NewRequest sets defaults.
type Request struct {
	Source

	Sampler  string   // name of the sampler; if empty, the one of the model's infer statement, else the default
	Settings []string // settings of the sampler, as option=value
	Device   string   // name of a device, see package devices

	Chains int
	// Draws is the number of draws kept of each chain. 0 means 1,000, and more until they are good enough (see Until).
	Draws   int
	Warmup  int // number of warm-up iterations of each chain
	Seed    uint64
	Threads int // 0 for all cores; results do not depend on it

	Init string   // file with starting values, or a run whose last draws are the starting points
	Keep []string // names and patterns of the variables to store; empty for all

	// Until contains criteria such as ess=400 (see package stopping). The run ends when its draws satisfy them; Draws
	// is then an upper limit.
	Until        []string
	MaxTime      time.Duration // 0 for no limit
	MaxGradients float64       // 0 for no limit

	// Dir is the run directory. If it is empty and Model is a run directory, that run is resumed; otherwise the run is
	// in memory, and nothing is written.
	Dir      string
	Existing rundir.Existing // what to do if Dir contains a run

	CopyInputs bool // copy the data files to Dir, so that the run can be moved and does not need the originals

	// Given names the options that replace those of a resumed run, as flags of the command: data, sampler, set, device,
	// chains, warmup, seed, keep, until. Other options keep their values. Draws, if not 0, always replaces the number
	// of draws.
	Given []string

	Disk files.System // file system of the run; nil for the machine's disk
	Lost func()       // called if another process takes Dir over; if nil, the run fails
	Job  *Job         // processes that share the run; nil if only this process samples

	// Join returns the Job of processes that connect later. It is called after the model has been loaded, so that
	// nobody waits for them with a wrong model. It may be nil.
	Join func(context.Context) (*Job, error)
}

// NewRequest returns the request to sample a model with default options and a new seed.
func NewRequest(model string) Request {
	o := infer.Defaults()
	return Request{Source: Source{Model: model}, Device: devices.Auto, Chains: o.Chains, Warmup: o.Warmup,
		Seed: uint64(rand.Uint32())}
}

// Resume returns the request to resume the run in a directory with its options. Options named in Given can be replaced.
func Resume(dir string) Request {
	r := NewRequest(dir)
	r.Existing = rundir.GoOn
	return r
}

// DefaultDir returns the directory in which the command stores the run of a model.
func DefaultDir(model string) string {
	return strings.TrimSuffix(filepath.Base(model), ".ppl") + ".run"
}

// BeTask makes the request one of many tasks, numbered from 0. It derives a new seed from Seed and the task number, and
// adds the number to the name of the directory.
func (r *Request) BeTask(task int) error {
	switch {
	case task < 0:
		return fault.Usagef("--task %d: task numbers start at 0", task)
	case r.ByDirectory():
		return fault.Usagef("--task %d: %s is the run of one task; give the model and --resume to continue the run "+
			"of this task", task, r.Model)
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

// taskSeed returns the seed of a task. It has 48 bits, so that even among a million tasks two are unlikely to share a
// seed.
func taskSeed(seed uint64, task int) uint64 {
	return rand.New(rand.NewPCG(seed, uint64(task))).Uint64() >> 16
}

// ByDirectory reports whether the request names a run directory, to be resumed, instead of a model.
func (r *Request) ByDirectory() bool {
	return r.Existing == rundir.GoOn && (rundir.IsRun(r.Model) || rundir.Adopting(r.Model))
}

// check returns an error for options that are wrong for every model.
func (r *Request) check() error {
	switch {
	case r.ByDirectory() && r.Dir != "" && r.Dir != r.Model:
		return fault.Usagef("--out differs from the run %s that is to be continued; omit --out", r.Model)
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

// asked returns the options of the sampler as given.
func (r *Request) asked(autoExtend bool) rundir.Asked {
	return rundir.Asked{Sampler: r.Sampler, Device: r.Device, Settings: r.Settings, Until: r.Until,
		AutoExtend: autoExtend}
}

// fillFrom copies options that the request does not give from the run to resume. If the run is named by its directory,
// this includes model and data.
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

// A Job is a group of processes, called ranks, that includes this one. Rank 0 carries out requests and sends orders.
// The other ranks follow them (Follow) and write nothing.
type Job struct {
	ranks.Comm
	Library    func() (path, version string) // path and version of the library that connects the ranks
	Abort      func(code int)                // ends all ranks immediately
	Close      func()                        // ends the connection; nil if nothing needs to be done
	LocalRanks int                           // number of ranks on this machine, as far as known
	Apart      bool                          // whether ranks share no files, so that rank 0 sends them
}
