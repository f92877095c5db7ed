// Package export writes the draws of a run in formats that other programs read. A table lists the formats; most of them
// write one column for each element:
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
	"ppl/posterior/quantities"
	"ppl/posterior/store"
)

// A Format is an output format. If PerChain is set, each chain is written to a separate file.
type Format struct {
	Name, Ending, Doc string
	PerChain          bool
	Binary            bool
	write             func(w io.Writer, t table, chain int) error // nil for a format that writes the groups of a run
}

// Formats returns the table of formats.
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

// Find returns the format with the given name or file extension.
func Find(name string) (Format, error) {
	var names []string
	for _, f := range Formats() {
		if f.Name == name || f.Ending == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Format{}, fmt.Errorf("unknown format %q; available: %s", name, strings.Join(names, ", "))
}

// A table holds the columns to write.
type table struct {
	run     *store.Run
	columns []column
	draws   int  // number of draws of each chain; a group of predictions may have fewer than the run
	logLik  bool // Choice.LogLik
}

// A column is one element of a variable.
type column struct {
	variable types.Variable
	element  int
	array    store.Array // array that holds the variable
}

// heading returns the column's name. Every file starts with two more columns, chain and draw.
func (c column) heading() string { return store.ArrayName(c.variable.Element(c.element)) }

// A Choice selects what to write. Group, if set, is a group with a row for each draw, such as log_likelihood. If Group
// is empty, Names are variables or elements of the posterior, or of the prior if the run sampled the prior. If Names is
// empty, everything is written. A single name that is a group but not a variable selects that group.
type Choice struct {
	Group  string
	Names  []string
	LogLik bool // cmdstan-csv: also write the log likelihood of each row, as log_lik
}

// Write writes the selected draws. Chain, counted from 0, selects the chain in a format that writes a file for each
// chain.
func Write(w io.Writer, r *store.Run, f Format, c Choice, chain int) error {
	c, err := c.resolved(r)
	if err != nil {
		return err
	}
	selected, err := quantities.Select(c.variables(r), c.Names, r)
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

// resolved interprets a single name that only matches a group as that group. It fails if the run has no such group.
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
		return c, quantities.Unusable{Reason: fmt.Sprintf("%s has no group %q with draws; it has %s", r.Dir, c.Group,
			strings.Join(names, ", "))}
	}
	return c, nil
}

// variables returns the variables that the choice can name.
func (c Choice) variables(r *store.Run) []types.Variable {
	switch {
	case c.Group != "":
		return r.Streamed(c.Group)
	case r.FromPrior():
		return slices.Concat(r.Layout.Prior, r.Layout.PriorPredictive)
	}
	return r.Layout.Posterior
}

// table returns the table with the columns of the selected elements.
func (c Choice) table(r *store.Run, selected []quantities.Selected) (table, error) {
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

// group returns the name of the run's group that contains a variable.
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

// A cell reads one number of each draw: an element of an array, or the constant otherwise if array has no name.
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

// rows calls each with every draw of chains from to to-1 and the values of the given cells. The row is reused, so it is
// valid only until each returns. Draws are read from the run as needed.
func (t table) rows(cells []cell, from, to int, each func(chain, draw int, row []float64) error) error {
	var arrays []store.Array
	places := make([]int, len(cells)) // index in arrays, by cell
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

// drawsOf returns the number of draws in the values read from the arrays.
func drawsOf(cells []cell, places []int, values [][]float64) int {
	for k, c := range cells {
		if c.array.Name != "" && c.size > 0 {
			return len(values[places[k]]) / c.size
		}
	}
	return 0
}

// allRows calls rows for all columns and chains.
func (t table) allRows(each func(chain, draw int, row []float64) error) error {
	return t.rows(t.cells(), 0, t.run.Layout.Chains, each)
}
