package export

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
)

func digits(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func writeCSV(w io.Writer, t table, _ int) error {
	out := csv.NewWriter(w)
	head := []string{"chain", "draw"}
	for _, c := range t.columns {
		head = append(head, c.heading())
	}
	if err := out.Write(head); err != nil {
		return err
	}
	line := make([]string, len(head))
	err := t.allRows(func(chain, draw int, row []float64) error {
		line = append(line[:0], strconv.Itoa(chain+1), strconv.Itoa(draw+1))
		for _, x := range row {
			line = append(line, digits(x))
		}
		return out.Write(line)
	})
	if err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

// writeJSON writes an object with a key for each variable. If only some elements of a variable are selected, each of
// these elements gets a key.
func writeJSON(w io.Writer, t table, _ int) error {
	out := bufio.NewWriter(w)
	out.WriteString("{")
	for at := 0; at < len(t.columns); {
		v := t.columns[at].variable
		n := 1
		for at+n < len(t.columns) && t.columns[at+n].variable.Name == v.Name && t.columns[at+n].element == n {
			n++
		}
		part := t.columns[at : at+n]
		name, shape := v.Name, v.Shape
		if n != v.Size() || part[0].element != 0 {
			part = part[:1]
			name, shape, n = v.Element(part[0].element), nil, 1
		}
		if at > 0 {
			out.WriteString(",")
		}
		key, err := json.Marshal(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "\n  %s: ", key)
		if err := t.nested(out, part, shape); err != nil {
			return err
		}
		at += n
	}
	out.WriteString("\n}\n")
	return out.Flush()
}

// nested writes the draws of a variable as nested lists: chains, draws, then the variable's axes.
func (t table) nested(out *bufio.Writer, part []column, shape []int) error {
	open := func(i int) {
		if i > 0 {
			out.WriteString(", ")
		}
	}
	var cells []cell
	for _, c := range part {
		cells = append(cells, c.cell())
	}
	out.WriteString("[")
	for chain := range t.run.Layout.Chains {
		open(chain)
		out.WriteString("[")
		err := t.rows(cells, chain, chain+1, func(_, draw int, row []float64) error {
			open(draw)
			element(out, shape, func() string {
				x := row[0]
				row = row[1:]
				if math.IsNaN(x) || math.IsInf(x, 0) {
					return "null"
				}
				return digits(x)
			})
			return nil
		})
		if err != nil {
			return err
		}
		out.WriteString("]")
	}
	out.WriteString("]")
	return nil
}

func element(out *bufio.Writer, shape []int, next func() string) {
	if len(shape) == 0 {
		out.WriteString(next())
		return
	}
	out.WriteString("[")
	for i := range shape[0] {
		if i > 0 {
			out.WriteString(", ")
		}
		element(out, shape[1:], next)
	}
	out.WriteString("]")
}
