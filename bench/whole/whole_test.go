package main

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestCubicSplines checks known values of the B-spline, and that the splines sum to one inside the interval.
func TestCubicSplines(t *testing.T) {
	if got := cubic(2); math.Abs(got-2.0/3) > 1e-15 {
		t.Errorf("cubic(2) = %g, not 2/3", got)
	}
	for _, x := range []float64{-1, 0, 4, 5} {
		if got := cubic(x); got != 0 {
			t.Errorf("cubic(%g) = %g", x, got)
		}
	}
	for i, row := range spline()["basis"].([][]float64) {
		sum := 0.0
		for _, b := range row {
			sum += b
		}
		if math.Abs(sum-1) > 1e-13 {
			t.Fatalf("the splines at point %d sum to %g", i, sum)
		}
	}
}

// TestTargets checks that the model of every target compiles and has the stated number of parameters.
func TestTargets(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	ppl := filepath.Join(t.TempDir(), "ppl")
	if out, err := exec.Command("go", "build", "-o", ppl, "ppl/cmd/ppl").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, target := range targets() {
		data := filepath.Join(t.TempDir(), "data.json")
		text, err := json.Marshal(target.Data)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(data, text, 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(ppl, "build", "--emit=graph", filepath.Join("models", target.Model+".ppl"),
			"--data", data).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", target.Name, err, out)
			continue
		}
		if want := "[" + strconv.Itoa(target.Size) + "]"; !strings.Contains(string(out), want) {
			t.Errorf("%s: no input of %d numbers", target.Name, target.Size)
		}
	}
}

// TestRead checks that the effective sample size is the minimum of bulk and tail ESS over the common quantities.
func TestRead(t *testing.T) {
	var r result
	summary := `{"gradients": 100, "parameters": [{"name": "a[1]", "ess_bulk": 30, "ess_tail": 20},
		{"name": "a[2]", "ess_bulk": 25, "ess_tail": 40}, {"name": "ab", "ess_bulk": 1, "ess_tail": 1}]}`
	if err := r.read([]byte(summary), []string{"a"}); err != nil || r.ESS != 20 || r.Gradients != 100 {
		t.Errorf("%+v, %v", r, err)
	}
	if err := r.read([]byte(summary), []string{"a", "b"}); err == nil {
		t.Error("a quantity that the summary lacks is not noticed")
	}
}

func TestTable(t *testing.T) {
	runs := []result{{Processor: 3, Sampling: 2, ESS: 400, Gradients: 1e5, Memory: 5e7, Compiled: 0.5},
		{Processor: 30, Sampling: 20, ESS: 100, Gradients: 1e5, Memory: 9e7, Compiled: 0.7},
		{Processor: 4, Sampling: 1, ESS: 500, Gradients: 2e5, Memory: 6e7, Compiled: 0.6}, {Failed: "signal: killed"}}
	want := "| line | 2 | ppl nuts | 4.00 s | 2.00 s | 400 | 200 | 2.50 | 60 % | 60 MB | 3 |\n"
	if got := rowStart(target{Name: "line", Size: 2}, "ppl nuts") + cells("ppl nuts", runs); got != want {
		t.Errorf("%q, not %q", got, want)
	}
}

// TestTableInParts checks that measured rows are replaced in a table, and that other rows, sections and notes are
// unchanged.
func TestTableInParts(t *testing.T) {
	b, file := bench{work: t.TempDir()}, filepath.Join(t.TempDir(), "table.md")
	row := "| radon | 175 | nutpie | 13.3 s | 1.27 s | 98 | 77.0 | 0.83 |  | 542 MB | 1 |\n"
	rest := "\n## Growth\n\nA table.\n\n## Notes\n\nOne.\n\n## More\n\nTwo.\n"
	old := "| radon | 175 | ppl renhd | 9.00 s | 1.27 s | 98 | 77.0 | 0.83 |  | 542 MB | 1 |\n"
	if err := os.WriteFile(file, []byte(head+old+row+rest), 0o600); err != nil {
		t.Fatal(err)
	}
	radon := targets()[slices.IndexFunc(targets(), func(t target) bool { return t.Name == "radon" })]
	for seed, seconds := range map[int]string{1: "3", 2: "2", 3: "2.5"} {
		text := `{"processor": ` + seconds + `, "sampling": 2, "gradients": 1e5, "ess": 1000, "memory": 1e8}`
		if err := os.WriteFile(b.kept(radon, "ppl renhd", seed), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.write(file); err != nil {
		t.Fatal(err)
	}
	want := head + "| radon | 175 | ppl renhd | 2.50 s | 2.00 s | 1000 | 500 | 10.0 | 0 % | 100 MB | 3 |\n" + row + rest
	if got, err := os.ReadFile(file); err != nil || string(got) != want {
		t.Errorf("the table is\n%s\nnot\n%s (%v)", got, want, err)
	}
}
