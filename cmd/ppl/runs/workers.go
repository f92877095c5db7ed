package runs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/spf13/pflag"

	"ppl/app"
	"ppl/app/fault"
	"ppl/app/notes"
	"ppl/app/version"
	"ppl/cmd/ppl/terminal"
	"ppl/runtime/parallel/tcp"
)

// A coordination holds the flags of `ppl sample` for processes on other machines that take part in the run.
type coordination struct {
	workers int
	listen  string
	secret  *string
	wait    *time.Duration
}

func (w *coordination) addFlags(f *pflag.FlagSet) {
	f.IntVar(&w.workers, "workers", 0, "share the run with `N` processes that call this one: ppl worker --connect HOST")
	f.StringVar(&w.listen, "listen", ":"+tcp.DefaultPort, "with --workers, await them at `[HOST]:PORT`")
	w.secret = addSecretFlag(f)
	w.wait = addWaitFlag(f)
}

// addWaitFlag adds --wait to a command.
func addWaitFlag(f *pflag.FlagSet) *time.Duration {
	return f.Duration("wait", 10*time.Minute, "wait for the other processes of a run for the `TIME` at most")
}

// coordinationFlags lists the flags that require --workers.
func coordinationFlags() []string { return []string{"listen", "secret-file", "wait"} }

// prepare checks the flags, and makes the request wait for workers after its model is loaded.
func (w *coordination) prepare(c *terminal.Console, f *pflag.FlagSet, s *sampling) error {
	if !f.Changed("workers") {
		for _, name := range coordinationFlags() {
			if f.Changed(name) {
				return fault.Usagef("--%s is about other processes that share the run; give their number with "+
					"--workers N", name)
			}
		}
		return nil
	}
	switch {
	case w.workers < 1:
		return fault.Usagef("--workers %d: at least one is needed", w.workers)
	case c.Job != nil:
		return fault.Usagef("--workers cannot be used under a launcher of MPI, which connects the processes of the " +
			"run already; use one of the two")
	case s.noKeep:
		return fault.Usagef("--no-keep is for one process; with --workers the run has a directory")
	}
	address, err := tcp.Address(w.listen)
	if err != nil {
		return fault.Usagef("--listen %w", err)
	}
	party, err := partyOf(*w.secret)
	if err != nil {
		return err
	}
	s.request.Join = func(ctx context.Context) (*app.Job, error) {
		job, err := w.join(ctx, address, party, c.Notes(s.quiet))
		if err != nil {
			return nil, err
		}
		c.Job = job
		return job, nil
	}
	return nil
}

// partyOf returns what all processes of a run must share: the secret and the build.
func partyOf(secretFile string) (tcp.Party, error) {
	secret, err := readSecret(secretFile)
	return tcp.Party{Secret: secret, Build: fmt.Sprintf("%s, %s/%s", version.Full(), runtime.GOOS, runtime.GOARCH)}, err
}

// join waits for the workers to connect.
func (w *coordination) join(ctx context.Context, address string, p tcp.Party, n notes.Notes) (*app.Job, error) {
	l, err := tcp.Listen(address, p)
	if err != nil {
		return nil, fault.Of(err)
	}
	n.Note(fmt.Sprintf("waiting for %d workers at %s", w.workers, l.Address()))
	limited, cancel := context.WithTimeoutCause(ctx, *w.wait, fmt.Errorf("%v have passed (--wait)", *w.wait))
	defer cancel()
	comm, err := l.Join(limited, w.workers, n.Note)
	switch {
	case errors.Is(err, context.Canceled):
		return nil, fault.Interrupted()
	case err != nil:
		return nil, fault.Of(err)
	}
	job := jobOf(comm)
	job.Close = func() {
		messages, bytes := comm.Traffic()
		n.Note(fmt.Sprintf("the workers have exchanged %d messages of %.3g MB with this process", messages,
			float64(bytes)/1e6))
		comm.Close()
	}
	n.Note(job.Describe())
	return job, nil
}

// jobOf returns the job of processes connected by TCP.
func jobOf(comm *tcp.Comm) *app.Job {
	return &app.Job{Comm: comm, Apart: true, LocalRanks: comm.LocalRanks(), Close: comm.Close,
		Library: func() (path, version string) { return "encrypted by TLS 1.3", "TCP" },
		Abort: func(code int) {
			comm.Abort("the run was aborted")
			os.Exit(code)
		}}
}
