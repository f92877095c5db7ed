// Package format prints a syntax tree in the language's canonical form:
//
//	sigma~HalfNormal( 1)                            →     sigma ~ HalfNormal(1)
//	y[t in 2..T]~Normal(y[t - 1],sigma) # noise     →     y[t in 2..T] ~ Normal(y[t-1], sigma)  # noise
//
// Statements keep their order, one per line. Comments are kept, and consecutive blank lines become one. Blocks are
// indented by four spaces. Infix operators have spaces around them, except ^ and .., and except + - * / @ % inside the
// bounds of a range or a subscript: y[t-1], K+1..T. Arguments and list items within such a bound have the usual spaces.
//
// A statement is never split over lines, so a comment inside a statement moves to the line above it.
package format

import (
	"strings"

	"ppl/lang/ast"
	"ppl/lang/source"
)

// File prints a file that was parsed without errors. Parsing the result gives the same tree, and printing that tree
// gives the same text again.
func File(f *ast.File) string {
	p := &printer{comments: f.Comments}
	lines := make([]line, len(f.Stmts))
	for i, s := range f.Stmts {
		lines[i] = statementLine(s)
	}
	p.lines(lines, len(f.Source.Text))
	return p.String()
}

// A printer writes the text. comments has the comments that are not yet written.
type printer struct {
	strings.Builder
	comments []ast.Comment
	indent   int
	last     int // source line on which the last printed text ends; 0 at the start of a file or block
}

// A line is a statement, or the return of a block, with its span and a function that prints it.
type line struct {
	at    source.Span
	inner *ast.Block // block in the statement; nil if there is none
	print func(*printer)
}

func statementLine(s ast.Stmt) line {
	l := line{at: s.Span(), print: func(p *printer) { p.statement(s) }}
	switch s := s.(type) {
	case *ast.Draw:
		l.inner = s.Block
	case *ast.Define:
		l.inner = s.Block
	}
	return l
}

// lines prints the statements of a file or block, and the comments between them that start before the offset end.
func (p *printer) lines(lines []line, end int) {
	p.last = 0
	for _, l := range lines {
		p.ownLines(l.at.Start)
		p.open(l.at.Line())
		p.hoist(l)
		p.tabs()
		l.print(p)
		p.close(l.at.File, l.at.End, end)
	}
	p.ownLines(end)
}

// open begins an output line for text on the given source line. It adds a blank line if the source had one.
func (p *printer) open(at int) {
	if p.last > 0 && at > p.last+1 {
		p.WriteByte('\n')
	}
	p.last = at
}

// close ends an output line. It first prints the comment on the source line of the offset, if there is one before the
// limit.
func (p *printer) close(src *source.File, offset, limit int) {
	at, _ := src.Position(offset)
	if len(p.comments) > 0 && p.comments[0].At.Line() == at && p.comments[0].At.Start < limit {
		p.WriteString("  " + p.comment())
	}
	p.WriteByte('\n')
	p.last = at
}

// ownLines prints the comments before the offset, each on a separate line.
func (p *printer) ownLines(offset int) {
	for len(p.comments) > 0 && p.comments[0].At.Start < offset {
		p.open(p.comments[0].At.Line())
		p.tabs()
		p.WriteString(p.comment() + "\n")
	}
}

// hoist prints the comments inside a statement above it. If the statement has a block, it moves only those before the
// block.
func (p *printer) hoist(l line) {
	until := l.at.End
	if l.inner != nil {
		until = l.inner.At.Start
	}
	for len(p.comments) > 0 && p.comments[0].At.Start < until {
		p.tabs()
		p.WriteString(p.comment() + "\n")
	}
}

// comment removes and returns the next comment.
func (p *printer) comment() string {
	c := p.comments[0]
	p.comments = p.comments[1:]
	return strings.TrimRight(c.Text, " \t\r")
}

func (p *printer) tabs() { p.WriteString(strings.Repeat("    ", p.indent)) }

// block prints { statements return e } over several lines.
func (p *printer) block(b *ast.Block) {
	lines := make([]line, 0, len(b.Stmts)+1)
	for _, s := range b.Stmts {
		lines = append(lines, statementLine(s))
	}
	lines = append(lines, line{at: b.Return.Span(), print: func(p *printer) {
		p.WriteString("return ")
		p.expr(b.Return, false)
	}})
	p.WriteByte('{')
	p.close(b.At.File, b.At.Start, b.At.End)
	p.indent++
	p.lines(lines, b.At.End)
	p.indent--
	p.tabs()
	p.WriteByte('}')
}
