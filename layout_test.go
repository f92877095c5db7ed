// Package ppl_test holds checks of the repository as a whole.
package ppl_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// A row says which packages of the module a package may import, tests aside. A name that ends in / stands for all
// packages below it; a package is ruled by the longest name that fits it.
type row struct {
	name    string
	imports []string
}

// numbers is a package that every other may import: it is about no stage.
const numbers = "ppl/numbers"

// importTable is the table of ARCHITECTURE.md: data travel from lang to cmd, and imports only look back along that way.
func importTable() []row {
	return []row{
		{numbers, nil},
		{"ppl/lang/", []string{"ppl/lang/"}},
		{"ppl/autodiff", nil},
		{"ppl/autodiff/", []string{"ppl/autodiff"}},
		{"ppl/stdlib", []string{"ppl/autodiff", "ppl/lang/types"}},
		{"ppl/stdlib/ode", []string{"ppl/autodiff"}},
		{"ppl/compiler/ir", nil},
		{"ppl/compiler/data", []string{"ppl/lang/source", "ppl/runtime/files", "ppl/runtime/memory",
			"ppl/runtime/private"}},
		{"ppl/runtime/private", nil},
		{"ppl/runtime/files", nil},
		{"ppl/runtime/memory", []string{"ppl/compiler/ir"}},
		{"ppl/runtime/files/filestest", []string{"ppl/runtime/files"}}, // for tests
		{"ppl/compiler/model", []string{"ppl/lang/", "ppl/stdlib"}},
		{"ppl/compiler/analyze", []string{"ppl/lang/", "ppl/stdlib", "ppl/compiler/model"}},
		{"ppl/compiler/flatten", []string{"ppl/lang/", "ppl/autodiff", "ppl/stdlib", "ppl/compiler/model"}},
		{"ppl/compiler/check", []string{"ppl/lang/", "ppl/autodiff", "ppl/stdlib", "ppl/compiler/analyze",
			"ppl/compiler/flatten", "ppl/compiler/model"}},
		{"ppl/compiler/dataset", []string{"ppl/compiler/model"}},
		{"ppl/compiler/evaluate", []string{"ppl/lang/", "ppl/autodiff", "ppl/stdlib", "ppl/stdlib/ode",
			"ppl/compiler/dataset", "ppl/compiler/model"}},
		{"ppl/compiler/density", []string{"ppl/lang/", "ppl/autodiff", "ppl/stdlib", "ppl/compiler/dataset",
			"ppl/compiler/evaluate", "ppl/compiler/model"}},
		{"ppl/compiler/marginalize", []string{"ppl/autodiff", "ppl/compiler/dataset", "ppl/compiler/evaluate",
			"ppl/compiler/density", "ppl/compiler/model"}},
		{"ppl/compiler/minibatch", []string{"ppl/autodiff", "ppl/compiler/dataset", "ppl/compiler/evaluate",
			"ppl/compiler/model"}},
		{"ppl/compiler/simulate", []string{"ppl/lang/diag", "ppl/autodiff", "ppl/stdlib", "ppl/compiler/dataset",
			"ppl/compiler/evaluate", "ppl/compiler/density", "ppl/compiler/marginalize", "ppl/compiler/model"}},
		{"ppl/compiler/validate", []string{"ppl/lang/", "ppl/autodiff", "ppl/stdlib", "ppl/compiler/dataset",
			"ppl/compiler/evaluate",
			"ppl/compiler/density", "ppl/compiler/marginalize", "ppl/compiler/simulate", "ppl/compiler/model"}},
		{"ppl/compiler/newdata", []string{"ppl/lang/", "ppl/compiler/analyze", "ppl/compiler/dataset",
			"ppl/compiler/evaluate", "ppl/compiler/model"}},
		{"ppl/compiler/symmetry", []string{"ppl/lang/types", "ppl/autodiff", "ppl/autodiff/modular",
			"ppl/compiler/density", "ppl/compiler/evaluate", "ppl/compiler/model"}},
		{"ppl/compiler/plan", []string{"ppl/lang/", "ppl/autodiff", "ppl/compiler/symmetry", "ppl/stdlib/ode",
			"ppl/compiler/dataset", "ppl/compiler/evaluate", "ppl/compiler/density", "ppl/compiler/marginalize",
			"ppl/compiler/minibatch", "ppl/compiler/simulate", "ppl/compiler/validate", "ppl/compiler/model"}},
		{"ppl/compiler/bind", []string{"ppl/lang/", "ppl/compiler/data", "ppl/compiler/dataset",
			"ppl/compiler/evaluate",
			"ppl/compiler/model"}},
		// for tests
		{"ppl/compiler/modelgen", []string{"ppl/lang/types", "ppl/stdlib"}},
		{"ppl/compiler/compilertest", []string{"ppl/lang/diag", "ppl/autodiff", "ppl/compiler", "ppl/compiler/data",
			"ppl/compiler/model"}},
		{"ppl/compiler/query", []string{"ppl/lang/"}},
		{"ppl/compiler/lower", []string{"ppl/autodiff", "ppl/compiler/ir"}},
		{"ppl/compiler/render", []string{"ppl/compiler/ir"}},
		{"ppl/compiler/render/", []string{"ppl/compiler/ir", "ppl/compiler/render"}},
		{"ppl/compiler", []string{"ppl/lang/", "ppl/autodiff", "ppl/stdlib", "ppl/compiler/"}},
		{"ppl/runtime/", []string{"ppl/compiler/ir", "ppl/runtime/"}},
		{"ppl/runtime/gorgonia", []string{"ppl/autodiff/gorgonia", "ppl/compiler/ir", "ppl/compiler/lower",
			"ppl/runtime/"}},
		{"ppl/runtime/native", []string{"ppl/compiler/ir", "ppl/compiler/render", "ppl/compiler/render/",
			"ppl/runtime/"}},
		{"ppl/runtime/gpu", []string{"ppl/compiler/ir", "ppl/compiler/lower", "ppl/compiler/render",
			"ppl/compiler/render/", "ppl/runtime/"}},
		// a suite for tests
		{"ppl/runtime/gpu/gputest", []string{"ppl/autodiff", "ppl/compiler", "ppl/compiler/", "ppl/infer",
			"ppl/infer/adapt", "ppl/infer/dynamics", "ppl/runtime/"}},
		{"ppl/infer/draws", []string{"ppl/lang/types", "ppl/runtime/files"}},
		{"ppl/infer/score", nil},
		{"ppl/infer/stats", nil},
		{"ppl/infer/evidence", []string{"ppl/infer/adapt", "ppl/infer/stats"}},
		{"ppl/infer/report", []string{"ppl/lang/diag", "ppl/lang/types", "ppl/infer/draws", "ppl/infer/evidence",
			"ppl/infer/stats"}},
		{"ppl/infer", []string{"ppl/lang/types", "ppl/autodiff", "ppl/compiler/ir", "ppl/compiler/lower",
			"ppl/infer/draws", "ppl/infer/stats",
			"ppl/runtime/device", "ppl/runtime/memory"}},
		{"ppl/infer/", []string{"ppl/lang/types", "ppl/autodiff", "ppl/compiler/ir", "ppl/compiler/lower", "ppl/infer",
			"ppl/infer/", "ppl/runtime/device", "ppl/runtime/files", "ppl/runtime/noise"}},
		{"ppl/infer/ranked", []string{"ppl/lang/types", "ppl/compiler/lower", "ppl/infer", "ppl/infer/checkpoint",
			"ppl/runtime/device", "ppl/runtime/ranks"}},
		{"ppl/infer/symmetry", []string{"ppl/lang/types", "ppl/stdlib", "ppl/infer", "ppl/infer/draws",
			"ppl/infer/stats"}},
		{"ppl/infer/settings", []string{"ppl/lang/diag", "ppl/infer", "ppl/infer/dynamics"}},
		{"ppl/infer/plot", []string{"ppl/lang/types", "ppl/lang/diag", "ppl/infer/draws", "ppl/infer/evidence",
			"ppl/infer/report", "ppl/infer/stats"}},
		{"ppl/infer/netcdf", nil},
		{"ppl/infer/export", []string{"ppl/infer/netcdf", "ppl/lang/types", "ppl/infer/draws", "ppl/infer/report"}},
		{"ppl/infer/page", []string{"ppl/lang/types", "ppl/infer/draws", "ppl/infer/plot", "ppl/infer/report"}},
		// a suite for tests
		{"ppl/infer/dynamics/dynamicstest", []string{"ppl/lang/types", "ppl/autodiff", "ppl/compiler/lower",
			"ppl/infer", "ppl/infer/",
			"ppl/runtime/device", "ppl/runtime/host"}},
		{"ppl/cmd/ppl", []string{"ppl/"}},
		{"ppl/examples/", nil},
		{"ppl/bench", []string{"ppl/"}},
		{"ppl/bench/", []string{"ppl/"}},
		// experiments run the command, as a user would
		{"ppl/experiments/lab", []string{"ppl/infer/draws", "ppl/infer/report"}},
		{"ppl/experiments/", []string{"ppl/experiments/lab", "ppl/infer/"}},
	}
}

func fits(name, path string) bool {
	return path == name || strings.HasSuffix(name, "/") && strings.HasPrefix(path, name)
}

// rule is the row of a package, nil if there is none.
func rule(path string) *row {
	var best *row
	for _, r := range importTable() {
		if fits(r.name, path) && (best == nil || len(r.name) > len(best.name)) {
			best = &r
		}
	}
	return best
}

// offence says what is wrong with an import, or nothing.
func offence(path, imported string) string {
	if strings.HasPrefix(imported, "gorgonia.org/") && path != "ppl/autodiff/gorgonia" &&
		!(path == "ppl/runtime/gpu/cuda" && imported == "gorgonia.org/cu") {
		return "only autodiff/gorgonia may import Gorgonia, and only runtime/gpu/cuda its drivers for GPUs"
	}
	if !strings.HasPrefix(imported, "ppl/") || imported == numbers {
		return ""
	}
	r := rule(path)
	if r == nil {
		return "the package is not in the table"
	}
	for _, allowed := range r.imports {
		if fits(allowed, imported) {
			return ""
		}
	}
	return "the table does not allow it"
}

func TestImports(t *testing.T) {
	seen := 0
	for _, p := range listPackages(t) {
		for _, imported := range p.Imports {
			seen++
			if wrong := offence(p.ImportPath, imported); wrong != "" {
				t.Errorf("%s imports %s: %s", p.ImportPath, imported, wrong)
			}
		}
	}
	if seen < 50 {
		t.Errorf("only %d imports seen: the list of packages cannot be whole", seen)
	}
}

// The check itself must be able to fail.
func TestOffences(t *testing.T) {
	for _, bad := range [][2]string{
		{"ppl/lang/parse", "ppl/compiler"},
		{"ppl/stdlib", "gorgonia.org/gorgonia"},
		{"ppl/runtime/gpu", "gorgonia.org/cu"},
		{"ppl/runtime/host", "ppl/compiler/lower"},
		{"ppl/autodiff", "gorgonia.org/gorgonia"},
		{"ppl/autodiff", "ppl/stdlib"},
		{"ppl/compiler/check", "ppl/compiler/plan"},
		{"ppl/infer/renhd", "ppl/runtime/host"},
		{"ppl/infer/renhd", "ppl/runtime/ranks"},
		{"ppl/elsewhere", "ppl/lang/ast"},
	} {
		if offence(bad[0], bad[1]) == "" {
			t.Errorf("%s may import %s, and should not", bad[0], bad[1])
		}
	}
}

type goPackage struct {
	ImportPath string
	Imports    []string
}

func listPackages(t *testing.T) (ps []goPackage) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return ps
		}
		if err != nil {
			t.Fatal(err)
		}
		ps = append(ps, p)
	}
}
