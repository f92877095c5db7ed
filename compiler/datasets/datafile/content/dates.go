package content

import (
	"math"

	"ppl/compiler/datasets/datafile/numerals"
	"ppl/compiler/datasets/datafile/rowfile"
)

// Dates returns an array of texts that are all dates as days since 1970-01-01, or nil if some texts are not dates.
func (a *Array) Dates() *Array {
	days := make([]float64, len(a.Labels))
	for k, text := range a.Labels {
		var ok bool
		if days[k], ok = numerals.Days(text); !ok {
			return nil
		}
	}
	b := *a
	b.Labels, b.Int, b.Days = nil, true, true
	if a.Rows != nil {
		return b.datesInFile(days)
	}
	b.Values = a.Values.Map(func(v float64) float64 {
		if math.IsNaN(v) {
			return v
		}
		day := days[int(v)-1]
		b.Int = b.Int && day == math.Trunc(day)
		return day
	})
	return &b
}

// datesInFile makes a text column in a row file a column of dates: it maps the code of each label to the number of
// days.
func (a *Array) datesInFile(days []float64) *Array {
	c := a.Columns[0]
	labels := a.Rows.Columns[c].Codes
	codes := make([]float64, len(labels))
	for k, label := range labels {
		codes[k] = days[int(label)-1]
		a.Int = a.Int && codes[k] == math.Trunc(codes[k])
	}
	a.Codes = map[int][]float64{c: codes}
	return a
}

// Column returns the summary of all values of the k-th column of an array in a row file.
func (a *Array) Column(k int) rowfile.Column {
	c := a.Rows.Columns[a.Columns[k]]
	days := a.Codes[a.Columns[k]]
	if a.Labels != nil || days == nil {
		return c
	}
	c.Low.At, c.High.At, c.Broken.At = -1, -1, -1
	for i, day := range days {
		c.Note(day, c.First[i])
	}
	return c
}
