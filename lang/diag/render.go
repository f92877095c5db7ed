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

// Render prints diagnostics in the given order, each with its source line and a mark under the exact token:
//
//	radon.ppl:4:20: error[E10]: `sgima` is not defined
//	  4 | y[i in N] ~ Normal(mu, sgima)
//	    |                        ^^^^^
//	  radon.ppl:3:1: `sigma` is here
//	  3 | sigma ~ HalfNormal(1)
//	    | ^^^^^
//	  help: did you mean `sigma`?
//
// Render ignores write errors. A caller that needs them passes a writer that keeps its first error, such as
// bufio.Writer.
func Render(w io.Writer, ds []Diagnostic, color bool) {
	for i, d := range ds {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprint(w, d.text(palettes[color]))
	}
}

// RenderLines prints each diagnostic on one line, without excerpts, related positions and advice.
func RenderLines(w io.Writer, ds []Diagnostic, color bool) {
	for _, d := range ds {
		fmt.Fprint(w, d.heading(palettes[color]))
	}
}

// A palette holds the terminal escape sequences for each part of a diagnostic. All are empty without colour.
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

// heading returns the first line: the position, the severity and code, and the message.
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

// excerpt returns the line on which the span starts, with a mark under the span's part on that line.
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

// excerptBytes is the number of bytes of a long line that are shown before and after the start of a span.
const excerptBytes = 120

// window splits the span's first line into the text before the span, the text in the span, and the rest, each in
// printable form. An ellipsis replaces text that is more than excerptBytes away.
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

// wholeRune returns i, or the end of the character that a cut at i would split.
func wholeRune(s string, i int) int {
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	return i
}

// Printable returns a message that is safe to print on a terminal: control characters except newlines are replaced, and
// long quotations are shortened (Brief).
func Printable(s string) string {
	s = Brief(s)
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = printable(lines[i])
	}
	return strings.Join(lines, "\n")
}

// printable replaces a tab by four spaces, and control characters by U+FFFD, so that a model's text cannot control the
// reader's terminal.
func printable(s string) string {
	s = strings.ReplaceAll(s, "\t", "    ")
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}
