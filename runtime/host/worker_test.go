package host

import (
	"sync"
	"testing"

	"ppl/compiler/backend/ir"
	"ppl/runtime/device"
)

// meeting is a statement of two tiles, each of which waits for the other, so that it ends only if both run at the same
// time.
type meeting struct{ sync.WaitGroup }

func (m *meeting) tile(_, _ *worker, _ int) {
	m.Done()
	m.Wait()
}

// TestTilesRunAbreast checks that with two threads and one block of lanes the second thread computes tiles.
func TestTilesRunAbreast(t *testing.T) {
	p := &ir.Program{}
	x := p.Buffer(ir.Buffer{Name: "x", Space: ir.Lane, Size: 1})
	k := &ir.Kernel{Extents: []int{2 * ir.TilePoints}}
	b := (*ir.Body)(&k.Body)
	k.Out = []ir.Output{{Buf: x, Index: ir.Index{Stride: []int{0}}, Value: b.Const(1), Combine: ir.Sum}}
	p.Entries = []ir.Entry{{Name: "run", Body: []ir.Stmt{k}}}
	e := newExecutable(p, device.Options{Lanes: 8, Threads: 2})
	if len(e.runners) != 1 || len(e.runners[0].helpers) != 1 {
		t.Fatalf("%d runners", len(e.runners))
	}
	m := &meeting{}
	m.Add(2)
	e.runners[0].tiles(m, 2)
}

func TestShareAddsUp(t *testing.T) {
	for total := range 9 {
		for n := 1; n < 6; n++ {
			sum := 0
			for i := range n {
				part := nearEqualPart(total, n, i)
				sum += part
				if part < total/n || part > total/n+1 {
					t.Errorf("part %d of %d of %d is %d", i, n, total, part)
				}
			}
			if sum != total {
				t.Errorf("%d parts of %d add up to %d", n, total, sum)
			}
		}
	}
}
