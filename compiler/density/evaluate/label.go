package evaluate

import (
	"slices"
	"strconv"
	"strings"

	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// labelled returns the number of the element that a label names.
func (e *Evaluator) labelled(x *model.Label) int {
	names := e.labelsOf(x.Set)
	at := slices.Index(names, x.Text)
	if at >= 0 {
		return at + 1
	}
	entry := e.Diags.Errorf(diag.NoSuchElement, x.At, "%s has no element named %q", x.Set.Name, x.Text)
	if near, ok := diag.Nearest(x.Text, names); ok {
		entry.Meant("%q", near)
	} else if _, err := strconv.ParseFloat(x.Text, 64); err == nil && len(names) == 0 {
		entry.Help("its elements are numbers: write `%s` without quotes", x.Text)
	} else if len(names) == 0 {
		entry.Help("its elements are numbers: names come from a column of texts that is declared as `index(%s)`",
			x.Set.Name)
	} else {
		entry.Help("available: %s", strings.Join(quoted(names), ", "))
	}
	e.Stop(entry)
	return 0
}

// quoted returns the first names, in quotes, for a message.
func quoted(names []string) (out []string) {
	for i, n := range names {
		if i == 12 {
			return append(out, "…")
		}
		out = append(out, `"`+n+`"`)
	}
	return out
}

// labelsOf returns the names of the elements of a set, the first for element 1; nil if the elements have only numbers.
func (e *Evaluator) labelsOf(s *model.Set) []string {
	if of, ok := s.Hi.(*model.SizeOf); ok {
		if names := e.Data.Labels[of.Size]; names != nil {
			return names
		}
		return texts(e.Data.RowNumbers[of.Size])
	}
	return nil
}

// texts returns numbers as names.
func texts(numbers []int) (out []string) {
	for _, n := range numbers {
		out = append(out, strconv.Itoa(n))
	}
	return out
}
