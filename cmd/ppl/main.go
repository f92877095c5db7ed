// Command ppl compiles Bayesian models and draws from their posteriors. Each subcommand has a separate file.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"ppl/app"
	"ppl/cmd/ppl/terminal"
	"ppl/runtime/parallel/mpi"
	"ppl/runtime/parallel/ranks"
	"ppl/runtime/sys/cache"
	"ppl/runtime/sys/memory"
	"ppl/runtime/sys/process"
)

func main() {
	log.SetOutput(io.Discard) // discards warnings of libraries, such as Parquet's
	if why := process.TooLimited(); why != "" {
		fmt.Fprintf(os.Stderr, "ppl: %s\n", why)
		os.Exit(terminal.CodeFailed)
	}
	process.SaveAddresses()
	if err := cache.Ready(); err != nil {
		fmt.Fprintf(os.Stderr, "ppl: %v\n", err)
		os.Exit(terminal.CodeUsage)
	}
	memory.Set(memory.Limit()) // so that the garbage collector works harder when memory gets short
	reserve := memory.Reserve(memory.Limit())
	defer runtime.KeepAlive(reserve)
	c, ctx := terminal.New(os.Stdout, os.Stderr), context.Background()
	comm, err := mpi.Join()
	switch {
	case err != nil:
		if mpi.FirstOfHost() { // report a problem with the library once per host
			c.Notef("ppl: %v", err)
		}
		os.Exit(terminal.CodeFailed)
	case comm == nil:
		process.EndAtOnce()
		process.EndWithParent(ctx)
		noteStartedAlone(c)
		code := carryOut(ctx, c)
		endWorkers(c, code)
		os.Exit(code)
	}
	c.Job = &app.Job{Comm: comm, Library: comm.Library, Abort: comm.Abort, LocalRanks: mpi.LocalRanks()}
	if comm.Rank() == 0 {
		go ranks.Waits(ctx, comm.Waiting, 30*time.Second, func(now time.Duration) {
			c.Notef("note: another rank has not answered for %v", now.Round(time.Second))
		})
	}
	comm.Exit(carryOutOnRanks(ctx, os.Args[1:], c))
}

// noteStartedAlone notes that srun started several processes that do not share a run.
func noteStartedAlone(c *terminal.Console) {
	n := mpi.StartedAlone()
	apart := slices.ContainsFunc(os.Args, func(arg string) bool {
		return strings.HasPrefix(arg, "--task") || strings.HasPrefix(arg, "--workers")
	})
	if n == 0 || !slices.Contains(os.Args, "sample") || apart {
		return
	}
	c.Notef("note: srun has started %d processes without MPI, so that each samples the whole run; to share it, use "+
		"srun --mpi=pmix (Open MPI), srun --mpi=pmi2 (MPICH) or --workers (ppl help worker); for separate runs, use "+
		"ppl sample --task K", n)
}

// endWorkers ends the processes that joined this one for a command.
func endWorkers(c *terminal.Console, code int) {
	if c.Job != nil {
		c.Job.End(code)
		c.Job.Close()
	}
}

// carryOutOnRanks carries out the command line on rank 0, and ends the other ranks.
func carryOutOnRanks(ctx context.Context, args []string, c *terminal.Console) (code int) {
	if c.Job.Rank() > 0 {
		ctx, release := process.OnSignal(ctx, func(<-chan struct{}) {}) // rank 0 ends all ranks
		defer release()
		code, err := c.Job.Follow(ctx)
		if err != nil {
			c.Notef("ppl: rank %d: %v", c.Job.Rank(), err)
			return terminal.CodeFailed
		}
		return code
	}
	code = run(ctx, args, c)
	c.Job.End(code)
	return code
}
