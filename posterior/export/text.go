package export

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"ppl/lang/types"
)

func digits(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func writeCSV(w io.Writer, t table, _ int) error {
	out := csv.NewWriter(w)
	head := []string{"chain", "draw"}
	for _, c := range t.columns {
		head = append(head, c.variable.Element(c.element))
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
		for draw := range t.run.Info.Draws {
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

// cmdStanStats are CmdStan's names for the statistics of a sampler.
func cmdStanStats() [][2]string {
	return [][2]string{{"lp", "lp__"}, {"lp_estimate", "lp__"},
		{"acceptance_rate", "accept_stat__"}, {"step_size", "stepsize__"},
		{"tree_depth", "treedepth__"}, {"n_steps", "n_leapfrog__"}, {"diverging", "divergent__"},
		{"energy", "energy__"}}
}

// writeCmdStan writes one chain. Elements are named by numbers, theta.2, in CmdStan's order: the first index runs
// fastest.
func writeCmdStan(w io.Writer, t table, chain int) error {
	out := bufio.NewWriter(w)
	r := t.run.Info.Report
	fmt.Fprintf(out, "# model = %s\n# method = sample (Default)\n#   sample\n#     num_samples = %d\n#     "+
		"num_warmup = %d\n"+
		"#     save_warmup = 0 (Default)\n#     thin = %d\n# id = %d\n", t.run.Info.Model, t.run.Info.Draws, r.Warmup,
		max(r.Thin, 1), chain+1)
	var head []string
	var stats [][]float64
	for _, s := range cmdStanStats() {
		if !t.run.HasStat(s[0]) {
			continue
		}
		chains, err := t.run.Stats(s[0])
		if err != nil {
			return err
		}
		head, stats = append(head, s[1]), append(stats, chains[chain])
	}
	columns := columnMajor(t.columns)
	for _, c := range columns {
		head = append(head, dotted(c.variable, c.element))
	}
	fmt.Fprintln(out, strings.Join(head, ","))
	for draw := range t.run.Info.Draws {
		var row []string
		for _, s := range stats {
			row = append(row, digits(s[draw]))
		}
		for _, c := range columns {
			row = append(row, digits(c.at(chain, draw)))
		}
		fmt.Fprintln(out, strings.Join(row, ","))
	}
	return out.Flush()
}

// places are the indices of an element, from 0.
func places(v types.Variable, element int) []int {
	at := make([]int, len(v.Shape))
	for a := len(at) - 1; a >= 0; a-- {
		at[a] = element % v.Shape[a]
		element /= v.Shape[a]
	}
	return at
}

func dotted(v types.Variable, element int) string {
	name := v.Name
	for _, k := range places(v, element) {
		name += "." + strconv.Itoa(k+1)
	}
	return name
}

// columnMajor puts the elements of whole variables in the order in which the first index runs fastest.
func columnMajor(columns []column) []column {
	out := make([]column, 0, len(columns))
	for len(columns) > 0 {
		v := columns[0].variable
		n := v.Size()
		if columns[0].element != 0 || n > len(columns) || columns[n-1].variable.Name != v.Name {
			out, columns = append(out, columns[0]), columns[1:]
			continue
		}
		for k := range n {
			at, row, rest := 0, 0, k
			for _, s := range v.Shape { // the place of the k-th element, the first index fastest, in row-major order
				at = rest % s
				rest /= s
				row = row*s + at
			}
			out = append(out, columns[row])
		}
		columns = columns[n:]
	}
	return out
}
