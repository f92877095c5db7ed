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

// A row says which packages of the module the packages of a tier may import, tests aside. A name that ends in / matches
// that package and all packages below it; the longest name that matches a package decides its row.
type row struct {
	names   []string
	imports []string
}

// numbers is a package that every other may import: it is about no stage.
const numbers = "ppl/numbers"

// importTable lists the tiers of ARCHITECTURE.md from the bottom to the top. Inside a tier Go itself forbids cycles.
func importTable() []row {
	return []row{
		{[]string{numbers, "ppl/docs/", "ppl/examples/"}, nil},
		{[]string{"ppl/lang/"}, []string{"ppl/lang/"}},
		{[]string{"ppl/autodiff/"}, []string{"ppl/autodiff/"}},
		{[]string{"ppl/stdlib/"}, []string{"ppl/autodiff", "ppl/lang/types", "ppl/stdlib/"}},
		{[]string{"ppl/compiler/backend/"}, []string{"ppl/autodiff", "ppl/compiler/backend/"}},
		{[]string{"ppl/runtime/"}, []string{"ppl/autodiff/special", "ppl/compiler/backend/ir",
			"ppl/compiler/backend/render/", "ppl/runtime/"}},
		{[]string{"ppl/runtime/gorgonia", "ppl/runtime/gpu"},
			[]string{"ppl/autodiff/gorgonia", "ppl/compiler/backend/", "ppl/runtime/"}},
		{[]string{"ppl/compiler/frontend/"},
			[]string{"ppl/lang/", "ppl/autodiff", "ppl/stdlib", "ppl/compiler/frontend/"}},
		// bind evaluates the expressions of sizes
		{[]string{"ppl/compiler/datasets/"}, []string{"ppl/lang/", "ppl/stdlib", "ppl/compiler/frontend/model",
			"ppl/compiler/density/evaluate", "ppl/compiler/datasets/", "ppl/runtime/sys/"}},
		// parts of datafile from the bottom to the top; datafile itself chooses among the formats
		{files("numerals", "elements", "damage"), nil},
		{files("budget"), append(files("damage"), "ppl/lang/source")},
		{files("remote"), append(files("damage"), "ppl/lang/source", "ppl/compiler/datasets/partition")},
		{files("rowfile"), append(files("numerals", "elements"), "ppl/runtime/sys/files")},
		{files("sharing"), []string{"ppl/runtime/sys/"}},
		{files("content"), append(files("numerals", "rowfile"), "ppl/lang/parse")},
		{files("stream"), append(files("numerals", "damage", "budget", "remote", "rowfile", "content"),
			"ppl/compiler/datasets/partition")},
		{files("densearray", "table", "jsondata", "tokens", "rdump", "arrow"), formatImports()},
		{files("numpy", "images"), append(formatImports(), files("densearray")...)},
		{files("parquet"), append(formatImports(), append(files("remote", "arrow"),
			"ppl/compiler/datasets/parquetsizes")...)},
		{[]string{"ppl/compiler/density/"}, []string{"ppl/lang/", "ppl/autodiff/", "ppl/stdlib/",
			"ppl/compiler/frontend/model", "ppl/compiler/datasets/dataset", "ppl/compiler/density/"}},
		{[]string{"ppl/compiler/predict/"}, []string{"ppl/lang/", "ppl/autodiff", "ppl/stdlib",
			"ppl/compiler/frontend/", "ppl/compiler/datasets/dataset", "ppl/compiler/density/"}},
		{[]string{"ppl/compiler/"}, []string{"ppl/lang/", "ppl/autodiff", "ppl/stdlib/", "ppl/compiler/"}},
		// renhd takes ratios of integrals from evidence; query evaluates expressions on a device
		{[]string{"ppl/posterior/"}, []string{"ppl/lang/", "ppl/autodiff", "ppl/compiler/backend/lower",
			"ppl/posterior/", "ppl/infer", "ppl/infer/adapt", "ppl/runtime/device", "ppl/runtime/sys/files",
			"ppl/runtime/sys/memory", "ppl/runtime/parallel/inorder"}},
		{[]string{"ppl/infer/"}, []string{"ppl/lang/diag", "ppl/lang/types", "ppl/autodiff", "ppl/stdlib",
			"ppl/compiler/backend/", "ppl/posterior/store", "ppl/posterior/stats", "ppl/posterior/evidence",
			"ppl/infer/", "ppl/runtime/device", "ppl/runtime/noise", "ppl/runtime/sys/"}},
		// parts of renhd, each above those that it uses
		{[]string{"ppl/infer/renhd/population"}, sampling()},
		{[]string{"ppl/infer/renhd/part"}, sampling("population")},
		{[]string{"ppl/infer/renhd/ladder", "ppl/infer/renhd/modesearch", "ppl/infer/renhd/netwarmup"},
			sampling("population", "part")},
		{[]string{"ppl/infer/renhd/subsampling"}, sampling("population", "part", "ladder", "modesearch")},
		{[]string{"ppl/infer/renhd/warmup"}, sampling("population", "part", "ladder", "modesearch", "subsampling")},
		{[]string{"ppl/infer/distributed"}, []string{"ppl/lang/types", "ppl/compiler/backend/lower", "ppl/infer",
			"ppl/infer/checkpoint", "ppl/runtime/device", "ppl/runtime/parallel/ranks"}},
		// suites for tests
		{[]string{"ppl/infer/dynamics/dynamicstest", "ppl/infer/renhd/renhdtest", "ppl/infer/renhd/parttest",
			"ppl/runtime/gpu/gputest"}, []string{"ppl/lang/types",
			"ppl/autodiff", "ppl/compiler/", "ppl/infer/", "ppl/runtime/"}},
		{[]string{"ppl/app/", "ppl/cmd/", "ppl/bench/"}, []string{"ppl/"}},
		{[]string{"ppl/docs/pagerun/unpack"}, []string{"ppl/docs/pagerun"}},
		// the site is made of the tables of the library; models are run by the command
		{[]string{"ppl/docs/site"}, []string{"ppl/autodiff", "ppl/stdlib", "ppl/docs/", "ppl/posterior/plot"}},
		// experiments run the command, as a user would
		{[]string{"ppl/experiments/"}, []string{"ppl/experiments/lab", "ppl/posterior/", "ppl/infer/"}},
	}
}

// files lists packages below datafile.
func files(names ...string) (paths []string) {
	for _, n := range names {
		paths = append(paths, "ppl/compiler/datasets/datafile/"+n)
	}
	return paths
}

// formatImports lists what the reader of a format of data files may import: not another format.
func formatImports() []string {
	return append(files("numerals", "elements", "damage", "budget", "rowfile", "content", "stream"), "ppl/lang/source")
}

// sampling lists what a part of renhd may import: what all samplers share, and these other parts.
func sampling(parts ...string) []string {
	imports := []string{"ppl/lang/types", "ppl/autodiff", "ppl/compiler/backend/lower", "ppl/posterior/store",
		"ppl/posterior/stats", "ppl/posterior/evidence", "ppl/infer", "ppl/infer/adapt", "ppl/infer/checkpoint",
		"ppl/infer/compensation", "ppl/infer/dynamics", "ppl/infer/symmetry", "ppl/runtime/device", "ppl/runtime/noise"}
	for _, p := range parts {
		imports = append(imports, "ppl/infer/renhd/"+p)
	}
	return imports
}

func matches(name, path string) bool {
	return path == strings.TrimSuffix(name, "/") || strings.HasSuffix(name, "/") && strings.HasPrefix(path, name)
}

// rule is the row of a package, nil if there is none.
func rule(path string) *row {
	var best *row
	longest := 0
	for _, r := range importTable() {
		for _, name := range r.names {
			if matches(name, path) && len(name) > longest {
				best, longest = &r, len(name)
			}
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
		if matches(allowed, imported) {
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
		{"ppl/runtime/host", "ppl/compiler/backend/lower"},
		{"ppl/autodiff", "gorgonia.org/gorgonia"},
		{"ppl/autodiff", "ppl/stdlib"},
		{"ppl/compiler/frontend/check", "ppl/compiler/plan"},
		{"ppl/infer/renhd", "ppl/runtime/host"},
		{"ppl/infer/renhd", "ppl/runtime/parallel/ranks"},
		{"ppl/infer/renhd/population", "ppl/infer/renhd/warmup"},
		{"ppl/infer/renhd/modesearch", "ppl/infer/renhd/subsampling"},
		{"ppl/compiler/datasets/datafile/content", "ppl/compiler/datasets/datafile/stream"},
		{"ppl/compiler/datasets/datafile/table", "ppl/compiler/datasets/datafile/jsondata"},
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
