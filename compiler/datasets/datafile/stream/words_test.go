package stream

import (
	"errors"
	"fmt"
	"testing"
)

// A column with more than mostLabels texts is read again as dates if the first text is a date; otherwise it is an
// error.
func TestManyTexts(t *testing.T) {
	for first, dates := range map[string]bool{"2024-02-29": true, "Oslo": false} {
		w := TextColumn{}
		for i := range mostLabels {
			text := first
			if i > 0 {
				text = fmt.Sprint(i)
			}
			if n, err := w.Number(text, 3, i); err != nil || n.Value != float64(i+1) {
				t.Fatal(n, err)
			}
		}
		_, err := w.Number("2024-03-01", 3, mostLabels)
		again := Retyping{}
		if errors.As(err, &again) != dates || dates && (again.Column != 3 || !again.Dates) ||
			!dates && err != errManyTexts {
			t.Errorf("after many texts like %s: %v", first, err)
		}
	}
}
