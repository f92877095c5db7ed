package ladder

import "testing"

// TestUpwardByHand checks that each iteration counts the direction of a walker once, and that a walker that has been at
// neither end has no direction.
func TestUpwardByHand(t *testing.T) {
	var c rungCount
	for _, last := range []int{undecided, upward, upward, downward, upward} {
		c.add(0, []float64{1}, []float64{0}, nil, last)
	}
	if c.Trajectories != 5 || c.Up != 3 || c.Down != 1 {
		t.Errorf("%+v", c)
	}
}
