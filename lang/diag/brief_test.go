package diag

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// Long quotations of every kind are cut in the middle, and the words around them are kept. A text of usual length is
// not changed.
func TestBrief(t *testing.T) {
	for name, long := range map[string]string{
		"a text": `"` + strings.Repeat(`a \"b `, 500) + `"`, "a value": strings.Repeat("ä", 1500),
		"a path": "/data/" + strings.Repeat("folder/", 300) + "x.csv", "a list": strings.Repeat("12,", 900),
		"names":   strings.Repeat("name, ", 700),
		"a model": "`" + strings.Repeat("a + ", 700) + "b`", "escapes": `"` + strings.Repeat(`\x00`, 900) + `"`,
		"a file": strings.Repeat("x", 1<<20),
	} {
		got := Brief("x.csv: the header " + long + " has no order; write it again")
		most := 500
		if name == "names" || name == "a model" {
			most = longestLine + 40
		}
		if len(got) > most || !strings.HasPrefix(got, "x.csv: the header ") || !utf8.ValidString(got) ||
			!strings.HasSuffix(got, " has no order; write it again") || !strings.Contains(got, "bytes left out") {
			t.Errorf("%s: %d bytes: %s", name, len(got), got)
		}
	}
	for _, usual := range []string{"", "a note\nof two lines", "`" + strings.Repeat("a + ", 90) + "b` is code",
		`row 3: "Oslo" is not a number`, strings.Repeat("a sentence of some words. ", 30)} {
		if got := Brief(usual); got != usual {
			t.Errorf("%q became %q", usual, got)
		}
	}
}
