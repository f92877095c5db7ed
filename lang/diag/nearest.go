package diag

import (
	"fmt"
	"strings"
)

// Meant returns a question: Meant("`%s`", "mu") is "did you mean `mu`?".
func Meant(format string, args ...any) string {
	return "did you mean " + fmt.Sprintf(format, args...) + "?"
}

// MeantAmong returns the question of Meant with the candidate nearest to name. If no candidate is similar enough, it
// returns the text instead.
func MeantAmong(candidates []string, format, name, instead string) string {
	if near, ok := Nearest(name, candidates); ok {
		return Meant(format, near)
	}
	return instead
}

// Nearest returns the candidate with the least Damerau–Levenshtein distance from name, ignoring case. Of equally near
// ones it returns the one with the least distance including case, then the first. ok is false if no candidate other
// than name is within a distance of 3 and of (n+1)/3 for a name of n characters.
func Nearest(name string, candidates []string) (near string, ok bool) {
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

// distance returns the least number of insertions, deletions, substitutions and swaps of adjacent characters that
// change a into b, if no substring is edited twice (optimal string alignment; Damerau 1964, Wagner and Fischer 1974).
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
