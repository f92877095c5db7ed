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
	err := t.rows(func(chain, draw int) error {
		row := []string{strconv.Itoa(chain + 1), strconv.Itoa(draw + 1)}
		for _, c := range t.columns {
			row = append(row, digits(c.at(chain, draw)))
		}
		return out.Write(row)
	})
	if err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

// writeJSON writes the variables of the columns; one of which only some elements are asked for is a list of those.
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
		t.nested(out, part, shape)
		at += n
	}
	out.WriteString("\n}\n")
	return out.Flush()
}

// nested writes the draws of a variable as lists of lists.
func (t table) nested(out *bufio.Writer, part []column, shape []int) {
	open := func(i int) {
		if i > 0 {
			out.WriteString(", ")
		}
	}
	out.WriteString("[")
	for chain := range t.run.Layout.Chains {
		open(chain)
		out.WriteString("[")
		for draw := range t.draws {
			open(draw)
			k := 0
			element(out, shape, func() string {
				x := part[k].at(chain, draw)
				k++
				if math.IsNaN(x) || math.IsInf(x, 0) {
					return "null"
				}
				return digits(x)
			})
		}
		out.WriteString("]")
	}
	out.WriteString("]")
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
