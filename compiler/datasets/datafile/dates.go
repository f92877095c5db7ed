package datafile

import (
	"math"
	"time"
)

// dateForms returns the forms of ISO 8601 that tables have.
func dateForms() []string {
	return []string{time.DateOnly, time.DateTime, "2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05",
		"2006-01-02T15:04",
		"2006-01-02 15:04", "2006-01"}
}

// Days reads a date, or a time of a day, as days since 1970-01-01 (UTC where no zone is given); ok is false for other
// texts.
func Days(text string) (days float64, ok bool) {
	for _, form := range dateForms() {
		if t, err := time.Parse(form, text); err == nil {
			return (float64(t.Unix()) + float64(t.Nanosecond())*1e-9) / 86400, true
		}
	}
	return 0, false
}

// Dates turns an array of texts that are all dates into days since 1970-01-01; nil if some are not.
func (a *Array) Dates() *Array {
	days := make([]float64, len(a.Labels))
	for k, text := range a.Labels {
		var ok bool
		if days[k], ok = Days(text); !ok {
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

// datesInFile gives the texts of a column in a file the days of its labels.
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

// Column returns what is known of all values of the k-th column of an array in a file.
func (a *Array) Column(k int) Column {
	c := a.Rows.Columns[a.Columns[k]]
	days := a.Codes[a.Columns[k]]
	if a.Labels != nil || days == nil {
		return c
	}
	c.Low.At, c.High.At, c.Broken.At = -1, -1, -1
	for i, day := range days {
		c.note(day, c.First[i])
	}
	return c
}

// DateOf returns the date that is that many days after 1970-01-01.
func DateOf(days float64) string { return time.Unix(int64(days)*86400, 0).UTC().Format(time.DateOnly) }
