// Package export writes the draws of a run in formats that other programs read. Formats are rows of a table; each
// writes columns, one for each element:
//
//	chain,draw,mu,theta[1],theta[2]
//	1,1,4.1,3.9,5.2
package export

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"ppl/lang/types"
	"ppl/posterior/report"
	"ppl/posterior/store"
)

// A Format is a row of the table. Each chain is a file of its own where PerChain is set.
type Format struct {
	Name, Ending, Doc string
	PerChain          bool
	Binary            bool
	write             func(w io.Writer, t table, chain int) error // nil for one that has the groups of a run
}

// Formats is the table of what can be written.
func Formats() []Format {
	return []Format{
		{"csv", "csv", "a line for each draw, a column for each element", false, false, writeCSV},
		{"json", "json", "an object with an array for each variable: chains, draws, then its own axes", false, false,
			writeJSON},
		{"parquet", "parquet", "a row for each draw, a column for each element", false, true, writeParquet},
		{netCDF, "nc", "a netCDF-4 file with the groups of the run, for az.from_netcdf and xarray", false, true, nil},
		{"cmdstan-csv", "", "a file for each chain, as CmdStan writes them", true, false, writeCmdStan},
	}
}

// Find is the format of a name, or of the ending of a file.
func Find(name string) (Format, error) {
	var names []string
	for _, f := range Formats() {
		if f.Name == name || f.Ending == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Format{}, fmt.Errorf("there is no format %q; there are %s", name, strings.Join(names, ", "))
}

// A table is what is written.
type table struct {
	run     *store.Run
	columns []column
}

// A column is one element of a variable.
type column struct {
	variable types.Variable
	element  int
	chains   [][]float64 // of the variable: the draws laid end to end
}

func (c column) at(chain, draw int) float64 {
	return c.chains[chain][draw*c.variable.Size()+c.element]
}

// Write writes the variables and elements that names mean, or all. Chain is the one to write, from 0, of a format with
// a file for each.
func Write(w io.Writer, r *store.Run, f Format, names []string, chain int) error {
	selected, err := report.Select(variablesOf(r), names, r)
	if err != nil {
		return err
	}
	if f.write == nil {
		return writeNetCDF(w, r, selected, len(names) == 0)
	}
	t := table{run: r}
	for _, s := range selected {
		chains, err := drawsOf(r, s.Variable)
		if err != nil {
			return err
		}
		for _, i := range s.Elements {
			t.columns = append(t.columns, column{s.Variable, i, chains})
		}
	}
	return f.write(w, t, chain)
}

// variablesOf are those of the posterior; of a run that draws from the prior, its parameters and replicates of data.
func variablesOf(r *store.Run) []types.Variable {
	if r.FromPrior() {
		return slices.Concat(r.Layout.Prior, r.Layout.PriorPredictive)
	}
	return r.Layout.Posterior
}

func drawsOf(r *store.Run, v types.Variable) ([][]float64, error) {
	named := func(w types.Variable) bool { return w.Name == v.Name }
	switch {
	case !r.FromPrior():
		return r.Draws(v.Name)
	case slices.ContainsFunc(r.Layout.Prior, named):
		return r.Prior(v.Name)
	}
	return r.PriorPredictive(v.Name)
}

// rows calls each for every chain and draw.
func (t table) rows(each func(chain, draw int) error) error {
	for chain := range t.run.Layout.Chains {
		for draw := range t.run.Info.Draws {
			if err := each(chain, draw); err != nil {
				return err
			}
		}
	}
	return nil
}
