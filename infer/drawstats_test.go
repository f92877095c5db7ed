package infer

import (
	"reflect"
	"slices"
	"testing"
)

// TestDrawStatsAreStoredByName stores all statistics, first in the order of the table and then in reverse order: each
// value must be stored under its name.
func TestDrawStatsAreStoredByName(t *testing.T) {
	want := map[string]float64{"log_prior": 1, "log_lik": 2, "acceptance_rate": 3, "step_size": 4, "tree_depth": 5,
		"n_steps": 6, "diverging": 1, "energy": 7, "replica": 8, "log_q": 9, "lp": 3, "lp_estimate": 3,
		"log_lik_estimate": 2}
	d := DrawStats{LogPrior: 1, LogLik: 2, AcceptRate: 3, StepSize: 4, TreeDepth: 5, Steps: 6, Diverging: true,
		Energy: 7, Replica: 8, LogQ: 9}
	for i := range reflect.TypeFor[DrawStats]().NumField() {
		if reflect.ValueOf(d).Field(i).IsZero() {
			t.Fatalf("the test sets no value for the field %s", reflect.TypeFor[DrawStats]().Field(i).Name)
		}
	}
	var names []string
	for _, v := range statistics() {
		names = append(names, v.Name)
	}
	for range 2 {
		kept := KeepStatistics(names...)
		got := kept.Append(nil, d)
		for k, v := range kept.Variables() {
			if v.Name != names[k] || got[k] != want[v.Name] {
				t.Errorf("%s: %v, want %v", v.Name, got[k], want[v.Name])
			}
		}
		slices.Reverse(names)
	}
	if len(names) != len(want) {
		t.Errorf("there are %d statistics, but the test has values for %d", len(names), len(want))
	}
}
