package docs

import (
	"strings"
	"unicode/utf8"
)

// Plain formats Markdown for a terminal: it indents blocks of code, prints the file name of a block above it, and
// aligns the columns of tables.
func Plain(markdown string) string {
	var out, table []string
	fenced := false
	for _, line := range strings.Split(markdown+"\n", "\n") {
		info, isFence := strings.CutPrefix(line, "```")
		if !fenced && strings.HasPrefix(line, "|") {
			table = append(table, line)
			continue
		}
		out, table = append(out, alignTable(table)...), nil
		switch {
		case isFence:
			fenced = !fenced
			if _, file, named := strings.Cut(info, " "); named {
				out = append(out, "    "+file+":")
			}
		case fenced && line != "":
			out = append(out, "    "+line)
		default:
			out = append(out, line)
		}
	}
	return strings.Join(out[:len(out)-1], "\n")
}

// alignTable formats the rows of a Markdown table with aligned columns, and drops the line of dashes.
func alignTable(lines []string) (out []string) {
	var rows [][]string
	var widths []int
	for _, line := range lines {
		if strings.Trim(line, "|-: ") == "" {
			continue
		}
		cells := tableCells(line)
		rows = append(rows, cells)
		for i, cell := range cells {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, cells := range rows {
		var b strings.Builder
		for i, cell := range cells {
			b.WriteString("  " + cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)))
		}
		out = append(out, strings.TrimRight(b.String(), " "))
	}
	return out
}

// tableCells splits a row of a table. \| is a bar inside a cell. Backquotes are removed.
func tableCells(line string) (cells []string) {
	const bar = "\x00"
	line = strings.Trim(strings.ReplaceAll(line, `\|`, bar), "|")
	for _, cell := range strings.Split(line, "|") {
		cells = append(cells, strings.ReplaceAll(strings.ReplaceAll(strings.TrimSpace(cell), bar, "|"), "`", ""))
	}
	return cells
}
