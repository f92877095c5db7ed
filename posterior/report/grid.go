package report

import "ppl/posterior/summary"

// Cells returns the titles of a summary's table, and the rows of its first parameters as text, at most most rows.
func Cells(s summary.Report, most int) (titles []string, rows [][]string) {
	columns := columnsOf(s.View)
	titles = []string{"name"}
	for _, c := range columns {
		titles = append(titles, c.title)
	}
	for _, p := range s.Parameters[:min(most, len(s.Parameters))] {
		cells := []string{p.Name}
		for _, c := range columns {
			cells = append(cells, c.cell(p))
		}
		rows = append(rows, cells)
	}
	return titles, rows
}
