package runs

import (
	"context"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ppl/app"
	"ppl/app/fault"
	"ppl/app/rundir"
	"ppl/cmd/ppl/models"
	"ppl/cmd/ppl/repl"
	"ppl/cmd/ppl/results"
	"ppl/cmd/ppl/terminal"
	"ppl/infer"
	"ppl/infer/settings"
	"ppl/runtime/sys/process"
)

// A sampling holds the arguments of `ppl sample`.
type sampling struct {
	request app.Request
	draws   int
	asJSON  bool
	quiet   bool
	noKeep  bool // keep the run only in memory
}

func sampleCommand(c *terminal.Console) *cobra.Command {
	s := newSampling()
	cmd := &cobra.Command{
		Use:   "sample MODEL|'FORMULA' [--data F|NAME=F]… [flags]",
		Short: "Draw from the posterior, keep the draws and print a summary",
		Long: "Draw from the posterior of a model. The draws go to a run directory as they come, so that an " +
			"interrupted run keeps them:\n" +
			"Ctrl-C stops cleanly and prints the summary of the draws so far, a second Ctrl-C kills. The directory " +
			"is a Zarr store that ArviZ reads.\n\n" +
			"--resume continues a run that was killed, interrupted or failed from its last checkpoint, with the " +
			"draws that it would have had;\nit starts a run that does not exist, and prints the summary of a " +
			"finished one, to which --draws adds draws. MODEL may be a run directory then.\n\n" +
			"With --until a run ends when its draws are good enough: ess is the smallest effective size (bulk and " +
			"tail) and rhat the largest R-hat\nof all saved quantities; both conditions must hold. time and " +
			"gradients are limits. --draws is the maximum, 10,000 if it is not given.\n\n" +
			"With neither --draws nor --until a run has 1,000 draws of each chain. It is extended automatically, to " +
			"10,000 at most, while R-hat is above 1.01\nor effective sizes are too small, and more draws are likely " +
			"to help. If they are not, the model is sampled again with a longer warm-up\nand, if chains disagree, a " +
			"ladder of temperatures, for which renhd replaces nuts; the better draws are kept.\n" +
			"--max-time and --max-gradients are limits of any run.\n\n" +
			"With --task K, in a job script that a scheduler starts many times, each task has its own seed, " +
			"derived from --seed and K,\nand its own directory; ppl summary prints a table of all. examples/jobs has " +
			"scripts for Slurm, Kubernetes and GNU parallel.\n\n" +
			"With --workers N the run waits for N processes, ppl worker --connect HOST on other machines, and " +
			"shares walkers or rows of the data\nwith them; the draws are those of one process. ppl help worker " +
			"says more.\n\n" +
			"With --init chains start from values of parameters, such as {\"mu\": 2, \"theta\": [1, 0]}, or from " +
			"the last draws of a run of this\nor a similar model. Parameters without values are drawn from " +
			"their distributions.",
		Args: terminal.OneArg("MODEL"),

		DisableFlagsInUseLine: true,
	}
	s.addFlags(cmd.Flags())
	f := cmd.Flags()
	resume := f.Bool("resume", false, "continue an interrupted run, or start it")
	task := f.Int("task", 0, "be task `K` of many, each with its own seed and directory: MODEL.K.run")
	replace := f.Bool("overwrite", false, "replace the run in the directory")
	f.BoolVar(&s.noKeep, "no-keep", false, "keep no run: print the summary and forget the draws")
	var others coordination
	others.addFlags(f)
	var byFormula models.Formulation
	byFormula.AddFlags(f)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s.request.Model, s.request.Network = args[0], c.Network
		if err := s.takeFormula(c, &byFormula, f, *replace); err != nil {
			return err
		}
		if err := models.TranslateStan(c, &s.request.Model, &s.request.Data, s.request.Dir, *replace); err != nil {
			return err
		}
		if err := s.refuseKeeping(f); err != nil {
			return err
		}
		switch {
		case *resume && *replace:
			return fault.Usagef("--resume and --overwrite contradict each other; give one of them")
		case *resume:
			s.request.Existing = rundir.GoOn
		case *replace:
			s.request.Existing = rundir.Overwrite
		}
		if err := s.complete(f); err != nil {
			return err
		}
		if err := others.prepare(c, f, s); err != nil {
			return err
		}
		if f.Changed("task") {
			if err := s.request.BeTask(*task); err != nil {
				return err
			}
		}
		return drawSamples(cmd.Context(), c, s)
	}
	return cmd
}

// refuseKeeping returns an error if --no-keep is combined with flags for a run directory.
func (s *sampling) refuseKeeping(f *pflag.FlagSet) error {
	if !s.noKeep {
		return nil
	}
	for _, name := range []string{"out", "resume", "overwrite", "copy-inputs", "task"} {
		if f.Changed(name) {
			return fault.Usagef("--no-keep writes no run directory, but --%s needs one; omit one of them", name)
		}
	}
	return nil
}

// takeFormula replaces a formula by the path of its model.
func (s *sampling) takeFormula(c *terminal.Console, by *models.Formulation, f *pflag.FlagSet, replace bool) error {
	if !models.IsFormula(s.request.Model) {
		for _, name := range models.FormulaFlags() {
			if f.Changed(name) {
				return fault.Usagef("--%s is for formulas, but %s is a model; write this in the model", name,
					s.request.Model)
			}
		}
		return nil
	}
	by.Request.Formula, by.Data = s.request.Model, s.request.Data
	path, err := by.WriteModel(c, replace)
	s.request.Model, s.request.Data = path, nil
	return err
}

// newSampling returns a sampling with default options.
func newSampling() *sampling {
	return &sampling{request: app.NewRequest(""), draws: infer.Defaults().Draws}
}

// addFlags adds the flags of a new run.
func (s *sampling) addFlags(f *pflag.FlagSet) {
	r := &s.request
	seed := r.Seed
	f.StringArrayVar(&r.Data, "data", r.Data, terminal.DataUsage)
	f.StringVar(&r.Sampler, "sampler", r.Sampler, "sampler `S` (default: the model's infer statement, else renhd)")
	f.IntVar(&r.Chains, "chains", r.Chains, "`C` independent chains")
	f.IntVar(&s.draws, "draws", s.draws, "keep `D` draws per chain")
	f.IntVar(&r.Warmup, "warmup", r.Warmup, "`W` iterations of warm-up per chain; renhd takes at least 50, or none")
	f.Uint64Var(&r.Seed, "seed", 0, "seed `S` of all randomness (default: a new one, shown with the results)")
	r.Seed = seed
	f.IntVar(&r.Threads, "threads", 0, "use `T` threads; 0 means all cores; results do not depend on it")
	terminal.AddDeviceFlag(f, &r.Device)
	f.StringVar(&r.Dir, "out", "", "keep the run in `DIR` (default: the model's name with .run, here)")
	f.StringVar(&r.Init, "init", "", "begin at the parameter values in a JSON `FILE`, or at the last draws of a RUN")
	f.StringArrayVar(&r.Settings, "set", nil, "set a sampler's `option=value`; may be repeated: "+
		strings.Join(settings.Names(), ", "))
	f.StringSliceVar(&r.Keep, "keep", nil, "keep the draws of these `NAME`s alone, such as mu,'f.dense2.*'; "+
		"predictions need all parameters (default: all)")
	f.StringArrayVar(&r.Until, "until", nil, "stop when the draws are good enough or a limit is reached: `ess=400`, "+
		"rhat=1.01, time=2h or gradients=1e9, also several")
	f.DurationVar(&r.MaxTime, "max-time", 0, "end after this `time`, such as 10m, and keep the draws so far")
	f.Float64Var(&r.MaxGradients, "max-gradients", 0, "add no more draws after `N` gradients, such as 1e8")
	f.BoolVar(&r.CopyInputs, "copy-inputs", false, "copy the data files into the run, so that it can be moved and "+
		"no longer needs them")
	f.BoolVar(&s.asJSON, "json", false, "print the summary as one JSON object")
	f.BoolVar(&s.quiet, "quiet", false, "no progress and no notes")
}

// complete records which flags were given.
func (s *sampling) complete(f *pflag.FlagSet) error {
	r := &s.request
	f.Visit(func(f *pflag.Flag) { r.Given = append(r.Given, f.Name) })
	if f.Changed("draws") {
		if s.draws < 1 {
			return fault.Usagef("--draws %d: at least one draw is needed", s.draws)
		}
		r.Draws = s.draws
	}
	return nil
}

// drawSamples samples and prints a summary.
func drawSamples(ctx context.Context, c *terminal.Console, s *sampling) error {
	r := &s.request
	switch {
	case s.noKeep && c.Job != nil:
		return fault.Usagef("--no-keep is for one process; the processes of a job share a run directory")
	case s.noKeep: // without a directory, the run is in memory
	case r.Dir == "" && !r.ByDirectory():
		r.Dir = app.DefaultDir(r.Model)
	}
	r.Job = c.Job
	if !s.noKeep {
		r.Disk = c.Disk
	}
	r.Lost = func() { endLost(c, r.Dir) }
	fit := app.NewFit(*r, c.Notes(s.quiet))
	ended := func() { abandon(c, fit.Abandon) }
	if s.noKeep {
		ended = func() {}
	}
	ctx, release := process.StoppableWith(ctx, ended)
	defer release()
	if err := fit.Prepare(ctx); err != nil {
		return err
	}
	stopped, err := fit.Sample(ctx)
	switch dir := fit.Dir(); {
	case err != nil && s.noKeep:
		return err
	case err != nil && fit.HasSomeDraws():
		c.Notef("note: the draws so far are in %s; ppl sample --resume %s continues the run", dir, dir)
		return err
	case err != nil && fit.HasCheckpoint():
		c.Notef("note: ppl sample --resume %s continues from the last checkpoint", dir)
		return err
	case err != nil:
		return err
	case !fit.HasDraws() && s.noKeep:
		c.Notef("stopped before every chain had a draw")
		return fault.Interrupted()
	case !fit.HasDraws():
		c.Notef("stopped before every chain had a draw: there are no draws yet; ppl sample --resume %s "+
			"continues the run", dir)
		return fault.Interrupted()
	}
	return concludeRun(c, fit, s, stopped)
}

// concludeRun prints the summary of a run that has ended.
func concludeRun(c *terminal.Console, fit *app.Fit, s *sampling, stopped bool) error {
	run, err := fit.Draws()
	if err != nil {
		return err
	}
	if err := results.SummariseRun(c, run, s.asJSON, !s.noKeep); err != nil {
		return err
	}
	if !s.quiet && !fit.Complete() && !s.noKeep {
		c.Notef("%s", repl.Kept(fit.Dir(), stopped))
	}
	if stopped {
		return fault.Interrupted()
	}
	return nil
}

// abandon saves the draws so far before the process is ended by force.
func abandon(c *terminal.Console, save func() (string, error)) {
	dir, err := save()
	if err != nil {
		c.Notef("ppl: %v", err)
	}
	if dir != "" {
		c.Notef("stopped early; the draws so far are in %s; ppl sample --resume %[1]s continues the run", dir)
	}
}

// endLost ends the process and all ranks after another process has taken over the run directory. Further writes would
// corrupt the other's run.
func endLost(c *terminal.Console, dir string) {
	c.Notef("ppl: another process has taken over the run in %s, because this process did not respond in time; "+
		"this process ends now", dir)
	if c.Job != nil {
		c.Job.Abort(terminal.CodeFailed)
	}
	os.Exit(terminal.CodeFailed)
}

// ReadFlags parses flags of `ppl sample` into a request.
func ReadFlags(r *app.Request, flags []string) error {
	s := &sampling{request: *r, draws: r.Draws}
	var set pflag.FlagSet
	s.addFlags(&set)
	if err := set.Parse(flags); err != nil {
		return fault.Usagef("%w", err)
	}
	if err := s.complete(&set); err != nil {
		return err
	}
	*r = s.request
	return nil
}
