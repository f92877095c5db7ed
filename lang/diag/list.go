package diag

import (
	"fmt"
	"strings"
)

// And joins words to an enumeration: a, b and c.
func And(words []string) string { return list(words, " and ") }

// Or joins words to a choice: a, b or c.
func Or(words []string) string { return list(words, " or ") }

func list(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	n := len(words) - 1
	return strings.Join(words[:n], ", ") + last + words[n]
}

// Ordinal returns the ordinal of n from 1: first, second, third, 4th.
func Ordinal(n int) string {
	if n <= 3 {
		return [...]string{"first", "second", "third"}[n-1]
	}
	end := "th"
	if tens := n / 10 % 10; tens != 1 && n%10 >= 1 && n%10 <= 3 {
		end = [...]string{"st", "nd", "rd"}[n%10-1]
	}
	return fmt.Sprint(n, end)
}

// Count returns a number with its noun: 1 element, 2 elements.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}

// Thousands formats 1000 as 1,000.
func Thousands(n int) string {
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
