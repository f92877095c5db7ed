package bind

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// columnsOf returns the columns of a table that form a matrix: those that the model names, or else the numeric columns
// that no other array uses. ok is false after an error.
func (t *arrays) columnsOf(a *model.Array, f *content.File) (columns []*content.Array, ok bool) {
	if len(a.Columns) == 0 {
		return t.otherColumns(a, f), true
	}
	if a.Optional && !slices.ContainsFunc(a.Columns, func(c model.Column) bool { return f.Find(c.Name) != nil }) {
		return nil, true // observed data that are not among the new data
	}
	for _, c := range a.Columns {
		x := f.Find(c.Name)
		if x != nil && x.Labels != nil {
			x = cmp.Or(x.Dates(), x)
		}
		switch {
		case x == nil:
			d := t.diags.Errorf(diag.DataUnavailable, c.At, "%s has no column %q", f.Path, c.Name)
			d.Help("%s", diag.MeantAmong(f.Order, "%q", c.Name, "available: "+strings.Join(shorten(f.Order), ", ")))
			return nil, false
		case x.Labels != nil:
			t.diags.Errorf(diag.ImpossibleValue, c.At, "column %q of %s is text, not numbers", c.Name, f.Path).
				Help("declare a column with names of groups as a separate array: `data g[N]: index(J)`")
			return nil, false
		}
		columns = append(columns, x)
	}
	return columns, true
}

// otherColumns returns the numeric columns that no other array uses. Row numbers are not predictors: columns with names
// that pandas and R give to row numbers are omitted. A note reports these, and other columns that count the rows.
func (t *arrays) otherColumns(a *model.Array, f *content.File) (columns []*content.Array) {
	for _, name := range f.Order {
		if t.files.knows(name) || t.files.knows(content.Spelled(name)) || t.chosen(name) {
			continue
		}
		x := f.Array(name)
		if x.Labels != nil || x.Refused() {
			continue
		}
		if rowNumbers.MatchString(name) {
			t.diags.Notef(diag.UnreadRowNames, a.At, "column `%s` of %s is not used, since its name suggests row "+
				"numbers; to use it, list it in `columns`", name, f.Path)
			continue
		}
		if countsRows(x) {
			t.diags.Notef(diag.UnreadRowNames, a.At, "column `%s` of %s contains row numbers, but is used in `%s`; "+
				"to omit it, list the other columns in `columns`", name, f.Path, a.Name)
		}
		columns = append(columns, x)
	}
	return columns
}

// rowNumbers matches the names that pandas and R give to unnamed columns of row numbers.
var rowNumbers = regexp.MustCompile(`^(Unnamed: \d+(\.\d+)?|__index_level_\d+__|level_\d+|\.\.\.\d+|rownames|row\.names)$`)

// countsRows reports whether a column holds the numbers of its rows, from 0 or 1.
func countsRows(x *content.Array) bool {
	if x.Rows != nil || len(x.Shape) != 1 || x.Labels != nil || x.Values.Len() < 3 {
		return false
	}
	first := x.Values.At(0)
	for i, v := range x.Values.All() {
		if v != first+float64(i) {
			return false
		}
	}
	return first == 0 || first == 1
}

// chosen reports whether the model names a column for some matrix.
func (t *arrays) chosen(name string) bool {
	return slices.ContainsFunc(t.d.Model.Arrays, func(a *model.Array) bool {
		return slices.ContainsFunc(a.Columns, func(c model.Column) bool { return c.Name == name })
	})
}
