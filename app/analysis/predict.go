package analysis

import (
	"context"
	"math/rand/v2"
	"slices"

	"ppl/app"
	"ppl/app/fault"
	"ppl/app/notes"
	"ppl/app/rundir"
	"ppl/app/version"
	"ppl/compiler"
	"ppl/infer"
	"ppl/lang/types"
	"ppl/posterior/store"
	"ppl/runtime/parallel/inorder"
	"ppl/runtime/sys/files"
)

// replicateStream returns the random stream of a replicate. Its first bits differ from those of the streams that a run
// itself uses after inference.
func replicateStream(seed uint64, chain, draw int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, 1<<63|uint64(chain)<<40|uint64(draw)))
}

// A Prior describes a run that samples the prior of a model.
type Prior struct {
	app.Source
	Draws    int
	Seed     uint64
	Dir      string // new run directory, for the groups prior and prior_predictive
	Existing rundir.Existing
	Disk     files.System // file system of Dir; nil for the machine's disk
	Lost     func()       // called if another process takes Dir over; may be nil
}

// DrawPrior draws parameters from the prior, and data given them. stopped reports whether the context ended it.
func DrawPrior(ctx context.Context, p Prior, n notes.Notes) (stopped bool, err error) {
	model, err := app.LoadInMemory(p.Source, n)
	if err != nil {
		return false, err
	}
	program, err := app.LoadPredictive(p.Source, compiler.FromPrior, n)
	if err != nil {
		return false, err
	}
	if p.Disk == nil {
		p.Disk = files.Disk{}
	}
	dir, err := rundir.Take(ctx, p.Disk, p.Dir, p.Existing, n, p.Lost)
	if err != nil {
		return false, err
	}
	defer dir.Close(true)
	if err := dir.Clear(); err != nil {
		return false, fault.Of(err)
	}
	w, err := store.Create(p.Disk, p.Dir, priorLayout(model, program), store.Options{
		Overwrite: true,
		Model:     p.Model,
		Source:    []byte(model.Model().Source.Text),
		Resolved: rundir.Options{Model: p.Model, Data: p.Data, Sampler: "prior", Chains: 1, Draws: p.Draws,
			Seed: p.Seed, Made: rundir.MakerOn("")},
		Sampler: "prior",
		Seed:    p.Seed,
		Draws:   p.Draws,
		Version: version.Number(),
	})
	if err != nil {
		return false, fault.Of(err)
	}
	status := store.Finished
	for k := range p.Draws {
		if ctx.Err() != nil {
			status = store.Interrupted
			break
		}
		values := make([]float64, app.TotalSize(program.Saved()))
		program.Complete(replicateStream(p.Seed, 0, k), values)
		if err := w.Append(0, values, nil); err != nil {
			return false, fault.Of(err)
		}
	}
	return status == store.Interrupted, fault.Of(w.Close(status, nil))
}

func priorLayout(model, program *compiler.Program) store.Layout {
	saved, first := program.Saved(), program.Replicas()
	return store.Layout{Chains: 1, Prior: saved[:first], PriorPredictive: saved[first:],
		Observed: app.AsObserved(model.Observed()), Constant: app.AsObserved(model.Constants())}
}

// Replicate draws replicates of the data, one for each draw of the posterior, into the run's group
// posterior_predictive. If seed is nil, it uses the run's seed.
func Replicate(ctx context.Context, run *store.Run, seed *uint64, n notes.Notes) error {
	o, err := drawsOf(run, n)
	if err != nil {
		return err
	}
	program, leftOut, err := o.replicating()
	if err != nil {
		return err
	}
	if seed == nil {
		seed = &o.Stored.Info.Seed
	}
	added := store.Replicates{Variables: program.Saved()[program.Replicas():], GivenUnknowns: program.GivenUnknowns()}
	draws, err := replicatesOf(o.Stored, program, *seed)
	if err != nil {
		return fault.Of(err)
	}
	var drawsLeftOut replicaDraws
	if leftOut != nil {
		added.LeftOut = leftOut.Saved()[leftOut.Replicas():]
		if drawsLeftOut, err = replicatesOf(o.Stored, leftOut, *seed); err != nil {
			return fault.Of(err)
		}
	}
	w, err := store.Extend(run.System(), run.Dir, added)
	if err != nil {
		return fault.Of(err)
	}
	predict := func() drawing {
		draws := draws.separate()
		if leftOut == nil {
			return draws.at
		}
		drawsLeftOut := drawsLeftOut.separate()
		return func(chain, draw int) ([]float64, error) {
			values, err := draws.at(chain, draw)
			if err != nil {
				return nil, err
			}
			more, err := drawsLeftOut.at(chain, draw)
			return append(values[:len(values):len(values)], more...), err
		}
	}
	size := app.TotalSize(program.Saved())
	if err := o.predictAtDraws(ctx, 1, size, predict, func(chain int, values []float64) error {
		return fault.Of(w.Append(chain, values, nil))
	}); err != nil {
		return err
	}
	return fault.Of(w.Close(store.Finished, nil))
}

// A drawing computes predictions at a draw of a run. They are valid until the next call.
type drawing func(chain, draw int) ([]float64, error)

// valueCost is the number of bytes for each value of a drawing, with what it is computed from.
const valueCost = 100

// predictAtDraws predicts at every thin-th draw of a run, passes the results to take in order, and reports progress.
// Several drawings, which predict returns, compute at the same time; each has the given number of values.
func (o *Run) predictAtDraws(ctx context.Context, thin, size int, predict func() drawing,
	take func(chain int, values []float64) error) error {
	defer o.notes.ProgressEnd()
	perChain := (o.Stored.Info.Draws + thin - 1) / thin
	total := o.Stored.Layout.Chains * perChain
	together := inorder.Workers(total, valueCost*size)
	drawings, values := make([]drawing, together), make([][]float64, together)
	for i := range drawings {
		drawings[i] = predict()
	}
	return inorder.Run(together, total, func(worker, k int) (err error) {
		if ctx.Err() != nil {
			return fault.Interrupted()
		}
		values[worker], err = drawings[worker](k/perChain, k%perChain*thin)
		return err
	}, func(worker, k int) error {
		if err := take(k/perChain, values[worker]); err != nil {
			return err
		}
		o.notes.Progress(infer.Progress{Phase: infer.Predicting, Done: k + 1, Total: total})
		return nil
	})
}

// replicating loads the model of a run as programs that draw replicates. If replicates depend on discrete unknowns,
// which depend on the data, leftOut draws replicates given only the parameters, with which LOO-PIT compares each row.
// leftOut is nil if it is not needed or impossible.
func (o *Run) replicating() (program, leftOut *compiler.Program, err error) {
	if _, err = o.sampledProgram(); err != nil {
		return nil, nil, err
	}
	if program, err = o.predictiveProgram(compiler.FromPosterior, nil); err != nil {
		return nil, nil, err
	}
	byRow := func(name string) bool {
		return slices.ContainsFunc(o.Stored.Layout.LogLikelihood, func(v types.Variable) bool {
			return v.Name == name && v.Size() > 1
		})
	}
	if slices.ContainsFunc(program.GivenUnknowns(), byRow) {
		leftOut, _, err = o.predictive(compiler.FromParameters, nil)
	}
	return program, leftOut, err
}

// replicaDraws draws replicates at the draws of a run.
type replicaDraws struct {
	program    *compiler.Program
	parameters parameterDraws
	run, seed  uint64
	values     []float64
}

func replicatesOf(run *store.Run, program *compiler.Program, seed uint64) (d replicaDraws, err error) {
	d = replicaDraws{program: program, run: run.Info.Seed, seed: seed,
		values: make([]float64, app.TotalSize(program.Saved()))}
	d.parameters, err = readDraws(run, program.Saved()[:program.Replicas()])
	return d, err
}

// separate returns the same draws for another goroutine.
func (d replicaDraws) separate() *replicaDraws {
	d.program, d.values = d.program.Separate(), make([]float64, len(d.values))
	return &d
}

// at returns replicates at a draw, valid until the next call. Discrete unknowns have the values that the run's
// `generate` statements used for this draw.
func (d *replicaDraws) at(chain, draw int) ([]float64, error) {
	d.parameters.enter(d.values, chain, draw)
	d.program.CompleteBy(app.GeneratedStream(d.run, chain, draw), replicateStream(d.seed, chain, draw), d.values)
	return d.values[app.TotalSize(d.program.Saved()[:d.program.Replicas()]):], nil
}

// parameterDraws holds draws of parameters: by variable and chain, with the draws of a chain concatenated.
type parameterDraws struct {
	variables []types.Variable
	values    [][][]float64
}

// readDraws reads the draws of some variables of a run.
func readDraws(run *store.Run, vs []types.Variable) (p parameterDraws, err error) {
	p.variables = vs
	for _, v := range p.variables {
		if err := run.NotKept(v.Name); err != nil {
			return p, err
		}
		i := slices.IndexFunc(run.Layout.Posterior, func(w types.Variable) bool { return w.Name == v.Name })
		if i < 0 || !slices.Equal(run.Layout.Posterior[i].Shape, v.Shape) {
			return p, fault.Wrongf("the draws of %s in %s do not fit the model with its data; if the data have "+
				"changed, restore them, or sample again", v.Name, run.Dir)
		}
		xs, err := run.Draws(v.Name)
		if err != nil {
			return p, err
		}
		p.values = append(p.values, xs)
	}
	return p, nil
}

// enter copies one draw of the parameters to the front of values.
func (p parameterDraws) enter(values []float64, chain, draw int) {
	at := 0
	for i, v := range p.variables {
		n := v.Size()
		copy(values[at:at+n], p.values[i][chain][draw*n:])
		at += n
	}
}
