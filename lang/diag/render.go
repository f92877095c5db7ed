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
// A write error is not reported; w remembers it where it matters.
func Render(w io.Writer, ds []Diagnostic, color bool) {
	for i, d := range ds {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprint(w, d.text(palettes[color]))
	}
}

// A palette is the terminal's escape sequences for what is printed, all empty without colour.
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
	mark := p.severity[d.Severity]
	fmt.Fprintf(&b, "%s%s%s%s%s: %s%s%s\n",
		place(d.Span), mark, d.Severity, code(d.Code), p.reset, p.bold, d.Message, p.reset)
	b.WriteString(excerpt(d.Span, mark, p))
	for _, r := range d.Related {
		fmt.Fprintf(&b, "  %s%s\n%s", place(r.Span), r.Message, excerpt(r.Span, p.bold, p))
	}
	if d.Help != "" {
		fmt.Fprintf(&b, "  %shelp:%s %s\n", p.bold, p.reset, d.Help)
	}
	return b.String()
}

func code(c string) string {
	if c == "" {
		return ""
	}
	return "[" + c + "]"
}

func place(at source.Span) string {
	if !at.Valid() {
		return ""
	}
	return fmt.Sprintf("%s:%d:%d: ", at.File.Name, at.Line(), at.Column())
}

// excerpt is the line on which the span starts, with a mark under the part of the span that lies on it.
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

// reach is how many bytes before and after the start of a span are shown of a long line.
const reach = 120

// window cuts the span's first line into the printable forms of what stands before the span, of what the span has of
// it, and of the rest; … stands for what is too far away.
func window(at source.Span) (before, token, after string) {
	line := strings.TrimSuffix(at.File.Line(at.Line()), "\r")
	start := min(len(line), at.Start-strings.LastIndexByte(at.File.Text[:at.Start], '\n')-1)
	end := min(len(line), start+at.End-at.Start)
	from, to := start-reach, start+reach
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

// wholeRune is i, or the end of the character it would cut.
func wholeRune(s string, i int) int {
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	return i
}

// printable gives a tab four columns and shows what a terminal would act on, such as an escape, as U+FFFD.
func printable(s string) string {
	s = strings.ReplaceAll(s, "\t", "    ")
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}
