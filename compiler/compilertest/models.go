package compilertest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppl/compiler"
)

// Root returns the root folder of the repository.
func Root(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	t.Fatal("no go.mod above the test", err)
	return ""
}

// EveryModel runs f on every example, every model of compiler/testdata/rows and every posterior of
// compiler/testdata/stan, in parallel.
func EveryModel(t *testing.T, f func(t *testing.T, p *compiler.Program)) {
	t.Helper()
	for _, path := range Models(t, "examples", "compiler/testdata/rows") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			f(t, loaded(t)(compiler.Load(compiler.Request{Path: path})))
		})
	}
	stan := filepath.Join(Root(t), "compiler/testdata/stan")
	for _, name := range Posteriors(t, stan) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, Posterior(t, stan, name, filepath.Join(stan, name+".ppl")))
		})
	}
}

// Models returns the paths of the models in the given folders of the repository.
func Models(t *testing.T, dirs ...string) (paths []string) {
	t.Helper()
	for _, dir := range dirs {
		found, err := filepath.Glob(filepath.Join(Root(t), dir, "*.ppl"))
		if err != nil || len(found) == 0 {
			t.Fatal("no models in", dir, err)
		}
		paths = append(paths, found...)
	}
	return paths
}

// Posteriors returns the names of the posteriors in a folder, which contains their data and points.
func Posteriors(t *testing.T, dir string) (names []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.points.json"))
	if err != nil || len(paths) == 0 {
		t.Fatal("no points", err)
	}
	for _, path := range paths {
		names = append(names, strings.TrimSuffix(filepath.Base(path), ".points.json"))
	}
	return names
}

// Solved reports whether a posterior has differential equations. These are slow, and run only with PPL_SLOW=1.
func Solved(name string) bool {
	return slices.Contains([]string{"lotka_volterra", "one_comp_mm_elim_abs", "sir", "soil_incubation"}, name)
}

// Posterior compiles a model with the data of a posterior in a folder.
func Posterior(t *testing.T, dir, name, model string) *compiler.Program {
	t.Helper()
	if Solved(name) && (testing.Short() || os.Getenv("PPL_SLOW") == "") {
		t.Skip("slow: set PPL_SLOW=1")
	}
	return loaded(t)(compiler.Load(compiler.Request{Path: model, Data: []compiler.DataArg{{Path: filepath.Join(dir,
		name+".data.json")}}}))
}
