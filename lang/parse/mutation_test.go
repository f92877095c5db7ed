package parse_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"ppl/lang/format"
	"ppl/lang/parse"
	"ppl/lang/source"
)

// tokens matches the tokens of a text, including blanks and comments.
var tokens = regexp.MustCompile(`#.*|[ \t]+|\r?\n|"(?:\\.|[^"\\])*"|[0-9.]+|\w+|->|\|\||&&|[=!<>]=|(?s:.)`)

// TestMutations deletes, doubles, swaps and replaces a few tokens of models, with a fixed seed. The parser must return,
// every diagnostic can be printed, and a model that parses has exact positions and one canonical form.
func TestMutations(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var lines, all []string
	for _, path := range glob(t, "testdata/*.ppl") {
		lines = append(lines, strings.SplitAfter(read(t, path), "\n")...)
		all = append(all, tokens.FindAllString(read(t, path), -1)...)
	}
	parsed := 0
	for range 500 {
		text := mutate(rng, lines, all)
		src := source.New("mutant.ppl", text)
		f, ds := parse.File(src)
		render(ds)
		if len(ds) > 0 {
			continue
		}
		parsed++
		checkSpans(t, f)
		once := format.File(f)
		if twice := format.File(clean(t, "formatted.ppl", once)); twice != once {
			t.Errorf("%s\nis formatted to\n%s\nand then to\n%s", text, once, twice)
		}
		if t.Failed() {
			t.Fatalf("mutant:\n%s", text)
		}
	}
	if parsed < 100 {
		t.Errorf("only %d mutants parsed: the test checks little", parsed)
	}
}

// mutate returns some of the lines with up to three tokens changed.
func mutate(rng *rand.Rand, lines, all []string) string {
	start := rng.IntN(len(lines) - 4)
	words := tokens.FindAllString(strings.Join(lines[start:start+1+rng.IntN(4)], "")+"\n", -1)
	for range rng.IntN(4) {
		i, j, other := rng.IntN(len(words)), rng.IntN(len(words)), all[rng.IntN(len(all))]
		switch rng.IntN(5) {
		case 0:
			words[i] = ""
		case 1:
			words[i] += words[i]
		case 2:
			words[i], words[j] = words[j], words[i]
		case 3:
			words[i] = other
		case 4:
			words[i] += other
		}
	}
	return strings.Join(words, "")
}
