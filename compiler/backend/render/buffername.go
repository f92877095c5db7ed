package render

import (
	"fmt"
	"iter"
	"strings"
)

// bufferNames yields the start and the end of each name of a buffer in a text: the letter b and digits, as a separate
// word. A program's text has very many of them, for which regular expressions take long.
func bufferNames(text string) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for to := 0; ; {
			k := strings.IndexByte(text[to:], 'b')
			if k < 0 {
				return
			}
			from := to + k
			to = from + 1
			for to < len(text) && isDigit(text[to]) {
				to++
			}
			word := from > 0 && isWord(text[from-1]) || to < len(text) && isWord(text[to])
			if !word && to > from+1 && !yield(from, to) {
				return
			}
		}
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWord(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
}

// numberedBuffers renames the buffers in a text to b0, b1, … in the order in which they occur. Equal results mean that
// two texts differ only in the names of buffers.
func numberedBuffers(text string) string {
	var out strings.Builder
	names, end := map[string]string{}, 0
	for from, to := range bufferNames(text) {
		name := text[from:to]
		if names[name] == "" {
			names[name] = fmt.Sprint("b", len(names))
		}
		out.WriteString(text[end:from])
		out.WriteString(names[name])
		end = to
	}
	out.WriteString(text[end:])
	return out.String()
}
