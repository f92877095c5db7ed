package autodiff

import "testing"

// Every elementwise kind has a row, and every row has the fields that all rows need.
func TestElementwiseKindsHaveRows(t *testing.T) {
	for _, k := range ElementwiseKinds() {
		row := k.Row()
		if row.Name == "" || row.Cost <= 0 || row.Arity() == 3 && k != OpSelect {
			t.Errorf("elementwise.go: kind %d (%q) has no name, value or cost", k, row.Name)
		}
		if f := row.Function; f.Name != "" && (f.Doc == "" || f.Range == nil) {
			t.Errorf("elementwise.go: %s has no sentence or no range", f.Name)
		}
	}
	for k := Kind(0); k < numKinds; k++ {
		if k.String() == "" {
			t.Errorf("kind.go: kind %d has no row in kinds", k)
		}
	}
}
