package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"ppl/compiler"
	"ppl/infer"
	"ppl/infer/renhd"
	"ppl/infer/settings"
	"ppl/posterior/stopping"
	"ppl/posterior/store"
)

// A sampling is what the flags of ppl sample say.
type sampling struct {
	model    string
	data     []string
	sampler  string
	seed     uint64
	device   string
	out      string
	init     string   // values, or a run, to begin at
	keep     []string // names and patterns of what is kept of a draw; all if there are none
	settings []string
	drawn    bool // how many draws has been said
	until    []string
	goal     stopping.Goal
	goesOn   bool     // by itself, while its draws are not good enough
	again    *attempt // nil: the first
	network  bool     // of the model, by which it is sampled
	asJSON   bool
	quiet    bool
	resume   bool
	task     int // of many, each with a seed and a directory of its own
	replace  bool

	copyInputs bool         // the data files, into the run
	asked      askedOptions // as the command line has them
	options    infer.Options

	maxTime      time.Duration
	maxGradients float64
}

func sampleCommand(c *console) *cobra.Command {
	s := &sampling{options: infer.Defaults()}
	cmd := &cobra.Command{
		Use:   "sample MODEL [--data F|NAME=F]… [flags]",
		Short: "Draw from the posterior, keep the draws and print a summary",
		Long: "Draw from the posterior of a model. The draws go to a run directory as they come, so that an " +
			"interrupted run keeps them:\n" +
			"Ctrl-C stops cleanly and prints the summary of the draws so far, a second Ctrl-C kills. The directory " +
			"is a Zarr store that ArviZ reads.\n\n" +
			"With --resume a run that was killed, interrupted or failed goes on where its last checkpoint " +
			"is, with the " +
			"draws it would have had;\none that has not begun begins, one that is finished prints its summary, and " +
			"--draws adds draws to it. MODEL may be a run directory then.\n\n" +
			"With --until a run ends when its draws are good enough: ess is the least effective size (bulk and tail) " +
			"and rhat the greatest R-hat\nof all saved quantities; both have to hold. time and gradients are limits. " +
			"--draws is the most, 10,000 if it is not given.\n\n" +
			"With neither --draws nor --until a run has 1,000 draws of each chain, and goes on by itself, to 10,000, " +
			"while R-hat is above 1.01\nor effective sizes are too small, and more draws promise to mend that. Where " +
			"they do not, it is sampled once more, with a longer warm-up\nand, where chains are apart, a ladder of " +
			"temperatures, for which renhd takes the place of nuts; the better draws are kept.\n" +
			"--max-time and --max-gradients are limits of any run.\n\n" +
			"With --task K, in a job script that a scheduler starts many times, each task has a seed of its own, " +
			"made of --seed and K,\nand a directory of its own; ppl summary prints a table of all. examples/jobs has " +
			"scripts for Slurm, Kubernetes and GNU parallel.\n\n" +
			"With --init chains begin at values of parameters, such as {\"mu\": 2, \"theta\": [1, 0]}, or at " +
			"the last draws of a run of this\nor a similar model. Parameters that are not there are drawn from " +
			"their distributions.",
		Args: one("MODEL"),

		DisableFlagsInUseLine: true,
	}
	s.addFlags(cmd)
	cmd.Flags().BoolVar(&s.resume, "resume", false, "go on with a run that was ended, or begin it")
	cmd.Flags().IntVar(&s.task, "task", 0, "be task `K` of many, each with its own seed and directory: MODEL.K.run")
	cmd.Flags().BoolVar(&s.replace, "overwrite", false, "replace a run that stands in the directory")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s.model, s.drawn = args[0], cmd.Flags().Changed("draws")
		byDirectory := s.resume && (isRun(s.model) || adopting(s.model))
		if byDirectory && s.out != "" {
			return usagef("--out names another directory than the run %s, which is to go on", s.model)
		}
		if byDirectory {
			s.out = s.model
		}
		if !cmd.Flags().Changed("seed") {
			s.seed = uint64(rand.Uint32())
		}
		if cmd.Flags().Changed("task") {
			if err := s.beTask(byDirectory); err != nil {
				return err
			}
		}
		if err := s.resolve(); err != nil {
			return err
		}
		var taken atomic.Pointer[runDir]
		ctx, release := stoppableWith(cmd.Context(), func() { c.abandon(taken.Load()) })
		defer release()
		dir, err := c.takeDir(ctx, s.out, s.existing())
		if err != nil {
			return err
		}
		taken.Store(dir)
		if dir.before != nil && dir.before.Asked.Search != nil {
			dir.close(false)
			return usagef("%s holds what ppl optimize found; ppl optimize --resume %[1]s goes on with it", s.out)
		}
		if dir.before != nil {
			s.takeOver(dir.before, cmd.Flags(), byDirectory)
		}
		drawsGiven := cmd.Flags().Changed("draws") || dir.before != nil && !dir.before.Asked.GoesOn
		if err := s.readGoal(drawsGiven); err != nil {
			dir.close(false)
			return err
		}
		return c.sample(ctx, s, dir)
	}
	return cmd
}

func (s *sampling) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&s.data, "data", nil, dataUsage)
	f.StringVar(&s.sampler, "sampler", "", "sampler `S` (default: the model's infer statement, else renhd)")
	f.IntVar(&s.options.Chains, "chains", s.options.Chains, "`C` independent chains")
	f.IntVar(&s.options.Draws, "draws", s.options.Draws, "keep `D` draws per chain")
	f.IntVar(&s.options.Warmup, "warmup", s.options.Warmup, "`W` iterations of warm-up per chain")
	f.Uint64Var(&s.seed, "seed", 0, "seed `S` of all randomness (default: a new one, shown with the results)")
	f.IntVar(&s.options.Threads, "threads", 0, "use `T` threads; 0 means all cores; results do not depend on it")
	addDeviceFlag(f, &s.device)
	f.StringVar(&s.out, "out", "", "keep the run in `DIR` (default: the model's name with .run, here)")
	f.StringVar(&s.init, "init", "", "begin at the parameter values in a JSON `FILE`, or at the last draws of a RUN")
	f.StringArrayVar(&s.settings, "set", nil, "set a sampler's `option=value`; may be repeated: "+
		strings.Join(settings.Names(), ", "))
	f.StringSliceVar(&s.keep, "keep", nil, "keep the draws of these `NAME`s alone, such as mu,'f.dense2.*'; "+
		"predictions need all parameters (default: all)")
	f.StringArrayVar(&s.until, "until", nil, "stop when the draws are good enough or a limit is reached: `ess=400`, "+
		"rhat=1.01, time=2h or gradients=1e9, also several")
	f.DurationVar(&s.maxTime, "max-time", 0, "end after that `time`, such as 10m, with the draws that are there")
	f.Float64Var(&s.maxGradients, "max-gradients", 0, "add no more draws after `N` gradients, such as 1e8")
	f.BoolVar(&s.copyInputs, "copy-inputs", false, "copy the data files into the run, so that it can be moved and "+
		"needs them no more")
	f.BoolVar(&s.asJSON, "json", false, "print the summary as one JSON object")
	f.BoolVar(&s.quiet, "quiet", false, "no progress and no notes")
}

// ownRun is the directory of a run of a model, if none is named.
func ownRun(model string) string { return strings.TrimSuffix(filepath.Base(model), ".ppl") + ".run" }

// beTask gives the run the seed and the directory of its task.
func (s *sampling) beTask(byDirectory bool) error {
	switch {
	case s.task < 0:
		return usagef("--task %d: tasks have numbers from 0", s.task)
	case byDirectory:
		return usagef("--task %d: %s is the run of one task; give the model, and --resume goes on with the run of "+
			"the task", s.task, s.model)
	}
	s.seed = taskSeed(s.seed, s.task)
	name, isRun := strings.CutSuffix(firstOf(s.out, ownRun(s.model)), ".run")
	s.out = fmt.Sprintf("%s.%d", name, s.task)
	if isRun {
		s.out += ".run"
	}
	return nil
}

// taskSeed is the seed of a task. It has 48 bits, so that not even a million tasks are likely to share one.
func taskSeed(seed uint64, task int) uint64 {
	return rand.New(rand.NewPCG(seed, uint64(task))).Uint64() >> 16
}

// existing is what to do with a run that stands in the directory.
func (s *sampling) existing() existing {
	switch {
	case s.resume:
		return goOn
	case s.replace:
		return overwrite
	}
	return refuse
}

// resolve checks what can be checked before the model is read, and fills in what was left out.
func (s *sampling) resolve() error {
	o := &s.options
	switch {
	case s.resume && s.replace:
		return usagef("--resume and --overwrite contradict each other; give one of them")
	case o.Chains < 1:
		return usagef("--chains %d: at least one chain is needed", o.Chains)
	case o.Draws < 1:
		return usagef("--draws %d: at least one draw is needed", o.Draws)
	case o.Warmup < 0:
		return usagef("--warmup %d cannot be negative", o.Warmup)
	case o.Threads < 0:
		return usagef("--threads %d cannot be negative; 0 means all cores", o.Threads)
	}
	if s.out == "" {
		s.out = ownRun(s.model)
	}
	o.Seed = s.seed
	return checkDevice(s.device)
}

// note writes a line unless the run is to be quiet.
func (s *sampling) note(c *console) func(string) {
	return func(line string) {
		if !s.quiet {
			c.notef("note: %s", line)
		}
	}
}

// manyBytes is the size from which the user is warned of a large run directory before sampling.
const manyBytes = 10e9

// storedBytes is what the draws take before they are compressed.
func storedBytes(p *compiler.Program, s *sampling) float64 {
	bytes := 0
	for _, v := range newSelection(p, s.keep).variables(p, s.network) {
		if bytes += 8 * v.Size(); v.Single {
			bytes -= 4 * v.Size()
		}
	}
	return float64(bytes) * float64(s.options.Chains) * float64(s.options.Draws)
}

// sample compiles, runs and summarises. The directory is given back in the end.
func (c *console) sample(ctx context.Context, s *sampling, dir *runDir) (err error) {
	useful := false
	defer func() { dir.close(useful) }()
	run, err := c.prepare(ctx, s, dir)
	if err != nil {
		return err
	}
	complete, err := dir.complete(s)
	if err != nil {
		return err
	}
	if complete {
		useful = true
		return c.summarise(s.out, s.asJSON)
	}
	if err := run.announce(); err != nil {
		return err
	}
	show, clear := c.progress(s.quiet)
	stopped, err := run.sampleToGoal(ctx, show, clear)
	useful = err == nil || run.hasDraws()
	if err != nil {
		if run.hasDraws() {
			c.notef("note: the draws so far are in %s; ppl sample --resume %s goes on", s.out, s.out)
		}
		return err
	}
	if !run.hasDraws() {
		c.notef("stopped in warm-up: there are no draws yet; ppl sample --resume %s goes on", s.out)
		return interrupted()
	}
	if err := c.summarise(s.out, s.asJSON); err != nil {
		return err
	}
	if !s.quiet {
		c.notef("%s", kept(s.out, stopped))
	}
	if stopped {
		return interrupted()
	}
	return nil
}

// prepare compiles the model, and refuses what cannot be sampled, or cannot go on.
func (c *console) prepare(ctx context.Context, s *sampling, dir *runDir) (*posteriorRun, error) {
	cache := c.job.rowCache()
	defer cache.Unshare()
	p, err := c.loadFrom(cache, s.model, s.data, s.quiet)
	if err != nil {
		return nil, err
	}
	if p.Dim() == 0 {
		return nil, noParameters()
	}
	s.asked = s.asAsked()
	if s.options.Device, err = openDevice(ctx, s.device, s.note(c)); err != nil {
		return nil, err
	}
	sampler, err := c.chooseSampler(p, s)
	if err != nil {
		return nil, err
	}
	s.drawn = s.drawn || dir.before != nil || len(s.until) > 0
	s.fitNetwork(c, p, sampler)
	if sampler.independent && !s.goal.Empty() {
		return nil, usagef("--until: the draws of %s are independent, so that their number says how good they are; "+
			"give --draws", sampler.name)
	}
	if s.options.Settings.LogLikelihood == "on" && p.Streams() > 0 {
		return nil,
			wrong(errors.New("log_likelihood=on: the log likelihood of each row is not kept where data are too " +
				"large for memory"))
	}
	if err := checkKeep(p, s.keep); err != nil {
		return nil, err
	}
	if n := storedBytes(p, s); n > manyBytes {
		s.note(c)(fmt.Sprintf("the draws will take up to %.0f GB in %s; Ctrl-C stops with what is there", n/1e9, s.out))
	}
	run, err := newPosteriorRun(s, p, sampler, dir, s.note(c))
	if err != nil {
		return nil, err
	}
	run.job = c.job
	if err := run.checkSame(); err != nil {
		return nil, err
	}
	if now := run.options.Device.Name(); dir.before != nil && dir.before.Device != now {
		s.note(c)(fmt.Sprintf("the run goes on on %s, and was on %s: its draws are valid, but not the same "+
			"to the last bit", now, dir.before.Device))
	}
	return run, run.loadOnRanks(cache.SharedAs)
}

// fitNetwork gives a run of a network as many chains and draws as suit it. A run that goes on keeps what it had.
func (s *sampling) fitNetwork(c *console, p *compiler.Program, sampler samplerRow) {
	if !sampler.exchanges {
		return
	}
	o, note := renhd.NetworkOptions(p, s.options, s.drawn)
	if s.options = o; note != "" {
		s.network = true
		s.note(c)(note)
	}
}

func newPosteriorRun(s *sampling, p *compiler.Program, sampler samplerRow, dir *runDir,
	note func(string)) (*posteriorRun, error) {
	run := &posteriorRun{sampling: s, program: p, sampler: sampler, dir: dir, note: note}
	var err error
	if run.digests, err = digestsOf(p); err != nil {
		return nil, failed(err)
	}
	return run, run.chooseStarts()
}

// announce makes the directory known for a new run. A run that goes on has been announced.
func (run *posteriorRun) announce() error {
	if run.dir.before != nil {
		return failedIf(store.SetStatus(run.dir.disk, run.dir.path, store.Running, nil))
	}
	if err := run.dir.clear(); err != nil {
		return failed(err)
	}
	if err := store.Announce(run.dir.disk, run.dir.path, run.newRecorder(nil).options); err != nil {
		return failed(err)
	}
	if err := run.keepInputs(); err != nil {
		return failed(err)
	}
	return failedIf(run.keepStarts())
}

func noParameters() error {
	return wrong(errors.New("the model has no parameters; declare one with a distribution: `mu ~ Normal(0, 1)`"))
}

func kept(dir string, stopped bool) string {
	if stopped {
		return fmt.Sprintf("stopped early; the draws so far are in %s", dir)
	}
	return fmt.Sprintf("draws are in %s", dir)
}
