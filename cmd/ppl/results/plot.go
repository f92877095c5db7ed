package results

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ppl/app/analysis"
	"ppl/app/fault"
	"ppl/app/rundir"
	"ppl/cmd/ppl/terminal"
	"ppl/compiler/predict/query"
	"ppl/lang/diag"
	"ppl/lang/types"
	"ppl/posterior/plot"
	"ppl/posterior/store"
)

// A plotting holds the flags of `ppl plot`.
type plotting struct {
	out, prior string
	width      int
	size       plot.Size
}

func plotCommand(c *terminal.Console) *cobra.Command {
	var long strings.Builder
	long.WriteString("Draw a picture of a run: in the terminal, or with --out to a file. NAMEs are variables, " +
		"elements, as theta or 'theta[2]', and expressions, as 'exp(b)'. Kinds:\n")
	for _, k := range plot.Kinds() {
		fmt.Fprintf(&long, "\n  %-16s %s", k.Name, k.Doc)
	}
	cmd := &cobra.Command{
		Use:   "plot RUN KIND [NAME…] [--out FILE.png|FILE.svg|FILE.pdf]",
		Short: "Draw a picture of a run, in the terminal or to a file",
		Long:  long.String(),
		Args:  runAndKind,

		DisableFlagsInUseLine: true,
	}
	var p plotting
	f := cmd.Flags()
	f.StringVar(&p.out, "out", "", "write to `FILE`, which ends in .png, .svg or .pdf")
	size := f.String("size", "", "width and height of the file, such as 16x10cm or 6x4in (default: by the picture)")
	f.StringVar(&p.prior, "prior", "", "for the kind prior: the `DIR` with draws from the prior (default: the "+
		"run's name with .prior)")
	f.IntVar(&p.width, "width", 0, "draw `W` columns wide in the terminal (default: its own)")
	cmd.RunE = func(_ *cobra.Command, args []string) (err error) {
		switch {
		case *size == "":
		case p.out == "":
			return fault.Usagef("--size is for a file; give --out, or --width for the terminal")
		default:
			if p.size, err = plot.ParseSize(*size); err != nil {
				return fault.Usagef("--size: %w", err)
			}
		}
		return drawPlot(c, args[0], args[1], args[2:], p)
	}
	return cmd
}

func runAndKind(_ *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return fault.Usagef("RUN is missing")
	case 1:
		return fault.Usagef("KIND is missing; there are %s", strings.Join(pictureKinds(), ", "))
	}
	if slices.Contains(pictureKinds(), args[0]) && !rundir.IsRun(args[0]) && rundir.IsRun(args[1]) {
		return fault.Usagef("the run comes first: ppl plot %s %s", args[1], args[0])
	}
	return nil
}

func pictureKinds() (names []string) {
	for _, k := range plot.Kinds() {
		names = append(names, k.Name)
	}
	return names
}

func drawPlot(c *terminal.Console, dir, kind string, names []string, p plotting) error {
	format := ""
	if p.out != "" {
		var err error
		if format, err = plot.FormatOf(p.out); err != nil {
			return fault.Usagef("--out %w", err)
		}
	}
	run, err := rundir.Open(dir)
	if err != nil {
		return err
	}
	o := plot.Options{Names: names, Evaluate: evaluator(c)}
	if kind == "prior" {
		o.Prior = rundir.OpenPrior(dir, p.prior)
	}
	picture, err := plot.Draw(run, kind, o)
	if err != nil {
		return fault.Of(err)
	}
	for _, note := range picture.Notes {
		c.Notef("note: %s", note)
	}
	if format == "" {
		width := c.Width
		if p.width > 0 {
			width = p.width
		}
		if width == 0 {
			width = 80
		}
		return plot.Text(c.Out, picture, width, c.Color && c.Width > 0)
	}
	var b bytes.Buffer
	if err := plot.Write(&b, picture, format, p.size); err != nil {
		return fault.Of(err)
	}
	return fault.Of(terminal.WriteFile(p.out, terminal.Bytes(b.Bytes())))
}

// evaluator returns a function that evaluates expressions for figures of a run. It reads the run's model and data at
// the first call.
func evaluator(c *terminal.Console) func(*store.Run, string) (types.Variable, [][][]float64, error) {
	run := c.Opened
	return func(of *store.Run, expression string) (v types.Variable, values [][][]float64, err error) {
		if run == nil || run.Dir != of.Dir || run.Stored.Info.Draws != of.Info.Draws {
			if run, err = analysis.Of(of, c.Notes(false)); err != nil {
				return v, nil, err
			}
		}
		a, err := run.Ask(context.Background(), expression, 0)
		e := (*fault.Error)(nil)
		switch {
		case errors.As(err, &e) && len(e.Diagnostics) == 1 && e.Diagnostics[0].Code == diag.Undefined:
			return v, nil, fault.Wrong(errors.New(e.Diagnostics[0].Message)) // package plot lists the known names
		case err != nil:
			return v, nil, err
		case a == nil || a.Query.Form != query.Summary || a.Query.Given != nil:
			return v, nil, fault.Usagef("%q cannot be drawn; give an expression, such as exp(b)",
				expression)
		}
		return a.Variable(), a.Result.Values, nil
	}
}
