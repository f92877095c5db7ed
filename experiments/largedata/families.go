package main

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"path/filepath"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"ppl/experiments/lab"
)

// A family is a regression whose log likelihood of a row is a function of a linear predictor η.
type family struct {
	name   string
	groups int // number of groups with separate intercepts
	draw   func(r *rand.Rand, eta float64) float64
	// derivatives of the log likelihood of y with respect to η: the first, and minus the second
	slope, curvature func(y, eta float64) float64
}

const (
	slopes     = 5
	freedom    = 4   // degrees of freedom of Student's t
	groupSD    = 0.7 // standard deviation of the intercepts
	groupCount = 30
)

func families() []family {
	sigmoid := func(eta float64) float64 { return 1 / (1 + math.Exp(-eta)) }
	return []family{
		{"poisson", 0,
			func(r *rand.Rand, eta float64) float64 { return distuv.Poisson{Lambda: math.Exp(eta), Src: r}.Rand() },
			func(y, eta float64) float64 { return y - math.Exp(eta) },
			func(_, eta float64) float64 { return math.Exp(eta) }},
		{"robust", 0,
			func(r *rand.Rand, eta float64) float64 {
				return distuv.StudentsT{Mu: eta, Sigma: 1, Nu: freedom, Src: r}.Rand()
			},
			func(y, eta float64) float64 { e := y - eta; return (freedom + 1) * e / (freedom + e*e) },
			func(y, eta float64) float64 {
				e := y - eta
				return (freedom + 1) * (freedom - e*e) / ((freedom + e*e) * (freedom + e*e))
			}},
		{"hierarchical", groupCount,
			func(r *rand.Rand, eta float64) float64 {
				if r.Float64() < sigmoid(eta) {
					return 1
				}
				return 0
			},
			func(y, eta float64) float64 { return y - sigmoid(eta) },
			func(_, eta float64) float64 { p := sigmoid(eta); return p * (1 - p) }},
	}
}

// A simulation has rows of a family: covariates in row-major order, outcomes, and groups numbered from 0, if any.
type simulation struct {
	family
	x, y  []float64
	group []int
}

func (f family) simulate(n int) simulation {
	r := rand.New(rand.NewPCG(1, 3))
	s, theta, a := simulation{family: f}, make([]float64, slopes), make([]float64, f.groups)
	for j := range theta {
		theta[j] = r.NormFloat64() / 4
	}
	for j := range a {
		a[j] = groupSD * r.NormFloat64()
	}
	for range n {
		eta := 0.0
		for _, b := range theta {
			v := r.NormFloat64()
			s.x, eta = append(s.x, v), eta+b*v
		}
		if f.groups > 0 {
			g := r.IntN(f.groups)
			s.group, eta = append(s.group, g), eta+a[g]
		}
		s.y = append(s.y, f.draw(r, eta))
	}
	return s
}

// laplace returns the mode and the standard deviations of the slopes in the normal approximation of the posterior, by
// Newton's method. It treats the standard deviation of intercepts as known, because it hardly affects the slopes.
func (s simulation) laplace() (mode, sd []float64) {
	const rounds = 12
	d := slopes + s.groups
	theta, covariance := mat.NewVecDense(d, nil), mat.NewDense(d, d, nil)
	for range rounds {
		gradient, hessian := mat.NewVecDense(d, nil), mat.NewSymDense(d, nil)
		for j := range d {
			precision := 1 / (spread * spread)
			if j >= slopes {
				precision = 1 / (groupSD * groupSD)
			}
			gradient.SetVec(j, -precision*theta.AtVec(j))
			hessian.SetSym(j, j, precision)
		}
		for i, y := range s.y {
			s.addRow(i, y, theta, gradient, hessian)
		}
		if err := covariance.Inverse(hessian); err != nil {
			panic(err)
		}
		var step mat.VecDense
		step.MulVec(covariance, gradient)
		theta.AddVec(theta, &step)
	}
	for j := range slopes {
		mode, sd = append(mode, theta.AtVec(j)), append(sd, math.Sqrt(covariance.At(j, j)))
	}
	return mode, sd
}

// addRow adds the contribution of a row to the gradient and to the negative Hessian.
func (s simulation) addRow(i int, y float64, theta, gradient *mat.VecDense, hessian *mat.SymDense) {
	var at [slopes + 1]int
	var value [slopes + 1]float64
	n := slopes
	for j := range slopes {
		at[j], value[j] = j, s.x[i*slopes+j]
	}
	if s.groups > 0 {
		at[n], value[n] = slopes+s.group[i], 1
		n++
	}
	eta := 0.0
	for k := range n {
		eta += value[k] * theta.AtVec(at[k])
	}
	first, second := s.slope(y, eta), s.curvature(y, eta)
	for k := range n {
		gradient.SetVec(at[k], gradient.AtVec(at[k])+first*value[k])
		for l := k; l < n; l++ {
			hessian.SetSym(at[k], at[l], hessian.At(at[k], at[l])+second*value[k]*value[l])
		}
	}
}

// otherFamilies measures the cost of effective draws against the number of rows for regressions of other families, with
// batch = auto.
func otherFamilies(bench *lab.Bench) error {
	t := lab.Table{Columns: []string{"regression", "rows", "sampler", "batch", "ESS of 4,000 draws",
		"CPU s for 2,000 effective draws", "step", "sd of slopes over the truth, mean", "farthest from 1",
		"largest error of a mean, in sd"}}
	for _, f := range families() {
		for _, n := range []int{10_000, 100_000, 1_000_000} {
			rows := f.simulate(n)
			mode, sd := rows.laplace()
			data, err := rows.write(bench)
			if err != nil {
				return err
			}
			for _, c := range []contender{{"all rows (hmc)", ""}, {"batch = auto", "--set batch=auto"}} {
				if n > 10_000 && c.settings == "" {
					continue
				}
				args := data
				if c.settings != "" {
					args = append([]string{"--set", "batch=auto"}, data...)
				}
				r, err := bench.Sample(filepath.Join(home, f.name+".ppl"), 1, args...)
				if err != nil {
					return err
				}
				s := rate(r, mode, sd)
				log.Printf("%s, %d rows, %s: %.1f s, ESS %.0f, sd %.3f", f.name, n, c.name, r.CPU.Seconds(), s.ess,
					average(s.sds))
				t.Add(f.name, n, c.name, batchOf(r), s.ess, r.CPU.Seconds()*2000/s.ess, r.Step,
					fmt.Sprintf("%.3f", average(s.sds)), fmt.Sprintf("%.3f", farthest(s.sds)), s.mean)
				if err := r.Discard(); err != nil {
					return err
				}
			}
		}
	}
	return lab.Section(filepath.Join(home, "RESULTS.md"), fmt.Sprintf(preface, lab.Machine()),
		"Other regressions, by rows", fmt.Sprintf(aboutFamilies, t.String()))
}

// batchOf returns the batch size in the sampler's notes; 0 means all rows.
func batchOf(r *lab.Run) (rows int) {
	for _, note := range r.Notes {
		if _, err := fmt.Sscanf(note, "minibatches of %d", &rows); err == nil {
			return rows
		}
	}
	return 0
}

// write writes the rows as NumPy files, and returns the flags that name these files.
func (s simulation) write(bench *lab.Bench) ([]string, error) {
	flags := []string{"--data", fmt.Sprintf("N=%d", len(s.y)), "--data", fmt.Sprintf("K=%d", slopes)}
	arrays := []array{{"x", s.x, fmt.Sprintf("(%d, %d)", len(s.y), slopes)},
		{"y", s.y, fmt.Sprintf("(%d,)", len(s.y))}}
	if s.groups > 0 {
		flags = append(flags, "--data", fmt.Sprintf("J=%d", s.groups))
		numbers := make([]float64, len(s.group))
		for i, g := range s.group {
			numbers[i] = float64(g + 1)
		}
		arrays = append(arrays, array{"group", numbers, fmt.Sprintf("(%d,)", len(s.y))})
	}
	more, err := writeArrays(bench, arrays...)
	return append(flags, more...), err
}
