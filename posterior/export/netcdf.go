package export

import (
	"fmt"
	"io"
	"slices"

	"ppl/posterior/netcdf"
	"ppl/posterior/quantities"
	"ppl/posterior/store"
)

// netCDF is the name of the format that writes the groups of a run.
const netCDF = "netcdf"

// writeNetCDF writes the groups of a run in the layout of ArviZ's from_netcdf. If variables are selected, it writes
// only those, with their groups; a selected variable must be complete.
func writeNetCDF(w io.Writer, r *store.Run, group string, selected []quantities.Selected, all bool) error {
	for _, s := range selected {
		if len(s.Elements) != s.Variable.Size() {
			return quantities.Unusable{Reason: fmt.Sprintf("a netcdf file holds complete variables: name %s "+
				"without an index", s.Variable.Name)}
		}
	}
	root := netcdf.Group{Attributes: attributes(r)}
	for _, g := range r.Groups() {
		if group != "" && g.Name != group || group == "" && !all && !slices.Contains(chosenFrom(), g.Name) {
			continue
		}
		out := netcdf.Group{Name: g.Name, Attributes: attributes(r)}
		for _, a := range g.Axes {
			out.Axes = append(out.Axes, netcdf.Axis{Name: a.Name, First: a.First, Size: a.Size, Labels: a.Labels})
		}
		for _, a := range g.Arrays {
			if all || slices.ContainsFunc(selected, func(s quantities.Selected) bool {
				return s.Variable.Name == a.Variable.Name
			}) {
				out.Arrays = append(out.Arrays, arrayOf(a))
			}
		}
		if all || len(out.Arrays) > 0 {
			root.Groups = append(root.Groups, out)
		}
	}
	return netcdf.Write(w, root)
}

// chosenFrom returns the groups from which variables can be selected. A run has either the first or the other two.
func chosenFrom() []string { return []string{"posterior", "prior", "prior_predictive"} }

func arrayOf(a store.GroupArray) netcdf.Array {
	out := netcdf.Array{Name: a.Name, Axes: a.Axes, Write: a.Write}
	switch {
	case a.Variable.Bool:
		out.Kind = netcdf.Bool
	case a.Variable.Int:
		out.Kind = netcdf.Int
	}
	if a.Variable.Doc != "" {
		out.Attributes = []netcdf.Attribute{{Name: "description", Text: a.Variable.Doc}}
	}
	return out
}

func attributes(r *store.Run) (all []netcdf.Attribute) {
	for _, a := range r.About() {
		all = append(all, netcdf.Attribute{Name: a[0], Text: a[1]})
	}
	return all
}
