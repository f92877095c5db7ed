package modelgen

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// tokens matches the tokens of a text, including blanks.
var tokens = regexp.MustCompile(`[ \t]+|\n|[0-9]+\.[0-9]+|\w+|->|\.\.|\|\||&&|[=!<>]=|(?s:.)`)

// Broken returns a random model with a few tokens deleted, doubled, swapped or replaced by other tokens, or a few lines
// deleted. The result is usually wrong, but may still be valid.
func Broken(seed uint64, choices []byte) string {
	r := rand.New(&source{choices, rand.NewPCG(seed, 0x62726f6b656e)})
	lines := strings.SplitAfter(Model(seed, nil), "\n")
	for range r.IntN(3) {
		i := r.IntN(len(lines))
		lines = slices.Delete(lines, i, i+1)
	}
	words := tokens.FindAllString(strings.Join(lines, ""), -1)
	for range 1 + r.IntN(3) {
		change(r, words)
	}
	return strings.Join(words, "")
}

// change damages one token.
func change(r *rand.Rand, words []string) {
	if len(words) == 0 {
		return
	}
	i, j := r.IntN(len(words)), r.IntN(len(words))
	switch r.IntN(5) {
	case 0:
		words[i] = ""
	case 1:
		words[i] += words[i]
	case 2:
		words[i], words[j] = words[j], words[i]
	case 3:
		words[i] = words[j]
	case 4: // replace a number or a name by another
		if k := slices.IndexFunc(words[i:], isWord); k >= 0 {
			if l := slices.IndexFunc(words[j:], isWord); l >= 0 {
				words[i+k] = words[j+l]
			}
		}
	}
}

func isWord(s string) bool {
	return s != "" && (s[0] >= 'a' && s[0] <= 'z' || s[0] >= '0' && s[0] <= '9')
}
