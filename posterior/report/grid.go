package report

import "ppl/posterior/summary"

// Cells returns the column titles of a summary's table, and the formatted cells of the first parameters, `most` of them
// at most.
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
