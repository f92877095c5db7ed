package diag

import (
	"fmt"
	"regexp"
	"strings"
)

// What a message quotes of the user's files may be as long as these are. More of it than the following bytes helps
// nobody to find the place, and hides the advice behind it. A line of code that is proposed is not cut.
const (
	longestText = 120  // a text in double quotes
	longestWord = 200  // what has no spaces, such as a path or a list of numbers
	longestCode = 400  // a text in backquotes
	longestLine = 1000 // a line
	longestAll  = 4000 // a message
)

var (
	quotedText = regexp.MustCompile(`"(?:\\.|[^"\\\n])*"`)
	quotedCode = regexp.MustCompile("`[^`\n]*`")
	words      = regexp.MustCompile(`\S+`)
	lines      = regexp.MustCompile(`[^\n]+`)
)

// Brief leaves the middle out of what is quoted in a message and is longer than anyone reads.
func Brief(message string) string {
	message = cut(message, longestAll)
	for _, part := range []struct {
		pattern *regexp.Regexp
		most    int
	}{{quotedText, longestText}, {quotedCode, longestCode}, {words, longestWord}, {lines, longestLine}} {
		if len(message) > part.most {
			message = part.pattern.ReplaceAllStringFunc(message, func(s string) string { return cut(s, part.most) })
		}
	}
	return message
}

// cut leaves the middle out of a text that is longer than a number of bytes.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	head, tail := s[:wholeRune(s, most/2)], s[wholeRune(s, len(s)-most/3):]
	return strings.ToValidUTF8(head, "") + fmt.Sprintf("… (%d bytes left out) …", len(s)-len(head)-len(tail)) +
		strings.ToValidUTF8(tail, "")
}
