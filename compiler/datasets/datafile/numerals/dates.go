package numerals

import (
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

// DateOf returns the date that is that many days after 1970-01-01.
func DateOf(days float64) string { return time.Unix(int64(days)*86400, 0).UTC().Format(time.DateOnly) }
