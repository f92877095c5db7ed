package modelgen_test

import (
	"os"
	"strings"
	"testing"

	"ppl/autodiff"
	"ppl/compiler/modelgen"
)

// TestBrokenModels checks that broken models cause diagnostics, or compile to a program whose density can be evaluated,
// without a panic.
func TestBrokenModels(t *testing.T) { survive(t, 0, 200) }

func TestManyBrokenModels(t *testing.T) {
	if testing.Short() || os.Getenv("PPL_SLOW") == "" {
		t.Skip("slow: set PPL_SLOW=1")
	}
	survive(t, 1000, 20000)
}

func survive(t *testing.T, from, n uint64) {
	refused := 0
	for seed := from; seed < from+n; seed++ {
		compiled, wrong := outcome(t.TempDir(), modelgen.Broken(seed, nil))
		if wrong != "" {
			t.Errorf("seed %d: %s\n%s", seed, wrong, modelgen.Broken(seed, nil))
		}
		if !compiled {
			refused++
		}
	}
	if refused < int(n)/4 || refused == int(n) {
		t.Errorf("%d of %d broken models were refused: the test sees little", refused, n)
	}
}

// FuzzBroken lets the fuzzer determine the damage.
func FuzzBroken(f *testing.F) {
	f.Add(uint64(1), []byte{})
	f.Add(uint64(2), []byte("choices"))
	f.Fuzz(func(t *testing.T, seed uint64, choices []byte) {
		text := modelgen.Broken(seed, choices)
		if _, wrong := outcome(t.TempDir(), text); wrong != "" {
			t.Fatalf("%s\n%s", wrong, text)
		}
	})
}

// outcome compiles a text, and evaluates the density if it compiles.
func outcome(dir, text string) (compiled bool, wrong string) {
	defer explain(&wrong)
	p, said := load(dir, text)
	if p == nil {
		if said == "" {
			wrong = "refused without a word"
		}
		return false, wrong
	}
	g := autodiff.New()
	theta := g.Input("theta", p.Dim())
	prior, likelihood := p.Density(theta)
	autodiff.Eval(map[string][]float64{"theta": p.Start(1, 0)}, prior, likelihood, p.Values(theta))
	if strings.Contains(said, "internal error") {
		wrong = said
	}
	return true, wrong
}
