package main

import (
	"fmt"

	"ppl/experiments/lab"
)

const preface = `# Fashion-MNIST with permuted labels

Written by ` + "`go run ./experiments/fashion-mnist`" + ` on %s.

Cells are accuracy in percent, log likelihood of a row, calibration error, and seconds of training, on the test set,
whose labels are as they are; means over the seeds in parentheses. Seconds are of a processor; where a table names a
device, by the clock, and cuda was an H200, which sgld and sghmc shared with other runs. A dash is a cell that has not
been run. Budgets are not times: optimisers take a number of gradients of batches of 128 rows, which an ensemble shares;
samplers climb with Adam and then keep a number of draws, which chains share. The climb has from 2,000 to 6,000 steps,
the fewer the more chains, at a rate of 0.002 that falls. Labels are permuted once, by the seed; the paper permutes them
again at each epoch, and has a thousand epochs, some 470,000 gradients, of the LSTM: its figures, in the last column,
cannot be compared one to one.
`

// A group is the set of cells of one table.
type group struct {
	network, device string
	budget
}

// page returns RESULTS.md: a table for each network, budget and device.
func page(runs []run) string {
	text := fmt.Sprintf(preface, lab.Machine())
	seen := map[group]bool{}
	for _, r := range runs {
		g := groupOf(r)
		if !seen[g] {
			seen[g] = true
			text += fmt.Sprintf("\n## %s, %d gradients, %d draws%s\n\n%s", g.network, g.Gradients, g.Draws, g.on(),
				g.table(runs))
		}
	}
	return text
}

func groupOf(r run) group { return group{r.Network, r.Device, r.budget} }

// on returns the device for a heading, or "" for the processor.
func (g group) on() string {
	if g.device == "" {
		return ""
	}
	return ", " + g.device
}

func (g group) table(runs []run) string {
	t := lab.Table{Columns: []string{"method"}}
	for _, share := range shares() {
		t.Columns = append(t.Columns, fmt.Sprintf("%d %% permuted", share))
	}
	t.Columns = append(t.Columns, "paper's accuracy")
	for _, m := range methods() {
		cells := []any{m.name}
		for _, share := range shares() {
			cells = append(cells, g.mean(runs, m.name, share))
		}
		t.Add(append(cells, m.paper)...)
	}
	return t.String()
}

// mean returns a cell of the table: means over seeds.
func (g group) mean(runs []run, method string, share int) string {
	var sum run
	n := 0.0
	for _, r := range runs {
		switch {
		case groupOf(r) != g || r.Method != method || r.Permuted != share:
		case r.Refused != "":
			return "refused"
		default:
			w := float64(r.seeds())
			n += w
			sum.Accuracy, sum.Log = sum.Accuracy+w*r.Accuracy, sum.Log+w*r.Log
			sum.Calibration, sum.Seconds = sum.Calibration+w*r.Calibration, sum.Seconds+w*r.Seconds
		}
	}
	if n == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f, %.3f, %.3f, %.0f s (%.0f)", 100*sum.Accuracy/n, sum.Log/n, sum.Calibration/n,
		sum.Seconds/n, n)
}
