package ir

import (
	"slices"
	"testing"
)

// TestNeeded checks that a process that runs some iterations needs the data of their rows, tables that are read at
// dynamic rows, and everything that is read outside tiles.
func TestNeeded(t *testing.T) {
	p := &Program{Buffers: []Buffer{
		{Name: "rows", Space: Shared, Size: 2 * 25}, {Name: "table", Space: Shared, Size: 7},
		{Name: "whole", Space: Shared, Size: 5}, {Name: "unread", Space: Shared, Size: 3},
		{Name: "x", Space: Lane, Size: 1},
		{Name: "matrix", Space: Shared, Size: 3 * 25}, {Name: "walker's rows", Space: Lane, Size: 25},
		{Name: "between", Space: Scratch, Size: 25}}}
	load := func(b BufID, ix Index) Instr { return Instr{Op: Load, Buf: b, Index: ix} }
	tiles := &Tiles{Rows: 25, Size: 10, Body: []Stmt{
		&Kernel{Extents: []int{10, 2}, Body: []Instr{
			load(0, Index{Step: 20, Stride: []int{2, 1}}),
			load(1, Index{Dyn: []Dyn{{Reg: 0, Stride: 1, Limit: 7}}}),
			load(4, Index{}), load(6, Index{Step: 10, Stride: []int{1, 0}}),
			load(7, Index{Step: 10, Stride: []int{1, 0}})}},
		&MatMul{A: 5, B: 4, C: 4, Batch: 1, M: 10, K: 3, N: 1, PartA: Part{Step: 30}, Rows: DimM}}}
	p.Entries = []Entry{{Name: "e", Body: []Stmt{tiles,
		&Kernel{Body: []Instr{load(2, Index{Const: 1})}}}}}
	for _, c := range []struct {
		first, end   int
		rows, matrix Span
		lane         Span
	}{
		{0, 3, Span{0, 50}, Span{0, 75}, Span{0, 25}},
		{0, 1, Span{0, 20}, Span{0, 30}, Span{0, 10}},
		{1, 2, Span{20, 40}, Span{30, 60}, Span{10, 20}},
		{2, 3, Span{40, 50}, Span{60, 75}, Span{20, 25}}, // the last iteration has five rows
		{1, 1, Span{}, Span{}, Span{}},
	} {
		table, number := Span{0, 7}, Span{0, 3}
		if c.first == c.end {
			table, number = Span{}, Span{}
		}
		got := Needed(p, p.Entries[0], func(*Tiles) (int, int) { return c.first, c.end })
		want := []Span{c.rows, table, {0, 5}, {}, number, c.matrix, c.lane, {}}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("turns %d to %d: of %s %v, want %v", c.first, c.end, p.Buffers[i].Name, got[i], want[i])
			}
		}
	}
	both := Together([]Span{{3, 5}, {}, {}}, []Span{{1, 4}, {2, 6}, {}})
	if want := []Span{{1, 5}, {2, 6}, {}}; !slices.Equal(both, want) {
		t.Errorf("together %v, want %v", both, want)
	}
}
