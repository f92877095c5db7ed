package formula

import (
	"math"
	"strings"
	"testing"
)

// TestForms writes the model of the example in each row of the table of functions. For refused functions it checks that
// the message has the text to write instead.
func TestForms(t *testing.T) {
	columns := []Column{{Name: "f", Levels: []string{"a", "b"}}, {Name: "g", Levels: []string{"p", "q", "r"}}}
	for _, name := range []string{"y", "x", "z", "n", "m"} {
		columns = append(columns, Column{Name: name})
	}
	for i := range 24 {
		for k, v := range []float64{float64(1 + i%2), float64(1 + i/2%3), 2 + math.Sin(float64(i)), float64(i%7) / 7,
			float64(i % 2), float64(1 + i%5), float64(7 + i%3)} {
			columns[k].Values = append(columns[k].Values, v)
		}
	}
	for _, f := range forms() {
		r := Request{Formula: f.example, Data: Table{Path: "t.csv", Columns: columns}}
		if strings.Contains(f.example, "trials") || strings.Contains(f.example, "cbind") {
			r.Family = "binomial"
		}
		if strings.Contains(f.example, "rate") {
			r.Family = "poisson"
		}
		text, err := Model(r)
		switch {
		case !strings.Contains(f.example, f.name+"("):
			t.Errorf("the example %s has no %s", f.example, f.name)
		case f.role != refusedForm && err != nil:
			t.Errorf("%s: %v", f.example, err)
		case f.role == refusedForm && err == nil:
			t.Errorf("%s is not refused:\n%s", f.example, text)
		case f.role == refusedForm && !strings.Contains(err.Error(), f.instead):
			t.Errorf("%s: the message does not say what to write instead: %v", f.example, err)
		}
	}
}
