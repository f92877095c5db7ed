package lang_test

import (
	"math/rand/v2"
	"os"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"ppl/compiler"
)

var tokens = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*|[0-9.]+|\S`)

// Examples of the reference with one or two random changes compile or are refused; none causes an internal error.
func TestMutatedExamples(t *testing.T) {
	if testing.Short() || os.Getenv("PPL_SLOW") == "" {
		t.Skip("slow: set PPL_SLOW=1")
	}
	text, err := os.ReadFile("REFERENCE.md")
	if err != nil {
		t.Fatal(err)
	}
	var models []string
	for _, f := range fences(string(text)) {
		if f.info == "ppl" || strings.HasPrefix(f.info, "ppl error ") {
			models = append(models, f.text)
		}
	}
	pool := tokens.FindAllString(strings.Join(models, ""), -1)
	r, dir := rand.New(rand.NewPCG(1, 2)), t.TempDir()
	for range 10000 {
		model := mutated(r, models[r.IntN(len(models))], pool)
		if r.IntN(2) == 0 {
			model = mutated(r, model, pool)
		}
		survives(t, write(t, dir, "model.ppl", model), model)
	}
}

// mutated removes a token or a line, or changes a token.
func mutated(r *rand.Rand, model string, pool []string) string {
	places := tokens.FindAllStringIndex(model, -1)
	if len(places) == 0 {
		return model
	}
	at := places[r.IntN(len(places))]
	switch r.IntN(5) {
	case 0:
		return model[:at[0]] + model[at[1]:]
	case 1:
		return model[:at[0]] + "(" + model[at[0]:at[1]] + " + 1)" + model[at[1]:]
	case 2:
		lines := strings.SplitAfter(model, "\n")
		k := r.IntN(len(lines))
		return strings.Join(append(lines[:k:k], lines[k+1:]...), "")
	}
	return model[:at[0]] + pool[r.IntN(len(pool))] + model[at[1]:]
}

func survives(t *testing.T, path, model string) {
	defer func() {
		if cause := recover(); cause != nil {
			t.Errorf("%v\n%s\n%s", cause, model, debug.Stack())
		}
	}()
	if p, _ := compiler.Load(compiler.Request{Path: path}); p != nil {
		finite(p)
	}
}
