package examples_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ppl/autodiff"
	"ppl/compiler"
	"ppl/compiler/backend/lower"
)

// TestProgramsDoNotGrowWithRows checks that the size of compiled programs does not depend on the number of rows: if
// each row occurs three times, the program of a density and its gradient has at most a tenth more lines. (The size
// decides which values are stored.) Compilation times are printed, not judged.
func TestProgramsDoNotGrowWithRows(t *testing.T) {
	for _, name := range []string{"seeds", "challenger", "remission", "ryegrass", "nile", "coal", "earthquakes",
		"garch", "volatility", "influenza", "lynx"} {
		t.Run(name, func(t *testing.T) {
			once, thrice := loweredLines(t, name, 1), loweredLines(t, name, 3)
			if thrice > once+once/10 {
				t.Errorf("%d lines, with three times the rows %d", once, thrice)
			}
		})
	}
}

// loweredLines compiles an example whose table has each row several times.
func loweredLines(t *testing.T, name string, times int) int {
	t.Helper()
	dir := t.TempDir()
	for _, file := range []string{name + ".ppl", name + ".csv"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if head, rows, _ := strings.Cut(string(text), "\n"); strings.HasSuffix(file, ".csv") {
			text = []byte(head + "\n" + strings.Repeat(strings.TrimRight(rows, "\n")+"\n", times))
		}
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	lines := strings.Count(densityProgram(t, load(t, filepath.Join(dir, name+".ppl"))), "\n")
	t.Logf("rows ×%d: %4d lines in %.3f s", times, lines, time.Since(began).Seconds())
	return lines
}

// densityProgram returns the text of the program of log prior, log likelihood and gradient.
func densityProgram(t *testing.T, p *compiler.Program) string {
	t.Helper()
	theta := autodiff.New().Input("theta", p.Dim())
	prior, likelihood := p.Density(theta)
	program, err := lower.Program([]lower.Entry{{Name: "density", Assign: []lower.Assign{
		{Name: "log_prior", Value: prior}, {Name: "log_likelihood", Value: likelihood},
		{Name: "gradient", Value: autodiff.Grad(autodiff.Add(prior, likelihood), theta)[0]},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return program.String()
}
