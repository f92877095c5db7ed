package autodiff_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	. "ppl/autodiff"
)

// TestRoutineIsReused evaluates random graphs at several points in turn, from several goroutines, and compares the
// values with those of a Routine that is used once. Values of earlier evaluations must have no influence.
func TestRoutineIsReused(t *testing.T) {
	t.Parallel()
	type point = map[string][]float64
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		y, xs, first := randomGraph(r)
		nodes := []Node{y, Scan(xs[1], []Node{xs[2]}, []Node{xs[0]}, seed%2 == 0, func(c Node, x, s []Node) Node {
			return Add(Mul(Sin(c), s[0]), x[0])
		})}
		points := []point{first}
		for range 3 {
			p := point{}
			for name, v := range first {
				p[name] = slices.Clone(v)
				for i := range v {
					p[name][i] += r.NormFloat64()
				}
			}
			points = append(points, p)
		}
		var want [][][]float64
		for _, p := range points {
			want = append(want, Eval(p, nodes...))
		}
		routine := NewRoutine(nodes...)
		var wait sync.WaitGroup
		for worker := range 3 {
			wait.Go(func() {
				for turn := range 20 {
					k := (turn*(worker+1) + worker) % len(points)
					if got := routine.Eval(points[k]); fmt.Sprint(got) != fmt.Sprint(want[k]) {
						t.Errorf("seed %d, point %d: %v, want %v", seed, k, got, want[k])
					}
				}
			})
		}
		wait.Wait()
	}
}
