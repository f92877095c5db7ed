package models

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ppl/app"
	"ppl/app/fault"
	"ppl/app/rundir"
	"ppl/cmd/ppl/terminal"
	"ppl/compiler/datasets/datafile/content"
	"ppl/lang/formula"
)

// A Formulation holds a formula with its options, and the arguments of --data.
type Formulation struct {
	Request formula.Request
	Data    []string
}

func formulaCommand(c *terminal.Console) *cobra.Command {
	var f Formulation
	cmd := &cobra.Command{
		Use:   "formula 'y ~ x + (1 | g)' --data FILE [flags]",
		Short: "Print the model of a formula of R",
		Long: "Print the model of a formula, as lme4, rstanarm and brms read it. It is text like any other model: " +
			"keep it in a file, change\nit, check it and sample it. ppl sample 'y ~ x + (1 | g)' --data FILE writes " +
			"it " +
			"to y.ppl and samples it at once.\n\n" +
			"Priors are nearly rstanarm's: 2.5 standard deviations of the outcome for one standard deviation of a " +
			"predictor, which comments say;\n--prior 'b_x=Normal(0, 1)' replaces that of a name, and b, sd or cor " +
			"those of all " +
			"coefficients, spreads or correlations.\n\n" +
			"Several outcomes, and parameters such as sigma, have a formula each, with commas between: " +
			"'y ~ x, sigma ~ z'.\n\n" +
			"Families: " + strings.Join(formula.Families(), ", ") + ";\na link is written in brackets, " +
			"binomial(probit). ppl help brms has a table of terms.",
		Args: terminal.OneArg("FORMULA"),

		DisableFlagsInUseLine: true,
	}
	cmd.Flags().StringArrayVar(&f.Data, "data", nil, "the table, a `FILE` whose columns the formula names")
	f.AddFlags(cmd.Flags())
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		f.Request.Formula = args[0]
		text, err := f.model()
		if err != nil {
			return err
		}
		_, err = fmt.Fprint(c.Out, text)
		return err
	}
	return cmd
}

// FormulaFlags returns the names of the flags that apply only to formulas.
func FormulaFlags() []string { return []string{"family", "contrasts", "prior", "omit"} }

// AddFlags adds the flags for formulas.
func (f *Formulation) AddFlags(flags *pflag.FlagSet) {
	r := &f.Request
	flags.StringVar(&r.Family, "family", "", "of a formula: distribution `F` of the outcome, such as poisson or "+
		"binomial(probit) (default: gaussian)")
	flags.StringVar(&r.Contrasts, "contrasts", "", "of a formula: code factors by `C`, treatment or sum (default: "+
		"treatment)")
	flags.StringArrayVar(&r.Priors, "prior", nil, "of a formula: give a `NAME=DISTRIBUTION` in the place of its "+
		"default prior; may be repeated")
	flags.BoolVar(&r.Omit, "omit", false, "of a formula: leave out rows in which a column has no value")
}

// IsFormula reports whether an argument for a model is a formula.
func IsFormula(model string) bool { return strings.Contains(model, "~") && !exists(model) }

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// model reads the table and returns the text of the model.
func (f *Formulation) model() (string, error) {
	if len(f.Data) != 1 {
		return "", fault.Usagef("a formula needs one --data FILE with the columns that it names")
	}
	given := rundir.ParseData(f.Data[0])
	path := given.Path
	if given.Name != "" || path == "" {
		return "", fault.Usagef("--data %q is not the file of a table, which a formula needs", f.Data[0])
	}
	file, err := app.Network{Named: f.Data}.Cache().Whole(path)
	if err != nil {
		return "", fault.Wrong(err)
	}
	if !file.Table {
		return "", fault.Wrongf("%s is not a table with columns, which a formula needs", path)
	}
	f.Request.Data = table(path, file)
	text, err := formula.Model(f.Request)
	return text, wrongOrNil(err)
}

func wrongOrNil(err error) error {
	if err == nil {
		return nil
	}
	return fault.Wrong(err)
}

// table returns the columns of a file.
func table(path string, file *content.File) formula.Table {
	t := formula.Table{Path: path}
	for _, a := range file.Columns() {
		values := make([]float64, a.Values.Len())
		for i := range values {
			values[i] = a.Values.At(i)
		}
		c := formula.Column{Name: a.Name, Levels: a.Labels, Ordered: a.Ordered, Values: values}
		if a.Labels != nil && a.Levels != nil { // use the order of levels that the file declares
			c.Levels, c.Ordered = a.Levels, a.Ordered
			for i, v := range values {
				if v > 0 {
					values[i] = float64(slices.Index(a.Levels, a.Labels[int(v)-1]) + 1)
				}
			}
		}
		t.Columns = append(t.Columns, c)
	}
	return t
}

// WriteModel writes the model of a formula to a file named after the outcome, and returns its path. It replaces a file
// that contains another model only if replace is set.
func (f *Formulation) WriteModel(c *terminal.Console, replace bool) (string, error) {
	text, err := f.model()
	if err != nil {
		return "", err
	}
	name, ok := formula.Outcome(f.Request.Formula)
	if !ok {
		name = "formula"
	}
	path := name + ".ppl"
	return path, KeepModel(c, path, text, "the model of the formula", replace)
}
