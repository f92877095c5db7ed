// Package tokens reads a text as a list of characters, and as a list of words with the lines on which they are:
//
//	It was, and        character [14]: I t " " w a s , " " a n d ↵ …
//	is.                word [6]: It was , and is .     line [6]: 1 1 1 1 2 2
//
// A word is a run of letters, digits and combining marks (the categories L, N and M of the Unicode Standard, section
// 4.5), which may have an apostrophe or a hyphen between two of them. Every other character that is not a space is a
// word.
package tokens

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"ppl/compiler/datasets/datafile/budget"
	"ppl/compiler/datasets/datafile/content"
	"ppl/numbers"
)

// Read reads the characters and words of a text.
func Read(name, text string) (*content.File, error) {
	var characters, words content.Texts
	var lines numbers.Builder
	line := 1
	for at := 0; at < len(text); {
		r, n := utf8.DecodeRuneInString(text[at:])
		if r == utf8.RuneError && n == 1 {
			return nil, fmt.Errorf("%s: line %d is not in UTF-8; save the text in UTF-8", name,
				1+strings.Count(text[:at], "\n"))
		}
		characters.Add(text[at:at+n], false)
		at += n
	}
	for at := 0; at < len(text); {
		n := wordAt(text[at:])
		word := text[at : at+n]
		if word == "\n" {
			line++
		}
		if strings.TrimSpace(word) != "" {
			words.Add(word, false)
			lines.Add(float64(line))
		}
		at += n
	}
	f := content.NewFile(name, false)
	for _, tokens := range []struct {
		name string
		content.Texts
	}{{"character", characters}, {"word", words}} {
		labels, codes := tokens.Encoded()
		f.Add(&content.Array{Name: tokens.name, Origin: name, Int: true, Shape: []int{codes.Len()}, Values: codes,
			Labels: labels})
	}
	at := lines.List()
	f.Add(&content.Array{Name: "line", Origin: name, Int: true, Shape: []int{at.Len()}, Values: at})
	return f, nil
}

// Cost returns the cost of a text in which each byte may be both a character and a word.
func Cost() budget.Cost { return budget.Cost{Each: 60} }

// wordAt returns the length in bytes of the word, or of the space, at the beginning of a text.
func wordAt(text string) int {
	at := 0
	for at < len(text) {
		r, n := utf8.DecodeRuneInString(text[at:])
		switch {
		case unicode.In(r, unicode.L, unicode.N, unicode.M):
			at += n
		case at > 0 && strings.ContainsRune("'’-", r) && startsWord(text[at+n:]):
			at += n
		case at == 0:
			return n
		default:
			return at
		}
	}
	return at
}

func startsWord(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.In(r, unicode.L, unicode.N)
}
