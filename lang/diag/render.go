package diag

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"ppl/lang/source"
)

// Render prints diagnostics in the order given, each with its source line and a mark under the exact token:
//
//	radon.ppl:4:20: error[E10]: `sgima` is not defined
//	  4 | y[i in N] ~ Normal(mu, sgima)
//	    |                        ^^^^^
//	  radon.ppl:3:1: `sigma` is here
//	  3 | sigma ~ HalfNormal(1)
//	    | ^^^^^
//	  help: did you mean `sigma`?
//
// Render ignores errors of w: a caller that needs them passes a writer that keeps its first error, such as
// bufio.Writer.
func Render(w io.Writer, ds []Diagnostic, color bool) {
	for i, d := range ds {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprint(w, d.text(palettes[color]))
	}
}

// RenderLines prints diagnostics in one line each, without excerpts, related places and help.
func RenderLines(w io.Writer, ds []Diagnostic, color bool) {
	for _, d := range ds {
		fmt.Fprint(w, d.heading(palettes[color]))
	}
}

// A palette holds the terminal's escape sequences for each part of a diagnostic; all are empty without colour.
type palette struct {
	bold, dim, reset string
	severity         [3]string
}

var palettes = map[bool]palette{
	true: {bold: "\x1b[1m", dim: "\x1b[2m", reset: "\x1b[0m", severity: [3]string{"\x1b[1;31m", "\x1b[1;33m",
		"\x1b[1;36m"}},
}

func (d Diagnostic) text(p palette) string {
	var b strings.Builder
	b.WriteString(d.heading(p))
	b.WriteString(excerpt(d.Span, p.severity[d.Severity], p))
	for _, r := range d.Related {
		fmt.Fprintf(&b, "  %s%s\n%s", position(r.Span), Printable(r.Message), excerpt(r.Span, p.bold, p))
	}
	if d.Help != "" {
		fmt.Fprintf(&b, "  %shelp:%s %s\n", p.bold, p.reset, Printable(d.Help))
	}
	return b.String()
}

// heading returns the first line: where, what kind, and the message.
func (d Diagnostic) heading(p palette) string {
	return fmt.Sprintf("%s%s%s%s%s: %s%s%s\n", position(d.Span), p.severity[d.Severity], d.Severity, bracketed(d.Code),
		p.reset, p.bold, Printable(d.Message), p.reset)
}

func bracketed(c Code) string {
	if c == "" {
		return ""
	}
	return "[" + string(c) + "]"
}

func position(at source.Span) string {
	if !at.Valid() {
		return ""
	}
	return fmt.Sprintf("%s:%d:%d: ", Printable(at.File.Name), at.Line(), at.Column())
}

// excerpt returns the line on which the span starts, with a mark under the part of the span that lies on it.
func excerpt(at source.Span, mark string, p palette) string {
	if !at.Valid() {
		return ""
	}
	number := strconv.Itoa(at.Line())
	before, token, after := window(at)
	line := strings.TrimRight(before+token+after, " ")
	if line != "" {
		line = " " + line
	}
	indent := strings.Repeat(" ", uniseg.StringWidth(before))
	carets := strings.Repeat("^", max(1, uniseg.StringWidth(token)))
	return fmt.Sprintf("  %s%s |%s%s\n  %s%s |%s %s%s%s%s\n",
		p.dim, number, p.reset, line,
		p.dim, strings.Repeat(" ", len(number)), p.reset, indent, mark, carets, p.reset)
}

// excerptBytes bounds how much of a long line is shown before and after the start of a span.
const excerptBytes = 120

// window cuts the span's first line into the text before the span, the part in the span, and the rest, each in
// printable form; an ellipsis replaces what is more than excerptBytes away.
func window(at source.Span) (before, token, after string) {
	line := strings.TrimSuffix(at.File.Line(at.Line()), "\r")
	start := min(len(line), at.Start-strings.LastIndexByte(at.File.Text[:at.Start], '\n')-1)
	end := min(len(line), start+at.End-at.Start)
	from, to := start-excerptBytes, start+excerptBytes
	head, tail := "", ""
	if from > 0 {
		head = "…"
	}
	if to < len(line) {
		tail = "…"
	}
	from, to = min(start, wholeRune(line, max(0, from))), wholeRune(line, min(len(line), to))
	end = min(end, to)
	return head + printable(line[from:start]), printable(line[start:end]), printable(line[end:to]) + tail
}

// wholeRune is i, or the end of the character that a cut at i would split.
func wholeRune(s string, i int) int {
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	return i
}

// Printable returns a message in a form that a terminal only prints: characters that it would obey are replaced, all
// but the ends of lines, and long quotations are cut (Brief).
func Printable(s string) string {
	s = Brief(s)
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = printable(lines[i])
	}
	return strings.Join(lines, "\n")
}

// printable replaces a tab by four columns, and characters that a terminal would obey, such as an escape, by U+FFFD: a
// model's text must not control the terminal of its reader.
func printable(s string) string {
	s = strings.ReplaceAll(s, "\t", "    ")
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}
