package results

import (
	"bytes"
	"strings"

	"github.com/spf13/cobra"

	"ppl/app/analysis"
	"ppl/app/effects"
	"ppl/app/fault"
	"ppl/cmd/ppl/terminal"
	"ppl/compiler"
	"ppl/posterior/plot"
	"ppl/runtime/sys/process"
)

// An effectsRequest holds the arguments of `ppl effects`.
type effectsRequest struct {
	effects.Question
	out, format   string // file and format of the figure
	size          plot.Size
	asCSV, asJSON bool
}

func effectsCommand(c *terminal.Console) *cobra.Command {
	r := &effectsRequest{}
	cmd := &cobra.Command{
		Use:   "effects RUN TERM[:BY] [flags]",
		Short: "Show how the expected outcome depends on a predictor",
		Long: "Show how the expected outcome depends on a predictor, and with TERM:BY for several values of another " +
			"one: means and\n95 % intervals over the draws of a run, and of a category the differences from its " +
			"first element. --out draws a picture.\n\n" +
			"Other predictors have their mean, or their first element; --at NAME=VALUE sets another value. For " +
			"groups with their\nown effects, as in (1 | g), the outcome is that of a new group with mean effects, 0; " +
			"--new-levels sample draws these effects,\nand so shows how much new groups differ.",
		Args: func(_ *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return fault.Usagef("RUN is missing")
			case 1:
				return fault.Usagef("TERM is missing; it is a predictor of the model, such as x, or x:group")
			case 2:
				return nil
			}
			return fault.Usagef("one TERM is shown at a time; x:group shows x for each group")
		},

		DisableFlagsInUseLine: true,
	}
	f := cmd.Flags()
	at := f.StringArray("at", nil, "give another predictor a `NAME=VALUE`; may be repeated")
	levels := f.String("new-levels", "zero", "`WHAT` effects of groups are: zero, their mean, or sample, a draw for a "+
		"new group")
	f.StringVar(&r.Outcome, "of", "", "the outcome `NAME`, if the model observes several")
	f.IntVar(&r.Thin, "thin", 1, "take every `K`-th draw")
	f.StringVar(&r.out, "out", "", "draw a picture to `FILE`, which ends in .png, .svg or .pdf")
	size := f.String("size", "", "width and height of the picture, such as 16x10cm")
	f.BoolVar(&r.asCSV, "csv", false, "print one table")
	f.BoolVar(&r.asJSON, "json", false, "print one JSON object")
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		groups, ok := NewGroups()[*levels]
		r.Groups, r.Terms = groups, strings.Split(args[1], ":")
		switch {
		case !ok || *levels == "refuse":
			return fault.Usagef("--new-levels %q: it is zero or sample", *levels)
		case r.asCSV && r.asJSON:
			return fault.Usagef("--json and --csv cannot be combined")
		case len(r.Terms) > 2 || args[1] == "":
			return fault.Usagef("TERM is one predictor, or two as in x:group")
		case r.Thin < 1:
			return fault.Usagef("--thin %d: at least 1 is needed", r.Thin)
		case *size != "":
			if r.size, err = plot.ParseSize(*size); err != nil {
				return fault.Usagef("--size: %w", err)
			}
		}
		if r.out != "" {
			if r.format, err = plot.FormatOf(r.out); err != nil {
				return fault.Usagef("--out %w", err)
			}
		}
		r.At = map[string]string{}
		for _, a := range *at {
			name, value, ok := strings.Cut(a, "=")
			if !ok || name == "" || value == "" {
				return fault.Usagef("--at %q: write NAME=VALUE", a)
			}
			r.At[name] = value
		}
		ctx, release := process.Stoppable(cmd.Context())
		defer release()
		run, err := analysis.Open(args[0], c.Notes(true))
		if err != nil {
			return err
		}
		e, err := effects.Of(ctx, run, r.Question)
		if err != nil {
			return err
		}
		return showEffects(c, e, r)
	}
	return cmd
}

// showEffects prints effects, or draws them to a file.
func showEffects(c *terminal.Console, e *effects.Effects, r *effectsRequest) error {
	if r.out != "" {
		var b bytes.Buffer
		if err := plot.Write(&b, e.Picture(), r.format, r.size); err != nil {
			return fault.Of(err)
		}
		if err := terminal.WriteFile(r.out, terminal.Bytes(b.Bytes())); err != nil {
			return fault.Of(err)
		}
	}
	switch {
	case r.asCSV:
		return fault.Of(e.CSV(c.Out))
	case r.asJSON:
		return fault.Of(e.JSON(c.Out))
	case r.out != "":
		return nil
	}
	return effectsText(c, e)
}

// effectsText prints a table, after a figure if the term is numeric with many values.
func effectsText(c *terminal.Console, e *effects.Effects) error {
	if len(e.Fixed) > 0 {
		c.Notef("at %s", strings.Join(e.Fixed, ", "))
	}
	const many = 15
	if len(e.Terms[0].Values) > many && !e.Terms[0].Category {
		width := c.Width
		if width == 0 {
			width = 80
		}
		if err := plot.Text(c.Out, e.Picture(), width, c.Color && c.Width > 0); err != nil {
			return fault.Of(err)
		}
		e = e.Few(many)
	}
	return fault.Of(e.Table(c.Out))
}

// NewGroups maps the values of --new-levels to options.
func NewGroups() map[string]compiler.NewGroups {
	return map[string]compiler.NewGroups{"sample": compiler.DrawGroups, "zero": compiler.GroupsAtMean,
		"refuse": compiler.RefuseGroups}
}
