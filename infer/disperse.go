package infer

import "fmt"

// starts is how often a walker may be restarted before the target is taken to be finite nowhere.
const starts = 200

// Disperse places each walker at a separate start at which the density is finite. start(w) returns the start of
// walker w; numbers from walkers on give further candidates. place puts all walkers at the given positions and returns
// those whose density is not finite.
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
