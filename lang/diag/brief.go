package diag

import (
	"fmt"
	"regexp"
	"strings"
)

// These constants limit the length of quotations in messages, in bytes. Longer quotations do not help users to find the
// position, and hide the advice after them. Proposed lines of code are rarely that long.
const (
	longestText = 120  // text in double quotes
	longestWord = 200  // text without spaces, such as a path or a list of numbers
	longestCode = 400  // text in backquotes
	longestLine = 1000 // a line
	longestAll  = 4000 // an entire message
)

var (
	quotedText = regexp.MustCompile(`"(?:\\.|[^"\\\n])*"`)
	quotedCode = regexp.MustCompile("`[^`\n]*`")
	words      = regexp.MustCompile(`\S+`)
	lines      = regexp.MustCompile(`[^\n]+`)
)

// Brief replaces the middle of long quotations, words and lines in a message by the number of omitted bytes.
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

// cut replaces the middle of a text that is longer than most bytes by the number of omitted bytes.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	head, tail := s[:wholeRune(s, most/2)], s[wholeRune(s, len(s)-most/3):]
	return strings.ToValidUTF8(head, "") + fmt.Sprintf("… (%d bytes left out) …", len(s)-len(head)-len(tail)) +
		strings.ToValidUTF8(tail, "")
}
