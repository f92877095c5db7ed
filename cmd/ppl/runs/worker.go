package runs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"ppl/app/fault"
	"ppl/cmd/ppl/terminal"
	"ppl/runtime/parallel/tcp"
	"ppl/runtime/sys/process"
)

// workerCommand takes part in the run of a process on another machine. It needs only an address and a secret, like a
// worker of Dask or Ray. The coordinator sends the model and its data, or the paths of large data (see package app).
// All options are therefore on the coordinator's command line, and a worker can be started before the model exists.
func workerCommand(c *terminal.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "worker --connect HOST[:PORT] [flags]",
		Short: "Share the run of ppl sample --workers N on another machine",
		Long: "Share the run of a process that waits for it: ppl sample MODEL --workers N. The draws are those of " +
			"one process, to the last bit.\nThe worker needs the address, the secret and the same build of ppl; it " +
			"is sent the model and its data, up to 64 MB; larger data\nhave to be at the same paths as on the " +
			"coordinator's machine. It writes nothing, and ends with the run. If the coordinator cannot\nbe reached " +
			"any more, it ends with exit code 3.\n\n" +
			"Connections are encrypted, and both sides prove that they have the same secret. It is in a file or in " +
			"the environment variable\nPPL_SECRET; (umask 077; openssl rand -hex 32 > ppl.secret) makes one.",
		Args: terminal.NoArgs,

		DisableFlagsInUseLine: true,
	}
	f := cmd.Flags()
	connect := f.String("connect", "", "call the coordinator at `HOST[:PORT]`; again and again while nobody answers "+
		"(default port: "+tcp.DefaultPort+")")
	secret, wait := addSecretFlag(f), addWaitFlag(f)
	quiet := f.Bool("quiet", false, "no notes")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		switch {
		case c.Job != nil:
			return fault.Usagef("ppl worker is called without a launcher of MPI, which has started this process with " +
				"others")
		case *connect == "":
			return fault.Usagef("--connect HOST[:PORT] is missing: where ppl sample --workers N waits")
		}
		address, err := tcp.Address(*connect)
		if err != nil {
			return fault.Usagef("--connect %w", err)
		}
		party, err := partyOf(*secret)
		if err != nil {
			return err
		}
		note := c.Notes(*quiet).Note
		comm, err := connectWithin(cmd.Context(), *wait, address, party, note)
		if err != nil {
			return err
		}
		note(fmt.Sprintf("this is rank %d of %d", comm.Rank(), comm.Size()))
		return follow(cmd.Context(), comm)
	}
	return cmd
}

// connectWithin joins the job at an address, and fails after the given time.
func connectWithin(ctx context.Context, wait time.Duration, address string, p tcp.Party, note func(string)) (*tcp.Comm,
	error) {
	ctx, release := process.Stoppable(ctx)
	defer release()
	limited, cancel := context.WithTimeoutCause(ctx, wait, fmt.Errorf("%v have passed (--wait)", wait))
	defer cancel()
	comm, err := tcp.Connect(limited, address, p, note)
	if err != nil && ctx.Err() != nil {
		return nil, fault.Interrupted()
	}
	return comm, fault.Of(err)
}

// follow carries out the coordinator's orders until the job ends. A signal does not end this process directly: all
// ranks agree on ending.
func follow(ctx context.Context, comm *tcp.Comm) error {
	ctx, release := process.OnSignal(ctx, func(<-chan struct{}) {})
	defer release()
	defer comm.Close()
	switch code, err := jobOf(comm).Follow(ctx); {
	case err != nil:
		return fault.Of(err)
	case code == terminal.CodeInterrupted:
		return fault.Interrupted()
	case code != terminal.CodeDone:
		return fault.Of(errors.New("the run has ended with an error, which the coordinator reports"))
	}
	return nil
}
