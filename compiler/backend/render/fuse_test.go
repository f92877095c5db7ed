package render

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ppl/compiler/backend/ir"
)

// meetLater reports, by checking all pairs of iterations, whether q uses an element that p uses in a later iteration.
func meetLater(p, q access, reverse bool) bool {
	const turns = 12
	for t := range turns {
		for later := range turns {
			overlap := max(p.width*later+p.lo, q.width*t+q.lo) <= min(p.width*later+p.hi, q.width*t+q.hi)
			if later != t && later > t != reverse && overlap {
				return true
			}
		}
	}
	return false
}

// TestOvertaken compares conflictsLater with the check of all pairs of iterations. Planted fault: with ranges that are
// too short by one it must differ.
func TestOvertaken(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	free, slips := 0, 0
	for range 20000 {
		some := func(write bool) access {
			lo := r.IntN(9) - 4
			return access{write: write, width: r.IntN(4), lo: lo, hi: lo + r.IntN(4)}
		}
		p, q, reverse := some(true), some(false), r.IntN(2) == 0
		meet := meetLater(p, q, reverse)
		if meet && !p.conflictsLater(q, reverse) {
			t.Fatalf("%+v and %+v, reverse %v: meet, and are said not to", p, q, reverse)
		}
		if !p.conflictsLater(q, reverse) {
			free++
		}
		q.lo, q.hi = q.lo+1, q.hi-1
		if meet && !p.conflictsLater(q, reverse) {
			slips++
		}
	}
	if free < 1000 || slips == 0 {
		t.Errorf("%d pairs are free of each other, %d would be with ends off by one", free, slips)
	}
}

// path returns a program with statements before and after the recurrence c[t+1] = x[t] − c[t]/2, where x is z·z and out
// is computed from c.
func path(n int, reverse bool) (p *ir.Program, body []ir.Stmt) {
	p = &ir.Program{Buffers: []ir.Buffer{{Name: "z", Space: ir.Lane, Size: n}, {Name: "out", Space: ir.Lane, Size: n},
		{Name: "sum", Space: ir.Lane, Size: 1}, {Space: ir.Scratch, Size: n}, {Space: ir.Scratch, Size: n + 1}}}
	from, to, first := 0, 1, 0
	if reverse {
		from, to, first = 1, 0, n
	}
	var square, start, step, left ir.Body
	z := square.Load(0, ir.Dense(n))
	x := square.Do(ir.Mul, z, z)
	one := start.Const(1)
	c := step.Do(ir.Sub, step.Load(3, ir.Index{Step: 1}),
		step.Do(ir.Mul, step.Const(0.5), step.Load(4, ir.Index{Const: from, Step: 1})))
	at := ir.Dense(n)
	at.Const = to
	l := left.Load(4, at)
	return p, []ir.Stmt{
		&ir.Kernel{Extents: []int{n}, Body: square, Out: []ir.Output{{Buf: 3, Index: ir.Dense(n), Value: x}}},
		&ir.Kernel{Body: start, Out: []ir.Output{{Buf: 4, Index: ir.Index{Const: first}, Value: one}}},
		&ir.Loop{N: n, Reverse: reverse,
			Body: []ir.Stmt{&ir.Kernel{Body: step,
				Out: []ir.Output{{Buf: 4, Index: ir.Index{Const: to, Step: 1}, Value: c}}}}},
		&ir.Kernel{Extents: []int{n}, Body: left, Out: []ir.Output{{Buf: 1, Index: ir.Dense(n), Value: l},
			{Buf: 2, Value: l, Combine: ir.Sum}}},
	}
}

// longer changes a kernel to run over one more row, with the index of its first load shifted by `off`.
func longer(k *ir.Kernel, off int) {
	k.Extents = []int{k.Extents[0] + 1}
	k.Body[0].Index.Const = off
	k.Out = k.Out[1:]
}

// TestAlong checks that kernels over the rows of a loop are fused with it on both sides, past independent statements,
// but not if they need rows of later iterations or the complete result.
func TestAlong(t *testing.T) {
	for _, reverse := range []bool{false, true} {
		ahead := 1
		if reverse {
			ahead = -1
		}
		for name, c := range map[string]struct {
			change func(body []ir.Stmt)
			want   []int // statements of an iteration
		}{
			"all":          {func(body []ir.Stmt) {}, []int{0, 2, 3}},
			"one row more": {func(body []ir.Stmt) { longer(body[3].(*ir.Kernel), 0) }, []int{0, 2, 3}},
			"rows to come": {func(body []ir.Stmt) { body[3].(*ir.Kernel).Body[0].Index.Const += ahead }, []int{0, 2}},
			"one row of all": {func(body []ir.Stmt) { body[3].(*ir.Kernel).Body[0].Index = ir.Index{Const: 4} },
				[]int{0, 2}},
			"more to come": {func(body []ir.Stmt) { longer(body[3].(*ir.Kernel), ahead) }, []int{0, 2}},
			"other rows":   {func(body []ir.Stmt) { body[0].(*ir.Kernel).Extents[0]-- }, []int{2, 3}},
			"order":        {func(body []ir.Stmt) { body[1].(*ir.Kernel).Out[0].Buf = 3 }, []int{2, 3}},
		} {
			p, body := path(9, reverse)
			c.change(body)
			_, turn, _ := (&file{Program: p}).fuseWithLoop(body, 2)
			var got []int
			for _, s := range turn {
				got = append(got, slices.Index(body, s))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("reverse %v, %s: statements %v go along, want %v", reverse, name, got, c.want)
			}
		}
	}
}

// TestLongWalk checks that sums fused with a long loop are added to their buffers tile by tile, and that the length of
// the text does not depend on the number of iterations.
func TestLongWalk(t *testing.T) {
	text := func(n int) string {
		p, body := path(n, true)
		p.Entries = []ir.Entry{{Name: "e", Body: body}}
		return C(p)
	}
	short, long := text(100), text(9001)
	if strings.Contains(short, "long t = ") || !strings.Contains(long, "for (long t = 8192; t >= 0; t -= 4096) {") {
		t.Error("tiles: none of 100 turns, or other than 3 of 9001")
	}
	if further := text(90001); len(further) > len(long)+20 {
		t.Errorf("%d bytes for 9001 turns, %d for 90001", len(long), len(further))
	}
}
