package analysis

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"

	"ppl/app"
	"ppl/app/fault"
	"ppl/app/notes"
	"ppl/compiler"
	"ppl/compiler/backend/lower"
	"ppl/compiler/datasets/dataset"
	"ppl/lang/types"
	"ppl/numbers"
	"ppl/posterior/loo"
	"ppl/posterior/store"
	"ppl/runtime/device"
)

// A rowRun recomputes the log likelihood of randomly chosen rows at every draw of a run, so that the run need not store
// it. For all rows, it computes the log likelihood at the posterior mean as an approximation.
type rowRun struct {
	*Run
	program  *compiler.Program
	forecast *compiler.Forecast
	seed     uint64
}

func openForRows(dir string, n notes.Notes) (*rowRun, error) {
	o, err := Open(dir, n)
	if err != nil {
		return nil, err
	}
	if err := o.Options.RefuseSearch(dir); err != nil {
		return nil, err
	}
	program, err := o.sampledProgram()
	if err != nil {
		return nil, err
	}
	rows := program.Plan.Rows()
	if rows < 2 {
		_, err := program.Rows()
		return nil, fault.Wrong(cmp.Or(err, errors.New("--rows needs at least two rows, but the data have one")))
	}
	f := program.Forecast(min(rows, rowsAtOnce), inSingle(o.Stored.Layout.Posterior))
	if f == nil {
		return nil, fault.Wrongf("%s: --rows needs a model with one observed array, whose rows are independent "+
			"given the parameters, all observed, and in memory", dir)
	}
	return &rowRun{o, program, f, o.Options.Seed}, nil
}

// rows identifies the rows that the model predicts.
func (p *rowRun) rows() loo.Rows {
	return loo.Rows{Dir: p.Dir, Of: p.forecast.Outcome.Name, N: len(p.forecast.Values), Data: p.forecast.Values}
}

// choose returns m random rows, drawn without replacement with the seed of the run, in ascending order.
func (p *rowRun) choose(m int) []int {
	n := len(p.forecast.Values)
	rows := rand.New(rand.NewPCG(p.seed, 0x100)).Perm(n)[:min(m, n)]
	slices.Sort(rows)
	return rows
}

// CrossValidateRows estimates leave-one-out prediction of all rows from m random rows, drawn with the seed of the run.
func CrossValidateRows(ctx context.Context, dir string, m int, n notes.Notes) (loo.SubsampleResult, error) {
	p, err := openForRows(dir, n)
	if err != nil {
		return loo.SubsampleResult{}, err
	}
	return p.crossValidate(ctx, p.choose(m))
}

// crossValidate estimates leave-one-out prediction of all rows from the given rows.
func (p *rowRun) crossValidate(ctx context.Context, rows []int) (loo.SubsampleResult, error) {
	var none loo.SubsampleResult
	d, err := newRowDensities(ctx, p.forecast)
	if err != nil {
		return none, err
	}
	defer d.exe.Close()
	rough, err := p.atMean(d)
	if err != nil {
		return none, fault.Of(err)
	}
	part := loo.Subsample{Rows: rows, Rough: rough}
	for _, i := range rows {
		part.Places = append(part.Places, p.forecast.Places[i])
	}
	defer p.notes.ProgressEnd()
	l, err := loo.CrossValidateSubsample(p.Stored, p.forecast.Outcome, part, func(some []int, take loo.TakeRow) error {
		return p.logLikelihoods(ctx, d, some, take)
	})
	if err != nil {
		return none, fault.Of(err)
	}
	return l, nil
}

// atMean returns the log likelihood of every row at the posterior mean.
func (p *rowRun) atMean(d *rowDensities) ([]float64, error) {
	mean, err := p.meanParameters(p.program)
	if err != nil {
		return nil, err
	}
	rough := make([]float64, len(p.forecast.Values))
	all := make([]int, len(rough))
	for i := range all {
		all[i] = i
	}
	err = d.at([]map[string]dataset.Array{mean}, all, func(_, row int, x float64) { rough[row] = x })
	return rough, err
}

// CompareRows cross-validates the same m random rows in each run, drawn with the seed of the first run.
func CompareRows(ctx context.Context, dirs []string, m int, n notes.Notes) (loo.SubsampleComparison, error) {
	var runs []*rowRun
	var none loo.SubsampleComparison
	for _, dir := range dirs {
		p, err := openForRows(dir, n)
		if err != nil {
			return none, err
		}
		runs = append(runs, p)
		if p != runs[0] {
			if err := runs[0].rows().SameAs(p.rows()); err != nil {
				return none, fault.Of(err)
			}
		}
	}
	var each []loo.SubsampleResult
	rows := runs[0].choose(m)
	for _, p := range runs {
		l, err := p.crossValidate(ctx, rows)
		if err != nil {
			return none, err
		}
		each = append(each, l)
	}
	return loo.CompareSubsamples(each), nil
}

// logLikelihoods evaluates the log likelihood of some rows at every draw, in the order of the draws.
func (p *rowRun) logLikelihoods(ctx context.Context, d *rowDensities, rows []int, take loo.TakeRow) error {
	total := p.Stored.Info.Draws * p.Stored.Layout.Chains
	return p.eachDraw(p.program, p.inBatches(ctx, total, func(at []map[string]dataset.Array, _ int) error {
		return d.at(at, rows, func(_, k int, x float64) { take(k, x) })
	}))
}

// eachDraw calls visit with the parameters of each draw, by name, chain after chain. It reads draws on demand, so that
// memory use does not depend on their number.
func (o *Run) eachDraw(program *compiler.Program, visit func(at map[string]dataset.Array) error) error {
	var vs []types.Variable
	var arrays []store.Array
	empty := map[string]dataset.Array{}
	for _, v := range app.ParametersOf(program) {
		if v.Size() == 0 {
			empty[v.Name] = dataset.Array{Shape: v.Shape, Values: numbers.Of()}
			continue
		}
		vs = append(vs, v)
		arrays = append(arrays, store.Array{Group: string(store.PosteriorDraws), Name: v.Name})
	}
	if len(vs) == 0 {
		for range o.Stored.Layout.Chains * o.Stored.Info.Draws {
			if err := visit(maps.Clone(empty)); err != nil {
				return err
			}
		}
		return nil
	}
	return o.Stored.Together(arrays, 0, o.Stored.Layout.Chains, func(_, _ int, values [][]float64) error {
		for d := range len(values[0]) / vs[0].Size() {
			at := maps.Clone(empty)
			for i, v := range vs {
				n := v.Size()
				of := slices.Clone(values[i][d*n : (d+1)*n])
				at[v.Name] = dataset.Array{Shape: v.Shape, Values: numbers.Of(of...)}
			}
			if err := visit(at); err != nil {
				return err
			}
		}
		return nil
	})
}

// meanParameters returns the posterior means of the parameters.
func (o *Run) meanParameters(program *compiler.Program) (map[string]dataset.Array, error) {
	mean, n := map[string]dataset.Array{}, float64(o.Stored.Layout.Chains*o.Stored.Info.Draws)
	for _, v := range app.ParametersOf(program) {
		sum := make([]float64, v.Size())
		err := o.Stored.Each(store.PosteriorDraws, v.Name, func(_, _ int, draws []float64) {
			for i, x := range draws {
				sum[i%len(sum)] += x / n
			}
		})
		if err != nil {
			return nil, err
		}
		mean[v.Name] = dataset.Array{Shape: v.Shape, Values: numbers.Of(sum...)}
	}
	return mean, nil
}

// rowDensities evaluates the log densities of rows on a device.
type rowDensities struct {
	f   *compiler.Forecast
	exe device.Executable
}

func newRowDensities(ctx context.Context, f *compiler.Forecast) (*rowDensities, error) {
	exe, err := loadForecast(ctx, []lower.Assign{{Name: "densities", Value: f.Densities}})
	if err != nil {
		return nil, err
	}
	return &rowDensities{f, exe}, nil
}

// at passes the log density of each given row, at each of at most lanesOfForecast draws, to take. k is the position in
// rows.
func (d *rowDensities) at(draws []map[string]dataset.Array, rows []int, take func(draw, k int, x float64)) error {
	mask, err := enterDraws(d.exe, d.f, draws)
	if err != nil {
		return err
	}
	m := d.f.Densities.Size()
	numbers, densities := make([]float64, m), make([]float64, m)
	for from := 0; from < len(rows); from += m {
		for i := range numbers {
			numbers[i] = float64(rows[min(from+i, len(rows)-1)])
		}
		for lane := range draws {
			d.exe.SetLane(compiler.RowNumbers, lane, numbers)
		}
		if _, err := d.exe.Run([]device.Call{{Entry: "forecast", Times: 1}}, 0, mask); err != nil {
			return err
		}
		for lane := range draws {
			d.exe.GetLane("densities", lane, densities)
			for i, x := range densities[:min(m, len(rows)-from)] {
				take(lane, from+i, x)
			}
		}
	}
	return nil
}
