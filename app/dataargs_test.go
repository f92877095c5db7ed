package app

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ppl/compiler"
)

func TestDataArgs(t *testing.T) {
	got, err := DataArgs([]string{"d.json", "y=a=b.csv", "./x=1.csv", "dir/x=1.csv"})
	want := []compiler.DataArg{{Path: "d.json"}, {Name: "y", Path: "a=b.csv"}, {Path: "./x=1.csv"},
		{Path: "dir/x=1.csv"}}
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	for _, bad := range []string{"", "y="} {
		if _, err := DataArgs([]string{bad}); err == nil {
			t.Errorf("--data %q is taken", bad)
		}
	}
}
