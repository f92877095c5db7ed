package translate_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ppl/compiler"
	"ppl/compiler/datasets/datafile"
	"ppl/lang/diag"
	"ppl/lang/stan"
)

// shared is the directory of programs and data of posteriordb, which may not exist; values is the file of the log
// densities that Stan computed for them (experiments/stan/oracle.py).
const (
	shared = "../../../../shared"
	values = "../../../experiments/stan/values"
)

// A point holds values of the parameters, and the log density of Stan there, without Jacobians.
type point struct {
	At    json.RawMessage `json:"at"`
	Plain float64         `json:"plain"`
}

// The log density of a translated program is that of Stan up to a constant.
func TestStanAgrees(t *testing.T) {
	for program, data := range map[string]string{"eight_schools_noncentered": "eight_schools", "garch11": "garch",
		"low_dim_gauss_mix": "low_dim_gauss_mix", "hmm_example": "hmm_example", "arK": "arK"} {
		t.Run(program, func(t *testing.T) {
			file := filepath.Join(shared, "posteriordb/data", data+".json")
			text, err := os.ReadFile(filepath.Join(shared, "stan/posteriordb", program+".stan"))
			if err != nil {
				t.Skipf("there is no collection of programs: %v", err)
			}
			m := model(t, string(text), readData(t, file))
			p, ds := compiler.Load(compiler.Request{Path: "m.ppl", Text: m.Text,
				Data: []compiler.DataArg{{Path: file}}})
			if diag.HasErrors(ds) || !m.Equal() {
				t.Fatalf("%v %v\n%s", m.Unsaid, ds, m.Text)
			}
			compare(t, p, program)
		})
	}
}

// compare evaluates a program at the points for which Stan's log density is known.
func compare(t *testing.T, p *compiler.Program, program string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(values, program+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var points []point
	if err := json.Unmarshal(text, &points); err != nil {
		t.Fatal(err)
	}
	first := math.NaN()
	for i, pt := range points {
		at, err := datafile.Parse("at.json", pt.At)
		if err != nil {
			t.Fatal(err)
		}
		l, err := p.LogProb(at.Arrays)
		if err != nil {
			t.Fatal(err)
		}
		difference := l.Prior + l.Likelihood - pt.Plain
		if i == 0 {
			first = difference
		}
		if !(math.Abs(difference-first) <= 1e-9*math.Max(1, math.Abs(pt.Plain))) {
			t.Errorf("at point %d the log density differs from that of Stan by %g, at the first one by %g", i+1,
				difference,
				first)
		}
	}
}

// readData reads a file of data.
func readData(t *testing.T, path string) stan.Data {
	t.Helper()
	file, err := datafile.Read(path)
	if err != nil {
		t.Skipf("there are no data: %v", err)
	}
	out := stan.Data{}
	for _, a := range file.Columns() {
		v := make([]float64, a.Values.Len())
		for i := range v {
			v[i] = a.Values.At(i)
		}
		out[a.Name] = stan.Array{Dims: a.Shape, Values: v}
	}
	return out
}

// Nearly all programs of a book (Gelman and Hill 2007) can be translated without data; the missing parts need data, or
// are not translated yet.
func TestCollectionIsTranslated(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(shared, "stan/ARM/Ch.[12]?/*.stan"))
	if err != nil || len(paths) == 0 {
		t.Skip("there is no collection of programs")
	}
	complete := 0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m := model(t, string(text), nil)
		_, ds := compiler.CheckText("m.ppl", m.Text)
		if len(m.Unsaid) == 0 && !diag.HasErrors(ds) {
			complete++
			continue
		}
		t.Logf("%s: %v", strings.TrimPrefix(path, shared), m.Unsaid)
	}
	if complete*10 < len(paths)*9 {
		t.Errorf("%d of %d programs become models", complete, len(paths))
	}
}
