package infer

import "fmt"

// starts is the maximum number of starting points that Disperse tries for a walker.
const starts = 200

// Disperse places each walker at a starting point of finite density, and returns a Refusal if it finds none for some
// walker. The candidates for walker w are start(w), start(w + walkers), start(w + 2·walkers) and so on. place puts all
// walkers at the given positions and returns those whose density is not finite.
func Disperse(walkers int, start func(walker int) []float64, place func(at [][]float64) (bad []int, err error)) error {
	at, bad := make([][]float64, walkers), make([]int, walkers)
	for w := range at {
		bad[w] = w
	}
	for try := 0; len(bad) > 0; try++ {
		if try == starts {
			return Refusal{NowhereFinite{fmt.Sprintf("any of %d starting points", starts)}}
		}
		for _, w := range bad {
			at[w] = start(w + try*walkers)
		}
		var err error
		if bad, err = place(at); err != nil {
			return err
		}
	}
	return nil
}
