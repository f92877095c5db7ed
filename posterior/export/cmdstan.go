package export

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"ppl/lang/types"
	"ppl/posterior/store"
)

// A samplerColumn is a column that CmdStan writes before the parameters. Its values come from the first of statistics
// that the run has; if the run has none, every draw gets otherwise. The columns and their order are in CmdStan's User's
// Guide, "Stan CSV File Format".
type samplerColumn struct {
	name       string
	statistics []string
	otherwise  float64
}

// samplerColumns returns the columns of Hamiltonian Monte Carlo; readers reject a file in which one is missing.
func samplerColumns() []samplerColumn {
	return []samplerColumn{
		{"lp__", []string{"lp", "lp_estimate", "log_q"}, 0},
		{"accept_stat__", []string{"acceptance_rate"}, 1},
		{"stepsize__", []string{"step_size"}, 1},
		{"treedepth__", []string{"tree_depth"}, 0},
		{"n_leapfrog__", []string{"n_steps"}, 0},
		{"divergent__", []string{"diverging"}, 0},
		{"energy__", []string{"energy"}, 0},
	}
}

// writeCmdStan writes one chain. Elements are named by number, as in theta.2, in CmdStan's order: the first index
// varies fastest. The header says thin = 1, since the file holds every kept draw, and metric = unit_e, since the
// sampler moves in whitened coordinates, in which its metric is the identity.
func writeCmdStan(w io.Writer, t table, chain int) error {
	out := bufio.NewWriter(w)
	hamiltonian := t.run.HasStat("acceptance_rate")
	t.cmdStanHeader(out, chain, hamiltonian)
	columns := samplerColumns()
	if !hamiltonian {
		columns = columns[:2]
	}
	var head []string
	var cells []cell
	for _, c := range columns {
		head, cells = append(head, c.name), append(cells, t.statistic(c))
	}
	for _, c := range columnMajor(t.columns) {
		head, cells = append(head, dotted(c.variable, c.element)), append(cells, c.cell())
	}
	if t.logLik {
		names, more := t.logLikelihoods()
		head, cells = append(head, names...), append(cells, more...)
	}
	fmt.Fprintln(out, strings.Join(head, ","))
	t.cmdStanAdaptation(out, hamiltonian)
	line := make([]string, len(cells))
	err := t.rows(cells, chain, chain+1, func(_, _ int, row []float64) error {
		for k, x := range row {
			line[k] = stanNumber(x)
		}
		_, err := fmt.Fprintln(out, strings.Join(line, ","))
		return err
	})
	if err != nil {
		return err
	}
	r := t.run.Info.Report
	fmt.Fprintf(out, "# \n#  Elapsed Time: %.3f seconds (Warm-up)\n#                %.3f seconds (Sampling)\n"+
		"#                %.3f seconds (Total)\n# \n", r.Seconds-r.Sampling, r.Sampling, r.Seconds)
	return out.Flush()
}

// cmdStanHeader writes the leading comments, with the settings that readers look for.
func (t table) cmdStanHeader(out io.Writer, chain int, hamiltonian bool) {
	info, r := t.run.Info, t.run.Info.Report
	name := strings.TrimSuffix(filepath.Base(info.Model), ".ppl") + "_model"
	fmt.Fprintf(out, "# stan_version_major = 2\n# stan_version_minor = 35\n# stan_version_patch = 0\n# model = %s\n"+
		"# method = sample (Default)\n#   sample\n#     num_samples = %d\n#     num_warmup = %d\n"+
		"#     save_warmup = 0 (Default)\n#     thin = 1 (Default)\n", name, t.draws, r.Warmup)
	if hamiltonian {
		fmt.Fprint(out, "#     adapt\n#       engaged = 1 (Default)\n#     algorithm = hmc (Default)\n#       hmc\n"+
			"#         engine = nuts (Default)\n#           nuts\n#             max_depth = 10 (Default)\n"+
			"#         metric = unit_e\n")
	} else {
		fmt.Fprint(out, "#     algorithm = fixed_param\n")
	}
	fmt.Fprintf(out, "#     num_chains = 1 (Default)\n# id = %d\n# random\n#   seed = %d\n"+
		"# written by ppl %s, sampler %s\n", chain+1, info.Seed, info.Version, info.Sampler)
}

// cmdStanAdaptation writes the comments between the column names and the draws.
func (t table) cmdStanAdaptation(out io.Writer, hamiltonian bool) {
	if hamiltonian {
		step := float64(t.run.Info.Report.StepSize)
		if !(step > 0) {
			step = 1
		}
		fmt.Fprintf(out, "# Adaptation terminated\n# Step size = %s\n# No free parameters for unit metric\n",
			digits(step))
	}
}

// statistic returns the cell that fills a sampler column.
func (t table) statistic(c samplerColumn) cell {
	group := string(store.SamplerStats)
	for _, name := range c.statistics {
		if t.run.HasStat(name) && t.run.StreamedCount(group) == t.draws {
			return cell{array: store.Array{Group: group, Name: name}, size: 1}
		}
	}
	return cell{otherwise: c.otherwise}
}

// logLikelihoods returns the columns log_lik.1, log_lik.2, … of the rows of the data, as R's loo package reads them. If
// there are several observed variables, the names also contain the variable's name.
func (t table) logLikelihoods() (names []string, cells []cell) {
	observed := t.run.Layout.LogLikelihood
	for _, v := range observed {
		array := "log_lik"
		if len(observed) > 1 {
			array += "_" + v.Name
		}
		for k := range v.Size() {
			names = append(names, array+"."+strconv.Itoa(k+1))
			cells = append(cells, cell{store.Array{Group: string(store.RowDensities), Name: v.Name}, v.Size(), k, 0})
		}
	}
	return names, cells
}

// stanNumber formats a number as CmdStan does.
func stanNumber(x float64) string {
	switch {
	case math.IsNaN(x):
		return "nan"
	case math.IsInf(x, 1):
		return "inf"
	case math.IsInf(x, -1):
		return "-inf"
	}
	return digits(x)
}

// places returns the indices of an element, counted from 0.
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

// columnMajor reorders the elements of each complete variable so that the first index varies fastest.
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
			for _, s := range v.Shape { // converts k, with the first index fastest, to a row-major position
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
