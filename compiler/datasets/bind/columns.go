package bind

import (
	"cmp"
	"slices"
	"strings"

	"ppl/compiler/datasets/datafile"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// columnsOf are the columns of a table that make a matrix: those that the model names for it, or the numeric ones that
// nothing else takes. It is not ok where one of them is wrong, which is reported.
func (t *arrays) columnsOf(a *model.Array, f *datafile.File) (columns []*datafile.Array, ok bool) {
	if len(a.Columns) == 0 {
		for _, name := range f.Order {
			if !t.files.knows(name) && !t.files.knows(datafile.Spelled(name)) && f.Arrays[name].Labels == nil &&
				f.Arrays[name].Unread == nil &&
				!t.chosen(name) {
				columns = append(columns, f.Arrays[name])
			}
		}
		return columns, true
	}
	for _, c := range a.Columns {
		x := f.Find(c.Name)
		if x != nil && x.Labels != nil {
			x = cmp.Or(x.Dates(), x)
		}
		switch {
		case x == nil:
			d := t.diags.Errorf("E83", c.At, "%s has no column %q", f.Path, c.Name)
			if near, ok := diag.Nearest(c.Name, f.Order); ok {
				d.Help("did you mean %q?", near)
			} else {
				d.Help("it has %s", strings.Join(shorten(f.Order), ", "))
			}
			return nil, false
		case x.Labels != nil:
			t.diags.Errorf("E57", c.At, "column %q of %s is text, not numbers", c.Name, f.Path).
				Help("names of groups are read as data of their own: `data g[N]: index(J)`")
			return nil, false
		}
		columns = append(columns, x)
	}
	return columns, true
}

// chosen reports whether the model names a column for some matrix.
func (t *arrays) chosen(name string) bool {
	return slices.ContainsFunc(t.d.Model.Arrays, func(a *model.Array) bool {
		return slices.ContainsFunc(a.Columns, func(c model.Column) bool { return c.Name == name })
	})
}
