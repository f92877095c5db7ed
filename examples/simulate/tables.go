package main

import (
	"fmt"
	"math"
	"strings"
)

func ratings(r random) study {
	const judges, n = 12, 240
	cut, sweet, spread := []float64{-2, -0.5, 0.5, 2}, 1.0, 0.8
	kind := r.normals(judges, 0, spread)
	judge, sugar := cycle(n, judges), rounded(r.normals(n, 0, 1))
	rating := vector(n, func(i int) float64 {
		u := math.Log(1/r.Float64() - 1)
		latent := sweet*sugar[i] + kind[i%judges] + u
		k := 1.0
		for _, c := range cut {
			k += bools(latent > c)
		}
		return k
	})
	return study{
		map[string]table{"ratings.csv": {"rating,judge,sugar", [][]float64{rating, judge, sugar}}},
		map[string][]float64{"cut": cut, "sweet": {sweet}, "spread": {spread}, "kind": kind},
	}
}

func exam(r random) study {
	const pupils, questions = 150, 10
	ability, hard := r.normals(pupils, 0, 1), r.normals(questions, 0, 1)
	sharp := vector(questions, func(int) float64 { return math.Exp(r.normal(0, 0.4)) })
	columns := make([][]float64, questions)
	for i := range columns {
		columns[i] = vector(pupils, func(j int) float64 {
			return r.bernoulli(sigmoid(sharp[i] * (ability[j] - hard[i])))
		})
	}
	return study{
		map[string]table{"exam.csv": {numbered("q", questions), columns}},
		map[string][]float64{"ability": ability, "sharp": sharp, "hard": hard},
	}
}

func numbered(name string, n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprint(name, i+1)
	}
	return strings.Join(names, ",")
}

// capture simulates 90 animals over six nights, and keeps those caught at least once. 160 is the largest number of
// animals that the model allows.
func capture(r random) study {
	const animals, possible, nights, first, again = 90, 160, 6, 0.35, 0.2
	columns := make([][]float64, nights)
	for range animals {
		var past [nights]float64
		caught := false
		for t := range past {
			p := first
			if caught {
				p = again
			}
			past[t] = r.bernoulli(p)
			caught = caught || past[t] == 1
		}
		for t := range past {
			if caught {
				columns[t] = append(columns[t], past[t])
			}
		}
	}
	return study{
		map[string]table{"capture.csv": {numbered("night", nights), columns}},
		map[string][]float64{"share": {float64(animals) / possible}, "first": {first}, "again": {again}},
	}
}

func visits(r random) study {
	const n = 250
	a, b := []float64{0.5, -1}, []float64{0.3, 0.5}
	health := rounded(r.normals(n, 0, 1))
	count := vector(n, func(i int) (k float64) {
		if r.bernoulli(sigmoid(a[0]+a[1]*health[i])) == 0 {
			return 0
		}
		for k == 0 {
			k = r.poisson(math.Exp(b[0] + b[1]*health[i]))
		}
		return k
	})
	return study{
		map[string]table{"visits.csv": {"visits,health", [][]float64{count, health}}},
		map[string][]float64{"a": a, "b": b},
	}
}

func parasites(r random) study {
	const n, exposed, size = 250, 0.6, 1.5
	b := []float64{1, 0.7}
	length := rounded(r.normals(n, 0, 1))
	count := vector(n, func(i int) float64 {
		rate := math.Exp(b[0] + b[1]*length[i])
		return r.bernoulli(exposed) * r.poisson(r.gamma(size, size/rate))
	})
	return study{
		map[string]table{"parasites.csv": {"parasites,length", [][]float64{count, length}}},
		map[string][]float64{"exposed": {exposed}, "b": b, "size": {size}},
	}
}

func occupancy(r random) study {
	const sites, times, p = 100, 4, 0.4
	a := []float64{0.3, 1.2}
	forest := rounded(r.normals(sites, 0, 1))
	lives := vector(sites, func(i int) float64 { return r.bernoulli(sigmoid(a[0] + a[1]*forest[i])) })
	sightings := vector(sites, func(i int) (k float64) {
		for range times {
			k += lives[i] * r.bernoulli(p)
		}
		return k
	})
	return study{
		map[string]table{"occupancy.csv": {"sightings,forest", [][]float64{sightings, forest}}},
		map[string][]float64{"a": a, "p": {p}},
	}
}
