package ir

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden file")

func TestPrint(t *testing.T) {
	const golden = "testdata/print.txt"
	got := valid().String()
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestOpTable(t *testing.T) {
	seen := map[string]bool{}
	for o := Const; int(o) < Ops; o++ {
		if o.String() == "" || seen[o.String()] {
			t.Errorf("op %d has no name of its own: %q", o, o)
		}
		seen[o.String()] = true
	}
}
