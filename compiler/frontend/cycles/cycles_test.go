package cycles_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ppl/compiler/frontend/cycles"
)

// In 200 random graphs, two nodes are in one cycle if each can be reached from the other according to the transitive
// closure by Warshall's algorithm.
func TestCyclesAgainstClosure(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 1 + random.IntN(9)
		graph := make([][]int, n)
		reaches := make([][]bool, n)
		for i := range n {
			reaches[i] = make([]bool, n)
			for j := range n {
				if random.IntN(n) == 0 {
					graph[i], reaches[i][j] = append(graph[i], j), true
				}
			}
		}
		for k := range n {
			for i := range n {
				for j := range n {
					reaches[i][j] = reaches[i][j] || reaches[i][k] && reaches[k][j]
				}
			}
		}
		f := cycles.New(func(i int) []int { return graph[i] })
		for _, i := range random.Perm(n) {
			var want []int
			for j := range n {
				if reaches[i][j] && reaches[j][i] {
					want = append(want, j)
				}
			}
			got := slices.Sorted(slices.Values(f.Of(i)))
			if !slices.Equal(got, want) {
				t.Fatalf("graph %v: %d is in %v, want %v", graph, i, got, want)
			}
		}
	}
}

func ExampleFinder() {
	reads := map[string][]string{"a": {"b"}, "b": {"a", "c"}, "c": {"c"}, "d": {"a"}}
	f := cycles.New(func(name string) []string { return reads[name] })
	fmt.Println(f.Of("d"), f.Of("a"), f.Found())
	// Output: [] [a b] [[c] [a b]]
}
