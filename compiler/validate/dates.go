package validate

import (
	"math"
	"slices"
	"strconv"
	"time"

	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/numbers"
)

// A dateForm is a way to write a date as an integer.
type dateForm struct {
	name, unit string
	written    string // layout of package time that writes the same date with hyphens
	least      int    // minimum number of different values of a column of dates
	parts      func(v int) (year, month, day int)
}

// Every eighth integer near 200000 is a valid month, so YYYYMM requires many different values.
var dateForms = []dateForm{
	{"YYYYMMDD", "days", time.DateOnly, 2, func(v int) (year, month, day int) {
		return v / 10000, v / 100 % 100, v % 100
	}},
	{"DDMMYYYY", "days", time.DateOnly, 3, func(v int) (year, month, day int) {
		return v % 10000, v / 10000 % 100, v / 1000000
	}},
	{"MMDDYYYY", "days", time.DateOnly, 3, func(v int) (year, month, day int) {
		return v % 10000, v / 1000000, v / 10000 % 100
	}},
	{"YYYYMM", "months", "2006-01", 12, func(v int) (year, month, day int) { return v / 100, v % 100, 1 }},
}

// read returns the date that a number means in this form; ok is false unless it is from 1900 to 2100.
func (f dateForm) read(v float64) (date time.Time, ok bool) {
	if v != math.Trunc(v) || v < 190001 || v > 31122100 {
		return date, false
	}
	year, month, day := f.parts(int(v))
	date = time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	return date, year >= 1900 && year <= 2100 && date.Day() == day && date.Month() == time.Month(month)
}

// NoteDates adds a note about data whose numbers are dates without hyphens, such as 20210131. Their differences are not
// days. As codes of groups they have no gaps for missing dates.
func NoteDates(e *evaluate.Evaluator, m *model.Model) {
	grouped := map[*model.Size]bool{}
	for _, a := range m.Arrays {
		data, ok := e.Data.Arrays[a]
		if a.Role != model.Data || !ok || data.Stream != nil || len(a.Type.Axes) != 1 {
			continue
		}
		values, grouping := distinctValues(data.Values), false
		if a.IndexOf != nil {
			var of *model.SizeOf
			of, grouping = a.IndexOf.Hi.(*model.SizeOf)
			if !grouping || grouped[of.Size] {
				continue
			}
			grouped[of.Size], values = true, numbersOf(e.Data.Labels[of.Size])
		}
		noteDates(e, a, values, grouping)
	}
}

func noteDates(e *evaluate.Evaluator, a *model.Array, values []float64, grouping bool) {
	k := slices.IndexFunc(dateForms, func(f dateForm) bool {
		return len(values) >= f.least && !slices.ContainsFunc(values, func(v float64) bool {
			_, ok := f.read(v)
			return !ok
		})
	})
	if k < 0 {
		return
	}
	form := dateForms[k]
	date, _ := form.read(values[0])
	text := date.Format(form.written)
	what, help := "whose differences are not "+form.unit, "write "+text+" in the file; dates are read as days since "+
		"1970-01-01"
	if grouping {
		what = "and the groups are numbered without gaps for missing dates"
		help = "dates can name groups; for a series, give a group for each date, or the distances between dates as data"
	}
	e.Diags.Notef(diag.DatesAsNumbers, a.At, "`%s` has dates written as numbers (%s: %.0f is %s), %s", a.Name,
		form.name, values[0], text, what).Help("%s", help)
}

// distinctValues returns the different values of a column without missing ones, or nil if one cannot be a date.
func distinctValues(x numbers.List) (values []float64) {
	seen := map[float64]bool{}
	for _, v := range x.All() {
		switch {
		case math.IsNaN(v) || seen[v]:
		case v != math.Trunc(v) || v < 190001:
			return nil
		default:
			seen[v], values = true, append(values, v)
		}
	}
	return values
}

// numbersOf returns the names of groups as numbers, or nil if some are not numbers.
func numbersOf(names []string) (values []float64) {
	for _, name := range names {
		v, err := strconv.ParseFloat(name, 64)
		if err != nil {
			return nil
		}
		values = append(values, v)
	}
	return values
}
