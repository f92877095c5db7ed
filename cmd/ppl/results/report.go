package results

import (
	"bytes"
	"strings"

	"github.com/spf13/cobra"

	"ppl/app/fault"
	"ppl/app/rundir"
	"ppl/cmd/ppl/terminal"
	"ppl/posterior/htmlreport"
	"ppl/runtime/sys/files"
)

func reportCommand(c *terminal.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "report RUN [--out FILE.html]",
		Short: "Write what a run found as one HTML page",
		Long: "Write one HTML page that needs no network and no other files: summary, diagnosis in words, " +
			"prediction of " +
			"left-out rows, pictures,\n" +
			"the model's source and digests of its data. Replicates (ppl predict RUN) and draws from the prior " +
			"(ppl predict " +
			"MODEL) are shown if they exist.",
		Args: terminal.OneArg("RUN"),

		DisableFlagsInUseLine: true,
	}
	out := cmd.Flags().String("out", "", "write to `FILE` (default: the run's name with .html)")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		run, err := rundir.Open(args[0])
		if err != nil {
			return err
		}
		path, write := *out, terminal.WriteFile
		if path == "" {
			write = files.Output // do not follow a link with a default name
			path = strings.TrimSuffix(strings.TrimRight(args[0], "/"), ".run") + ".html"
		}
		var b bytes.Buffer
		if err := htmlreport.Write(&b, run, rundir.OpenPrior(args[0], "")); err != nil {
			return fault.Of(err)
		}
		if err := write(path, terminal.Bytes(b.Bytes())); err != nil {
			return fault.Of(err)
		}
		c.Notef("the report is in %s", path)
		return nil
	}
	return cmd
}
