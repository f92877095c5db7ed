package main

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

func volatility(r random) study {
	const n, mu, phi, s = 250, -1.0, 0.95, 0.25
	h := []float64{r.normal(mu, s/math.Sqrt(1-phi*phi))}
	for len(h) < n {
		h = append(h, r.normal(mu+phi*(h[len(h)-1]-mu), s))
	}
	y := vector(n, func(t int) float64 { return r.normal(0, math.Exp(h[t]/2)) })
	return study{
		map[string]table{"volatility.csv": {"y", [][]float64{y}}},
		map[string][]float64{"mu": {mu}, "phi": {phi}, "s": {s}, "h": h},
	}
}

func garch(r random) study {
	const n, mu, base, shock, memory = 500, 0.2, 0.3, 0.25, 0.6
	variance := base / (1 - shock - memory)
	y := vector(n, func(int) float64 {
		now := r.normal(mu, math.Sqrt(variance))
		variance = base + shock*(now-mu)*(now-mu) + memory*variance
		return now
	})
	return study{
		map[string]table{"garch.csv": {"y", [][]float64{y}}},
		map[string][]float64{"mu": {mu}, "base": {base}, "shock": {shock}, "memory": {memory}},
	}
}

// elimination solves the two-compartment model by the classical Runge-Kutta method with steps of a hundredth of an
// hour.
func elimination(r random) study {
	const absorb, top, middle, sigma = 1, 3, 5, 0.1
	slope := func(u [2]float64) [2]float64 {
		return [2]float64{-absorb * u[0], absorb*u[0] - top*u[1]/(middle+u[1])}
	}
	time := []float64{0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 10, 12}
	drug, u, step := []float64{}, [2]float64{15, 0}, 0
	for _, t := range time {
		for ; float64(step) < 100*t; step++ {
			u = rungeKutta(slope, u, 0.01)
		}
		drug = append(drug, u[1]*math.Exp(r.normal(0, sigma)))
	}
	return study{
		map[string]table{"elimination.csv": {"time,drug", [][]float64{time, drug}}},
		map[string][]float64{"absorb": {absorb}, "top": {top}, "middle": {middle}, "sigma": {sigma}},
	}
}

// dosing adds up the responses to single doses. Three patients get a dose every 12 hours, and three every 24.
func dosing(r random) study {
	const patients, absorb, lag, volume, typical, spread, sigma = 6, 1.2, 0.3, 30, 3, 0.3, 0.15
	clear := vector(patients, func(int) float64 { return math.Exp(r.normal(math.Log(typical), spread)) })
	var doses, levels [3][]float64
	enter := func(rows *[3][]float64, values ...float64) {
		for k, x := range values {
			rows[k] = append(rows[k], x)
		}
	}
	for p := range patients {
		every, leave := 12.*float64(1+p/3), clear[p]/volume
		for t := 0.; t < 48; t += every {
			enter(&doses, float64(p+1), t, 25*every)
		}
		for _, t := range []float64{1, 2, 4, 8, 12, 24, 25, 28, 36, 48} {
			level := 0.
			for dose := 0.; dose+lag < t && dose < 48; dose += every {
				s := t - dose - lag
				level += 25 * every / volume * absorb / (absorb - leave) * (math.Exp(-leave*s) - math.Exp(-absorb*s))
			}
			enter(&levels, float64(p+1), t, level*math.Exp(r.normal(0, sigma)))
		}
	}
	return study{
		map[string]table{"dosing.csv": {"subject,hour,level", levels[:]},
			"dosing_given.csv": {"patient,time,dose", doses[:]}},
		map[string][]float64{"absorb": {absorb}, "lag": {lag}, "volume": {volume}, "typical": {typical},
			"spread": {spread}, "clear": clear, "sigma": {sigma}},
	}
}

func rungeKutta(f func([2]float64) [2]float64, u [2]float64, h float64) [2]float64 {
	along := func(k [2]float64, by float64) [2]float64 { return [2]float64{u[0] + by*k[0], u[1] + by*k[1]} }
	k1 := f(u)
	k2 := f(along(k1, h/2))
	k3 := f(along(k2, h/2))
	k4 := f(along(k3, h))
	return [2]float64{u[0] + h/6*(k1[0]+2*k2[0]+2*k3[0]+k4[0]), u[1] + h/6*(k1[1]+2*k2[1]+2*k3[1]+k4[1])}
}

// regions draws from the ICAR prior on a grid, using the eigenvectors of its Laplacian except the constant one.
func regions(r random) study {
	const rows, cols, n, base, poor, sigma, rho = 6, 8, 48, 0.1, 0.4, 0.5, 0.7
	here, there := borders(rows, cols)
	graph := newLaplacian(n, here, there)
	shared, scale := graph.draw(r), round(graph.scale())
	alone, deprivation := r.normals(n, 0, 1), rounded(r.normals(n, 0, 1))
	expected := vector(n, func(int) float64 { return round(5 + 20*r.Float64()) })
	cases := vector(n, func(i int) float64 {
		risk := math.Sqrt(1-rho)*alone[i] + math.Sqrt(rho/scale)*shared[i]
		return r.poisson(expected[i] * math.Exp(base+poor*deprivation[i]+sigma*risk))
	})
	return study{
		map[string]table{"regions.csv": {"cases,expected,deprivation", [][]float64{cases, expected, deprivation}},
			"borders.csv": {"here,there", [][]float64{here, there}}},
		map[string][]float64{"base": {base}, "poor": {poor}, "sigma": {sigma}, "rho": {rho}, "alone": alone,
			"shared": shared},
	}
}

// borders lists the pairs of neighbours in a grid, numbered by rows from 1.
func borders(rows, cols int) (here, there []float64) {
	for i := range rows {
		for j := range cols {
			at := float64(i*cols + j + 1)
			if j+1 < cols {
				here, there = append(here, at), append(there, at+1)
			}
			if i+1 < rows {
				here, there = append(here, at), append(there, at+float64(cols))
			}
		}
	}
	return here, there
}

// A laplacian has the positive eigenvalues of a graph's Laplacian, and their eigenvectors in columns.
type laplacian struct {
	values  []float64
	vectors mat.Dense
}

// newLaplacian returns the laplacian of a connected graph with n nodes and the given edges. It omits the first
// eigenvalue, which is 0 and has a constant eigenvector.
func newLaplacian(n int, here, there []float64) *laplacian {
	m := mat.NewSymDense(n, nil)
	for e := range here {
		i, j := int(here[e])-1, int(there[e])-1
		m.SetSym(i, i, m.At(i, i)+1)
		m.SetSym(j, j, m.At(j, j)+1)
		m.SetSym(i, j, -1)
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(m, true) {
		panic("the eigenvalues do not converge")
	}
	var l laplacian
	var all mat.Dense
	eigen.VectorsTo(&all)
	l.values = eigen.Values(nil)[1:]
	l.vectors.CloneFrom(all.Slice(0, n, 1, n))
	return &l
}

// draw draws from the ICAR prior. The sum of the draw is 0.
func (l *laplacian) draw(r random) []float64 {
	z := vector(len(l.values), func(k int) float64 { return r.normal(0, 1/math.Sqrt(l.values[k])) })
	var x mat.VecDense
	x.MulVec(&l.vectors, mat.NewVecDense(len(z), z))
	return x.RawVector().Data
}

// scale returns the geometric mean of the ICAR prior's variances, which is a constant in regions.ppl.
func (l *laplacian) scale() float64 {
	n, _ := l.vectors.Dims()
	sum := 0.0
	for i := range n {
		variance := 0.0
		for k, value := range l.values {
			variance += l.vectors.At(i, k) * l.vectors.At(i, k) / value
		}
		sum += math.Log(variance)
	}
	return math.Exp(sum / float64(n))
}
