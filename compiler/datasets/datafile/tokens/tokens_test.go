package tokens

import (
	"slices"
	"strings"
	"testing"

	"ppl/compiler/datasets/datafile/content"
)

// tokensOf returns the texts of an array.
func tokensOf(a *content.Array) (all []string) {
	for _, v := range a.Values.All() {
		all = append(all, a.Labels[int(v)-1])
	}
	return all
}

// Read returns the characters of a text, and its words with their lines.
func TestTokens(t *testing.T) {
	const text = "It was, and\r\nwasn't\n\n§ 3 naïve well-known -a- e\u0301."
	f, err := Read("book.txt", text)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"It", "was", ",", "and", "wasn't", "§", "3", "naïve", "well-known", "-", "a", "-", "e\u0301", "."}
	if got := tokensOf(f.Arrays["word"]); !slices.Equal(got, want) {
		t.Errorf("words %q, want %q", got, want)
	}
	lines := []float64{1, 1, 1, 1, 2, 4, 4, 4, 4, 4, 4, 4, 4, 4}
	if got := f.Arrays["line"].Values.Doubles(); !slices.Equal(got, lines) {
		t.Errorf("lines %v, want %v", got, lines)
	}
	c := f.Arrays["character"]
	if got, want := c.Shape[0], len([]rune(text)); got != want {
		t.Errorf("%d characters, want %d", got, want)
	}
	if got := tokensOf(c)[:4]; !slices.Equal(got, []string{"I", "t", " ", "w"}) {
		t.Errorf("characters %q", got)
	}
	if f, err = Read("empty.txt", ""); err != nil || f.Arrays["word"].Shape[0] != 0 {
		t.Errorf("an empty text: %v, %v", f, err)
	}
	if _, err = Read("latin.txt", "a\nb\xe9"); err == nil || !strings.Contains(err.Error(),
		"latin.txt: line 2 is not in UTF-8") {
		t.Errorf("a text in Latin-1: %v", err)
	}
}
