package diag

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

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
	true: {bold: "\x1b[1m", dim: "\x1b[2m", reset: "\x1b[0m", severity: [3]string{"\x1b[1;31m", "\x1b[1;33m", "\x1b[1;36m"}},
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
	line := at.File.Line(at.Line())
	before, token := splitAt(line, at)
	indent := strings.Repeat(" ", uniseg.StringWidth(before))
	carets := strings.Repeat("^", max(1, uniseg.StringWidth(token)))
	shown := strings.TrimRight(fmt.Sprintf("  %s%s |%s %s", p.dim, number, p.reset, printable(line)), " ")
	blank := strings.Repeat(" ", len(number))
	return fmt.Sprintf("%s\n  %s%s |%s %s%s%s%s\n", shown, p.dim, blank, p.reset, indent, mark, carets, p.reset)
}

// splitAt cuts the printable forms of what stands before the span on its first line, and of what the span has of it.
func splitAt(line string, at source.Span) (before, token string) {
	start := at.Start - strings.LastIndexByte(at.File.Text[:at.Start], '\n') - 1
	end := min(len(line), start+at.End-at.Start)
	return printable(line[:start]), printable(line[start:max(start, end)])
}

// printable gives a tab four columns and shows what a terminal would act on, such as an escape, as U+FFFD.
func printable(s string) string {
	s = strings.ReplaceAll(strings.TrimSuffix(s, "\r"), "\t", "    ")
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}
