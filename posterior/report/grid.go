package report

// Cells returns the titles of a summary's table, and the rows of its first parameters as text, at most most rows.
func Cells(s Report, most int) (titles []string, rows [][]string) {
	columns := s.View.columns()
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
