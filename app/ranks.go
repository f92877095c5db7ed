package app

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"time"

	"ppl/app/devices"
	"ppl/app/fault"
	"ppl/app/notes"
	"ppl/app/rundir"
	"ppl/app/samplers"
	"ppl/app/version"
	"ppl/compiler"
	"ppl/infer"
	"ppl/infer/distributed"
	"ppl/runtime/parallel/ranks"
)

// An order gives all ranks one task. One of the first two fields is set; if none is, all ranks end with Code.
type order struct {
	Model  *modelOrder
	Sample *sampleOrder
	Code   int // exit code
}

// A modelOrder asks a rank to load a model with its data. Rank 0 compares the result with its own.
type modelOrder struct {
	Source   Source
	Inputs   []input // files of the source; empty if the rank reads them itself
	Device   string
	SharedAs string // see compiler.RowCache
	Memory   int64  // memory limit of rank 0, so that all ranks read the same data by rows
}

// cache returns the settings for reading the data.
func (o *modelOrder) cache() compiler.RowCache {
	cache := o.Source.Network.Cache()
	cache.SharedAs, cache.Memory = o.SharedAs, o.Memory
	return cache
}

// A sampleOrder asks a rank to take part in sampling.
type sampleOrder struct {
	Sampler string
	EachRow bool
	Options infer.Options
}

// A loadedModel is a rank's answer to a modelOrder.
type loadedModel struct {
	Error   string
	Version string
	Digests rundir.Digests
	Place   ranks.Place
}

// give sends an order to the other ranks.
func (j *Job) give(o order) error {
	text, err := json.Marshal(o)
	if err != nil {
		panic(fmt.Sprintf("internal error: an order: %v", err))
	}
	_, err = ranks.BroadcastText(j, text)
	return err
}

// End orders the other ranks to end with an exit code, if they can be reached.
func (j *Job) End(code int) { _ = j.give(order{Code: code}) }

// A follower is a rank other than rank 0, with the model that it has loaded.
type follower struct {
	job     *Job
	dir     string // directory of files that rank 0 sent; empty if there are none
	program *compiler.Program
	device  infer.Device
}

// Follow carries out the orders of rank 0 on another rank until rank 0 ends the job. It returns the exit code that rank
// 0 sends. If the context is cancelled during sampling, all ranks stop sampling. An error means that rank 0 cannot be
// reached.
func (j *Job) Follow(ctx context.Context) (code int, err error) {
	f := &follower{job: j}
	defer func() {
		if f.dir != "" {
			_ = os.RemoveAll(f.dir)
		}
	}()
	for {
		var o order
		text, err := ranks.BroadcastText(j, nil)
		if err != nil {
			return 0, err
		}
		if err := json.Unmarshal(text, &o); err != nil {
			panic(fmt.Sprintf("internal error: an order: %v", err))
		}
		switch {
		case o.Model != nil:
			err = f.load(ctx, *o.Model)
		case o.Sample != nil:
			f.sample(ctx, *o.Sample)
		default:
			return o.Code, nil
		}
		if err != nil {
			return 0, err
		}
	}
}

// rowCache returns the user's row cache. If there are several ranks, those on one machine share data through it.
func rowCache(n Network, several bool) compiler.RowCache {
	cache := n.Cache()
	if several {
		cache.SharedAs = "shared-" + rand.Text()
	}
	return cache
}

// load loads a model. One rank per host reads the data and shares them with the other ranks of the host.
func (f *follower) load(ctx context.Context, o modelOrder) error {
	var answer string
	cache := o.cache()
	defer cache.Sharing().Remove()
	if err := ranks.ByHost(f.job, func() { answer = f.loadFrom(ctx, cache, o) }); err != nil {
		return err
	}
	_, err := ranks.GatherTexts(f.job, answer)
	return err
}

// loadFrom loads a model and returns the answer for rank 0 as text. Errors are part of the answer.
func (f *follower) loadFrom(ctx context.Context, cache compiler.RowCache, o modelOrder) string {
	answer := loadedModel{Version: version.Number(), Place: thisPlace()}
	err := f.unpack(&o)
	if err == nil {
		f.program, err = loadSharing(ctx, cache, o.Source, notes.None{}, nil)
	}
	if err == nil {
		answer.Digests, err = rundir.DigestsOf(f.program)
	}
	if err == nil {
		f.device, err = devices.Open(ctx, o.Device, func(string) {})
	}
	if err != nil {
		answer.Error = err.Error()
		if f.job.Apart && len(o.Inputs) == 0 {
			answer.Error += fmt.Sprintf("\nthe files of this model have more than %d MB, and were not sent; copy them "+
				"to the same paths as on rank 0", mostSent>>20)
		}
	}
	text, err := json.Marshal(answer)
	if err != nil {
		panic(fmt.Sprintf("internal error: an answer: %v", err))
	}
	return string(text)
}

// unpack writes the files that rank 0 sent to a temporary directory, and changes the source's paths accordingly.
func (f *follower) unpack(o *modelOrder) (err error) {
	if len(o.Inputs) == 0 {
		return nil
	}
	if f.dir == "" {
		if f.dir, err = os.MkdirTemp("", "ppl-worker-"); err != nil {
			return err
		}
	}
	o.Source, err = writeInputs(f.dir, o.Source, o.Inputs)
	return err
}

// sample takes part in sampling. Rank 0 reports results and errors.
func (f *follower) sample(ctx context.Context, o sampleOrder) {
	row, _ := samplers.Find(o.Sampler)
	o.Options.Device, o.Options.Threads = f.device, f.job.threads(o.Options.Threads)
	t := target{compiler.Recorded{Program: f.program, EachRow: o.EachRow}}
	_, _ = distributed.Sampler(f.job, row.Sample)(ctx, t, o.Options, nil)
}

// threads returns the number of threads of a rank: the requested number, or the rank's share of the machine's cores.
func (j *Job) threads(asked int) int {
	if asked > 0 {
		return asked
	}
	return max(1, runtime.GOMAXPROCS(0)/max(1, j.LocalRanks))
}

// loadOnRanks makes the other ranks load the model. It returns an error if a rank has a different model. Ranks on this
// machine find the data under the name sharedAs.
func (run *attempt) loadOnRanks(ctx context.Context, sharedAs string) (err error) {
	if run.Join != nil {
		if run.Job, err = run.Join(ctx); err != nil {
			return err
		}
	}
	if run.Job == nil {
		return nil
	}
	texts, err := run.askToLoad(sharedAs)
	if err != nil {
		return fault.Of(err)
	}
	var places []ranks.Place
	for r, text := range texts {
		var other loadedModel
		if err := json.Unmarshal([]byte(text), &other); err != nil {
			return fault.Of(err)
		}
		if said := other.unlike(version.Number(), run.digests); said != "" {
			return fault.Of(fmt.Errorf("rank %d of %d: %s", r, run.Job.Size(), said))
		}
		places = append(places, other.Place)
	}
	if crowded := ranks.CrowdedHosts(places); crowded != "" {
		run.notes.Note(crowded + ": ranks wait for each other, so that more ranks than cores make a run slower")
	}
	return nil
}

// askToLoad orders the other ranks to load the model, and returns the answers of all ranks. Rank 0 has already loaded
// it.
func (run *attempt) askToLoad(sharedAs string) ([]string, error) {
	o := modelOrder{Source: run.Source, Device: cmp.Or(run.asked.Device, devices.Auto), SharedAs: sharedAs,
		Memory: run.Source.Network.Cache().Memory}
	if run.Job.Apart {
		var err error
		if o.Source, o.Inputs, err = inputsOf(run.Source); err != nil {
			return nil, err
		}
	}
	if err := run.Job.give(order{Model: &o}); err != nil {
		return nil, err
	}
	if err := ranks.ByHost(run.Job, func() {}); err != nil {
		return nil, err
	}
	mine, err := json.Marshal(loadedModel{Version: version.Number(), Digests: run.digests, Place: thisPlace()})
	if err != nil {
		return nil, err
	}
	return ranks.GatherTexts(run.Job, string(mine))
}

// thisPlace returns the host and the number of cores of this rank.
func thisPlace() ranks.Place {
	host, _ := os.Hostname() // ranks without a host name count as being on one host
	return ranks.Place{Host: host, Cores: ranks.Cores()}
}

// unlike describes how a rank differs from rank 0, or returns "" if the two agree.
func (m loadedModel) unlike(number string, of rundir.Digests) string {
	switch {
	case m.Error != "":
		return m.Error
	case m.Version != number:
		return fmt.Sprintf("its ppl is version %s, and that of rank 0 is %s", m.Version, number)
	case m.Digests.Data != of.Data:
		return "its data are not those of rank 0"
	case m.Digests.Program != of.Program:
		return "its model is not that of rank 0"
	}
	return ""
}

// samplerOnRanks returns the run's sampler. If there are several ranks, it orders the others to start sampling, and
// returns a sampler that cooperates with them.
func (run *attempt) samplerOnRanks(o *infer.Options) infer.Sampler {
	if run.Job == nil {
		return run.sampler.Sample
	}
	sent := *o
	sent.Device, sent.Checkpoints = nil, nil
	_ = run.Job.give(order{Sample: &sampleOrder{run.sampler.Name, run.recorder.rows, sent}}) // errors recur in sampling
	o.Threads = run.Job.threads(o.Threads)
	return distributed.Sampler(run.Job, run.sampler.Sample)
}

// Describe describes the connection between the ranks and its speed.
func (j *Job) Describe() string {
	path, version := j.Library()
	return fmt.Sprintf("%d ranks by %s (%s); an exchange of a few bytes takes %v", j.Size(), version, path,
		j.ExchangeTime().Round(100*time.Nanosecond))
}
