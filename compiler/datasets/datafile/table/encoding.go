package table

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// decodeText converts a text from UTF-16 or Windows-1252, which spreadsheets write, to UTF-8. It returns a note for
// Windows-1252.
func decodeText(path, text string) (utf string, notes []string) {
	switch {
	case strings.HasPrefix(text, "\xff\xfe"):
		return fromUTF16(text[2:], 0, 1), nil
	case strings.HasPrefix(text, "\xfe\xff"):
		return fromUTF16(text[2:], 1, 0), nil
	case utf8.ValidString(text):
		return text, nil
	}
	var b strings.Builder
	for i := range len(text) {
		b.WriteRune(fromWindows(text[i]))
	}
	return b.String(), []string{windowsNote(path)}
}

func windowsNote(path string) string {
	return path + ": the text is not in UTF-8; it is read as Windows-1252"
}

func fromUTF16(text string, low, high int) string {
	units := make([]uint16, len(text)/2)
	for i := range units {
		units[i] = uint16(text[2*i+low]) | uint16(text[2*i+high])<<8
	}
	return string(utf16.Decode(units))
}

// fromWindows returns a character of the code page Windows-1252, which differs from Latin-1 in 0x80 to 0x9f
// (encoding.spec.whatwg.org/index-windows-1252.txt).
func fromWindows(c byte) rune {
	if c < 0x80 || c > 0x9f {
		return rune(c)
	}
	return []rune("€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ")[c-0x80]
}

// oneKindOfLines replaces carriage returns by line feeds in a text without line feeds.
func oneKindOfLines(text string) string {
	if !strings.Contains(text, "\n") {
		return strings.ReplaceAll(text, "\r", "\n")
	}
	return text
}

// checkStart returns an error for a comment before the names of columns, and for a NUL byte.
func checkStart(path, text string) error {
	if at := strings.IndexByte(text, 0); at >= 0 {
		return nulByte(path, 1+strings.Count(text[:at], "\n"))
	}
	line, rest, _ := strings.Cut(strings.TrimLeft(text, "\r\n"), "\n")
	next, _, _ := strings.Cut(rest, "\n")
	if strings.HasPrefix(line, "#") && strings.Count(line, ",") != strings.Count(next, ",") {
		return fmt.Errorf("%s:1: the line is a comment, but line 1 must contain the names of the columns; delete the "+
			"lines that begin with #", path)
	}
	return nil
}
