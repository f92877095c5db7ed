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

// Formats returns the table of what can be written.
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

// Find returns the format of a name, or of the ending of a file.
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
	draws   int  // of each chain; a group of predictions may have fewer than the run
	logLik  bool // see Choice
}

// A column is one element of a variable.
type column struct {
	variable types.Variable
	element  int
	array    store.Array // of the variable
}

// heading returns the name of the column in a table, whose first columns are chain and draw.
func (c column) heading() string { return store.ArrayName(c.variable.Element(c.element)) }

// A Choice is what is written of a run. The group is one with a row for each draw, such as log_likelihood; without it
// the names are variables or elements of the posterior or, of a run that draws from the prior, of that. Without names
// all are written. A single name that only a group has means that group.
type Choice struct {
	Group  string
	Names  []string
	LogLik bool // cmdstan-csv: the log likelihood of each row, too, as log_lik
}

// Write writes what is chosen. Chain is the one to write, from 0, of a format with a file for each.
func Write(w io.Writer, r *store.Run, f Format, c Choice, chain int) error {
	c, err := c.resolved(r)
	if err != nil {
		return err
	}
	selected, err := report.Select(c.variables(r), c.Names, r)
	if err != nil {
		return err
	}
	if f.write == nil {
		return writeNetCDF(w, r, c.Group, selected, len(c.Names) == 0)
	}
	t, err := c.table(r, selected)
	if err != nil {
		return err
	}
	return f.write(w, t, chain)
}

// resolved returns the choice with the group that a single name means.
func (c Choice) resolved(r *store.Run) (Choice, error) {
	if c.Group == "" && len(c.Names) == 1 && r.Streamed(c.Names[0]) != nil &&
		!slices.ContainsFunc(c.variables(r), func(v types.Variable) bool { return v.Name == c.Names[0] }) {
		c.Group, c.Names = c.Names[0], nil
	}
	if c.Group != "" && r.Streamed(c.Group) == nil {
		var names []string
		for _, g := range r.Groups() {
			if r.Streamed(g.Name) != nil {
				names = append(names, g.Name)
			}
		}
		return c, report.Unusable{Reason: fmt.Sprintf("%s has no group %q with draws; it has %s", r.Dir, c.Group,
			strings.Join(names, ", "))}
	}
	return c, nil
}

// variables returns the variables that can be chosen from.
func (c Choice) variables(r *store.Run) []types.Variable {
	switch {
	case c.Group != "":
		return r.Streamed(c.Group)
	case r.FromPrior():
		return slices.Concat(r.Layout.Prior, r.Layout.PriorPredictive)
	}
	return r.Layout.Posterior
}

// table has the columns of what is selected.
func (c Choice) table(r *store.Run, selected []report.Selected) (table, error) {
	t := table{run: r, logLik: c.LogLik}
	for _, s := range selected {
		array := store.Array{Group: c.group(r, s.Variable), Name: s.Variable.Name}
		for _, i := range s.Elements {
			t.columns = append(t.columns, column{s.Variable, i, array})
		}
		t.draws = r.StreamedCount(array.Group)
	}
	return t, nil
}

// group returns the group of the run that a variable is in.
func (c Choice) group(r *store.Run, v types.Variable) string {
	named := func(w types.Variable) bool { return w.Name == v.Name }
	switch {
	case c.Group != "":
		return c.Group
	case !r.FromPrior():
		return string(store.PosteriorDraws)
	case slices.ContainsFunc(r.Layout.Prior, named):
		return string(store.PriorDraws)
	}
	return string(store.PriorReplicates)
}

// A cell is a number of each draw: an element of an array, or the same for all where the array has no name.
type cell struct {
	array         store.Array
	size, element int
	otherwise     float64
}

func (c column) cell() cell { return cell{array: c.array, size: c.variable.Size(), element: c.element} }

// cells returns the cells of the columns.
func (t table) cells() (all []cell) {
	for _, c := range t.columns {
		all = append(all, c.cell())
	}
	return all
}

// rows calls each for every draw of the chains from..to-1, with the numbers of some cells, which may be used until it
// returns. Draws are read as they are needed.
func (t table) rows(cells []cell, from, to int, each func(chain, draw int, row []float64) error) error {
	var arrays []store.Array
	places := make([]int, len(cells)) // among the arrays
	for k, c := range cells {
		if c.array.Name == "" {
			continue
		}
		places[k] = slices.Index(arrays, c.array)
		if places[k] < 0 {
			places[k], arrays = len(arrays), append(arrays, c.array)
		}
	}
	row := make([]float64, len(cells))
	return t.run.Together(arrays, from, to, func(chain, first int, values [][]float64) error {
		for d := range drawsOf(cells, places, values) {
			for k, c := range cells {
				row[k] = c.otherwise
				if c.array.Name != "" {
					row[k] = values[places[k]][d*c.size+c.element]
				}
			}
			if err := each(chain, first+d, row); err != nil {
				return err
			}
		}
		return nil
	})
}

// drawsOf returns how many draws the values of arrays have.
func drawsOf(cells []cell, places []int, values [][]float64) int {
	for k, c := range cells {
		if c.array.Name != "" && c.size > 0 {
			return len(values[places[k]]) / c.size
		}
	}
	return 0
}

// allRows is rows of all columns and chains.
func (t table) allRows(each func(chain, draw int, row []float64) error) error {
	return t.rows(t.cells(), 0, t.run.Layout.Chains, each)
}
