package quantities

import "testing"

// TestPlan checks that a quantity is read as a sample of its draws if all of them need more than the memory limit, and
// that otherwise as many quantities are read together as fit.
func TestPlan(t *testing.T) {
	const draws = 80_000 // 22 MB for each quantity
	for _, c := range []struct {
		memory int64
		sample bool
		group  int
	}{{8 << 20, true, 0}, {26 << 20, false, 5}, {1 << 30, false, 1100}} {
		p := planFor(draws, c.memory, c.memory)
		if (p.room > 0) != c.sample || !c.sample && (p.group < 1 || p.group > c.group) {
			t.Errorf("%d bytes: the plan is %+v", c.memory, p)
		}
		if used := int64(p.workers*draws*DrawCost + p.group*draws*heldCost); !c.sample && used > c.memory {
			t.Errorf("%d bytes: the plan needs %d", c.memory, used)
		}
		if used := int64(p.room * DrawCost); c.sample && used > c.memory {
			t.Errorf("%d bytes: the sample needs %d", c.memory, used)
		}
	}
}
