package main

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ppl/app"
	"ppl/compiler"
)

func TestDataArgs(t *testing.T) {
	got, err := app.DataArgs([]string{"d.json", "y=a=b.csv", "./x=1.csv", "dir/x=1.csv"})
	want := []compiler.DataArg{{Path: "d.json"}, {Name: "y", Path: "a=b.csv"}, {Path: "./x=1.csv"},
		{Path: "dir/x=1.csv"}}
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	for _, bad := range []string{"", "y="} {
		if _, err := app.DataArgs([]string{bad}); err == nil {
			t.Errorf("--data %q is taken", bad)
		}
	}
}

// JSON has no infinities; densities do.
func TestNumberJSON(t *testing.T) {
	got, err := json.Marshal([]number{-1.5, number(math.Inf(-1)), number(math.Inf(1)), number(math.NaN())})
	if want := `[-1.5,"-inf","inf","nan"]`; err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}
