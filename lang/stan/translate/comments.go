package translate

import (
	"slices"
	"strings"

	"ppl/lang/source"
	"ppl/lang/stan"
)

// A remark is a comment of the program that belongs to a statement of the model: lines above it, or a comment on its
// line.
type remark struct {
	above  []string
	behind string // after the statement, on its line
}

// remarks maps the index of a model statement to the comments of the program at the code from which that statement was
// made. Comments at other code are dropped. top has the comments before all code.
func (x *executor) remarks() (out map[int]remark, top []string) {
	out = map[int]remark{}
	text := x.program.Source.Text
	for _, c := range x.program.Comments {
		lines := remarkLines(c.Text)
		if strings.Count(text[:c.At.Start], "{") == 0 {
			top = append(top, lines...)
			continue
		}
		before := text[strings.LastIndexByte(text[:c.At.Start], '\n')+1 : c.At.Start]
		trailing := strings.TrimSpace(before) != ""
		line := c.At.Line()
		if !trailing {
			line = nextCode(text, x.program.Comments, c.At.End)
		}
		i := x.statementAt(line)
		if i < 0 || len(lines) == 0 {
			continue
		}
		r := out[i]
		if trailing && len(lines) == 1 && r.behind == "" {
			r.behind = lines[0]
		} else {
			r.above = append(r.above, lines...)
		}
		out[i] = r
	}
	return out, top
}

// nextCode returns the line of the first code after a position, skipping comments, or the last line if there is none.
func nextCode(text string, comments []stan.Comment, at int) int {
	for {
		at += len(text[at:]) - len(strings.TrimLeft(text[at:], " \t\r\n"))
		next := at
		for _, c := range comments {
			if c.At.Start == at {
				next = c.At.End
			}
		}
		if next == at {
			return 1 + strings.Count(text[:at], "\n")
		}
		at = next
	}
}

// statementAt returns the index of the first model statement that was made from code in a line: from a statement that
// begins there, or a variable declared there. It is -1 if there is none.
func (x *executor) statementAt(line int) int {
	declared := map[string]bool{}
	var within []source.Span // statements that begin in the line
	for _, f := range x.program.Functions {
		if f.Body != nil {
			within = append(within, beginningAt(f.Body.Stmts, line)...)
		}
	}
	within = append(within, beginningAt(x.program.Model, line)...)
	for _, block := range [][]stan.Stmt{x.program.Data, x.program.TransformedData, x.program.Parameters,
		x.program.TransformedParameters, x.program.Generated} {
		within = append(within, beginningAt(block, line)...)
		for _, s := range block {
			if d, ok := s.(*stan.Decl); ok && (d.At.Line() == line || d.Name.At.Line() == line) {
				declared[x.pplName(d.Name.Name)] = true
			}
		}
	}
	for i, it := range x.items {
		came := slices.ContainsFunc(within, func(s source.Span) bool {
			return it.at.Valid() && s.Start <= it.at.Start && it.at.Start < s.End
		})
		if !it.dropped && (declared[x.finalName(it.name)] || came) {
			return i
		}
	}
	return -1
}

// beginningAt returns the spans of the statements that begin in a line.
func beginningAt(all []stan.Stmt, line int) (out []source.Span) {
	for _, s := range all {
		walk(s, func(s stan.Stmt) {
			if s.Span().Line() == line {
				out = append(out, s.Span())
			}
		})
	}
	return out
}

// remarkLines returns the lines of a comment without decoration.
func remarkLines(text string) []string {
	var out []string
	for _, line := range strings.Split(text, "\n") {
		if strings.Trim(line, " \t\r*-=#/") != "" {
			out = append(out, strings.Trim(line, " \t\r*#/"))
		}
	}
	return out
}
