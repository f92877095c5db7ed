package diag

import (
	"fmt"
	"strings"
)

// Meant asks whether a user meant something else: Meant("`%s`", "mu") is "did you mean `mu`?".
func Meant(format string, args ...any) string {
	return "did you mean " + fmt.Sprintf(format, args...) + "?"
}

// MeantAmong asks about the candidate most like name, which format quotes. It is instead if no candidate is near.
func MeantAmong(candidates []string, format, name, instead string) string {
	if near, ok := Nearest(name, candidates); ok {
		return Meant(format, near)
	}
	return instead
}

// Nearest returns the candidate most like name, for Meant. Likeness is the Damerau–Levenshtein distance without
// regard to capitals, at most 3 and at most a third of the name's length. Ties go to the exact spelling, then to the
// earlier candidate. ok is false if no candidate is that near.
func Nearest(name string, candidates []string) (string, bool) {
	limit := min(3, (len([]rune(name))+1)/3)
	best, bestFolded, bestExact := "", limit+1, 0
	for _, c := range candidates {
		folded := distance(strings.ToLower(name), strings.ToLower(c))
		if folded > bestFolded || folded > limit || c == name {
			continue
		}
		if exact := distance(name, c); folded < bestFolded || exact < bestExact {
			best, bestFolded, bestExact = c, folded, exact
		}
	}
	return best, best != ""
}

// distance counts the insertions, deletions, substitutions and swaps of neighbours that turn a into b, where no part is
// edited twice (optimal string alignment; Damerau 1964, Wagner and Fischer 1974).
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, row := []int(nil), make([]int, len(t)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(s); i++ {
		next := make([]int, len(t)+1)
		next[0] = i
		for j := 1; j <= len(t); j++ {
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+differ(s[i-1], t[j-1]))
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row = row, next
	}
	return row[len(t)]
}

func differ(a, b rune) int {
	if a == b {
		return 0
	}
	return 1
}
