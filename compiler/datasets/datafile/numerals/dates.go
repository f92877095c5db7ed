package numerals

import (
	"time"
)

// dateForms returns layouts, for package time, of the forms of ISO 8601 that tables contain.
func dateForms() []string {
	return []string{time.DateOnly, time.DateTime, "2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05",
		"2006-01-02T15:04",
		"2006-01-02 15:04", "2006-01"}
}

// Days reads a date, or a date with a time, as days since 1970-01-01, in UTC if the text has no time zone. ok is false
// for other texts.
func Days(text string) (days float64, ok bool) {
	for _, form := range dateForms() {
		if t, err := time.Parse(form, text); err == nil {
			return (float64(t.Unix()) + float64(t.Nanosecond())*1e-9) / 86400, true
		}
	}
	return 0, false
}

// DateOf returns the date that is the given number of days after 1970-01-01.
func DateOf(days float64) string { return time.Unix(int64(days)*86400, 0).UTC().Format(time.DateOnly) }
