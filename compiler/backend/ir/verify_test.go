package ir

import (
	"strings"
	"testing"

	"ppl/numbers"
)

// valid returns a program with every kind of statement; each test below breaks one rule in it.
func valid() *Program {
	p := &Program{Buffers: []Buffer{
		{Name: "data", Space: Shared, Type: F64, Size: 6, Init: numbers.Of(1, 2, 3, 4, 5, 6)},
		{Name: "square", Space: Shared, Type: F32, Size: 6},
		{Name: "x", Space: Lane, Size: 6},
		{Name: "t", Space: Scratch, Size: 6},
		{Name: "total", Space: Lane, Size: 1},
		{Name: "gram", Space: Scratch, Size: 9},
		{Name: "root", Space: Scratch, Size: 9},
		{Name: "solved", Space: Scratch, Size: 6},
		{Name: "series", Space: Lane, Size: 8},
		{Name: "pull", Space: Scratch, Size: 9},
	}}
	p.Setup = []Stmt{squareKernel()}
	p.Entries = []Entry{{Name: "step", Body: []Stmt{
		stepKernel(),
		&MatMul{A: 3, B: 3, C: 5, Batch: 1, M: 3, K: 2, N: 3, TransB: true},
		&Cholesky{In: 5, Out: 6, Batch: 1, N: 3},
		&TriSolve{L: 6, B: 3, Out: 7, Batch: 1, N: 3, M: 2, Trans: true},
		&CumSum{In: 7, Out: 2, Outer: 3, N: 2, Inner: 1, Reverse: true},
		&Loop{N: 3, Reverse: true, Body: []Stmt{turnKernel()}},
		&CholeskyPull{L: 6, Bar: 5, Out: 9, Batch: 1, N: 3},
	}}}
	return p
}

func squareKernel() *Kernel {
	var b Body
	v := b.Load(0, Dense(6))
	return &Kernel{Extents: []int{6}, Body: append(b, Instr{Op: Mul, Args: [3]Reg{v, v}}),
		Out: []Output{{Buf: 1, Index: Dense(6), Value: 1}}}
}

// stepKernel returns a kernel that loads transposed, by a dynamic index, and in place, and that stores and sums.
func stepKernel() *Kernel {
	var b Body
	x := b.Load(2, Dense(2, 3))
	d := b.Load(1, Index{Stride: []int{1, 2}})
	g := b.Load(0, Index{Const: 1, Dyn: []Dyn{{Reg: d, Stride: 2, Limit: 3}}})
	n := b.Noise(Normal, 7)
	s := b.Do(Add, x, b.Do(Mul, g, n))
	c := b.Do(Select, b.Do(Lt, b.Counter(1), b.Const(2)), s, x)
	return &Kernel{Extents: []int{2, 3}, Body: b, Out: []Output{
		{Buf: 2, Index: Dense(2, 3), Value: c},
		{Buf: 3, Index: Dense(2, 3), Value: s},
		{Buf: 4, Index: Index{Stride: []int{0, 0}}, Value: s, Combine: Sum}}}
}

// turnKernel returns a kernel that computes two elements of a series from the two after them.
func turnKernel() *Kernel {
	var b Body
	x := b.Load(8, Index{Const: 2, Step: 2, Stride: []int{1}})
	y := b.Do(Add, x, b.Load(2, Index{Step: 2, Stride: []int{1}}))
	return &Kernel{Extents: []int{2}, Body: b,
		Out: []Output{{Buf: 8, Index: Index{Step: 2, Stride: []int{1}}, Value: y}}}
}

func TestVerifyAccepts(t *testing.T) {
	if err := Verify(valid()); err != nil {
		t.Fatal(err)
	}
	empty := valid() // in an empty iteration space, no element outside a buffer is used
	k := empty.Entries[0].Body[0].(*Kernel)
	k.Extents = []int{0, 3}
	k.Body[0].Index.Const = 99
	k.Out[0].Index.Const = 99
	if err := Verify(empty); err != nil {
		t.Error(err)
	}
}

func TestVerifyRefuses(t *testing.T) {
	kernel := func(p *Program) *Kernel { return p.Entries[0].Body[0].(*Kernel) }
	loop := func(p *Program) *Loop { return p.Entries[0].Body[5].(*Loop) }
	turn := func(p *Program) *Kernel { return loop(p).Body[0].(*Kernel) }
	for name, c := range map[string]struct {
		want   string
		damage func(p *Program)
	}{
		"lane buffer of integers":    {"must not be i32", func(p *Program) { p.Buffers[2].Type = I32 }},
		"two lane buffers of a name": {"two buffers are named", func(p *Program) { p.Buffers[4].Name = "x" }},
		"init of the wrong size": {"has 2 initial values",
			func(p *Program) { p.Buffers[0].Init = numbers.Of(1, 2) }},
		"init of a lane buffer": {"initial values", func(p *Program) { p.Buffers[4].Init = numbers.Of(1) }},
		"given lane buffer":     {"must be shared", func(p *Program) { p.Buffers[2].Given = true }},
		"given data":            {"without initial values", func(p *Program) { p.Buffers[0].Given = true }},
		"given name of a lane buffer": {"two buffers are named", func(p *Program) {
			p.Buffers = append(p.Buffers, Buffer{Name: "x", Given: true})
		}},
		"given buffer of integers": {"must not be i32", func(p *Program) {
			p.Buffers = append(p.Buffers, Buffer{Name: "n", Type: I32, Given: true})
		}},
		"given buffer written in setup": {"writes shared", func(p *Program) { p.Buffers[1].Given = true }},
		"given buffer read in setup": {"setup reads shared", func(p *Program) {
			p.Buffers = append(p.Buffers, Buffer{Name: "g", Size: 6, Given: true})
			p.Setup[0].(*Kernel).Body[0].Buf = 10
		}},
		"given buffer written in an entry": {"writes shared", func(p *Program) {
			p.Buffers = append(p.Buffers, Buffer{Name: "g", Size: 6, Given: true})
			kernel(p).Out[1].Buf = 10
		}},
		"two entries of a name": {"two entries", func(p *Program) { p.Entries = append(p.Entries, p.Entries[0]) }},
		"shared never written":  {"never written", func(p *Program) { p.Setup = nil; p.Entries = nil }},
		"shared read before written": {"before it is written",
			func(p *Program) { p.Setup[0].(*Kernel).Body[0].Buf = 1 }},
		"lane buffer in setup":       {"setup reads lane", func(p *Program) { p.Setup[0].(*Kernel).Body[0].Buf = 2 }},
		"scratch written in setup":   {"writes scratch", func(p *Program) { p.Setup[0].(*Kernel).Out[0].Buf = 3 }},
		"shared written in an entry": {"writes shared", func(p *Program) { kernel(p).Out[0].Buf = 1 }},
		"data overwritten":           {"initial values", func(p *Program) { p.Setup[0].(*Kernel).Out[0].Buf = 0 }},
		"noise in setup": {"in setup",
			func(p *Program) { p.Setup[0].(*Kernel).Body[0] = Instr{Op: Normal} }},
		"noise of an entry without a step": {"does not advance the noise step",
			func(p *Program) { p.Entries[0].Still = true }},
		"addressed noise of a site too large": {"site", func(p *Program) {
			kernel(p).Body[3] = Instr{Op: Addressed, Site: 1 << 24}
		}},
		"lanes read what they write": {"must be a lane buffer that the entry does not write", func(p *Program) {
			lane := BufID(len(p.Buffers))
			p.Buffers = append(p.Buffers, Buffer{Name: "a", Space: Lane, Size: 1},
				Buffer{Name: "b", Space: Lane, Size: 1}, Buffer{Name: "c", Space: Lane, Size: 1})
			p.Entries[0].Body = append(p.Entries[0].Body, &Peer{lane, lane, []Copy{{lane, lane + 1}}},
				&Peer{lane, lane, []Copy{{lane, lane + 2}, {lane + 1, lane + 2}}})
		}},
		"lanes read of each other in a loop": {"in setup, a loop or tiles", func(p *Program) {
			lane := BufID(len(p.Buffers))
			p.Buffers = append(p.Buffers, Buffer{Name: "a", Space: Lane, Size: 1},
				Buffer{Name: "b", Space: Lane, Size: 1})
			p.Entries[0].Body = append(p.Entries[0].Body, &Loop{N: 2, Body: []Stmt{
				&Peer{lane, lane, []Copy{{lane, lane + 1}}}}})
		}},
		"shuffle of no rows": {"shuffle", func(p *Program) { kernel(p).Body[3] = Instr{Op: Shuffle} }},
		"shuffle in setup": {"in setup", func(p *Program) {
			p.Setup[0].(*Kernel).Body = append(p.Setup[0].(*Kernel).Body, Instr{Op: Shuffle, Rows: 2})
		}},
		"noise site too large": {"site", func(p *Program) { kernel(p).Body[3].Site = 1 << 24 }},
		"scratch read before written": {"before it is written", func(p *Program) {
			p.Entries[0].Body = p.Entries[0].Body[1:]
		}},
		"scratch of another entry": {"before it is written", func(p *Program) {
			p.Entries = append(p.Entries, Entry{Name: "next", Body: p.Entries[0].Body[1:2]})
		}},
		"no such buffer":          {"no buffer", func(p *Program) { kernel(p).Body[0].Buf = 10 }},
		"no such op":              {"unknown op", func(p *Program) { kernel(p).Body[0].Op = Op(Ops) }},
		"no such loop":            {"no loop", func(p *Program) { kernel(p).Body[6].Axis = 2 }},
		"register used too early": {"before it is defined", func(p *Program) { kernel(p).Body[4].Args[0] = 4 }},
		"negative register":       {"before it is defined", func(p *Program) { kernel(p).Body[4].Args[1] = -1 }},
		"output of no register":   {"no register r10", func(p *Program) { kernel(p).Out[1].Value = 10 }},
		"negative extent":         {"negative extent", func(p *Program) { kernel(p).Extents[0] = -2 }},
		"strides for too few loops": {"1 strides for 2 loops", func(p *Program) {
			kernel(p).Body[1].Index.Stride = []int{1}
		}},
		"index one too far": {"reaches 1…6", func(p *Program) { kernel(p).Body[0].Index.Const = 1 }},
		"index below zero":  {"reaches -1…", func(p *Program) { kernel(p).Body[1].Index.Const = -1 }},
		"negative stride":   {"reaches -3…", func(p *Program) { kernel(p).Body[0].Index.Stride[0] = -3 }},
		"dynamic index too far": {"reaches 1…7",
			func(p *Program) { kernel(p).Body[2].Index.Dyn[0].Limit = 4 }},
		"dynamic index without values": {"dynamic index", func(p *Program) {
			kernel(p).Body[2].Index.Dyn[0].Limit = 0
		}},
		"dynamic index used too early": {"dynamic index",
			func(p *Program) { kernel(p).Body[2].Index.Dyn[0].Reg = 2 }},
		"output too far": {"reaches 2…7", func(p *Program) { kernel(p).Out[1].Index.Const = 2 }},
		"load of a sum": {"by sum", func(p *Program) {
			kernel(p).Body[0].Buf = 4
			kernel(p).Body[0].Index = Index{}
		}},
		"load at another index": {"the indices differ", func(p *Program) {
			kernel(p).Body[0].Index.Stride = []int{1, 2}
		}},
		"load at a dynamic index": {"dynamic", func(p *Program) { kernel(p).Body[2].Buf = 2 }},
		"store in place, elements twice": {"twice", func(p *Program) {
			kernel(p).Body[0].Index.Stride[0] = 1
			kernel(p).Out[0].Index.Stride[0] = 1
		}},
		"sum and store to one buffer": {"two outputs", func(p *Program) {
			kernel(p).Out[1].Buf = 4
			kernel(p).Out[1].Index = Index{}
		}},
		"cumulative sum of itself": {"reads and writes b2", func(p *Program) { p.Entries[0].Body[4].(*CumSum).In = 2 }},
		"product of two precisions": {"is f32, not f64", func(p *Program) {
			p.Buffers[p.Entries[0].Body[1].(*MatMul).A].Type = F32
		}},
		"cumulative sum of single": {"is f32, not f64", func(p *Program) {
			p.Buffers[p.Entries[0].Body[4].(*CumSum).In].Type = F32
		}},
		"noise of single precision": {"uniform cannot have type f32", func(p *Program) {
			kernel(p).Body[3].Op, kernel(p).Body[3].Type = Uniform, F32
		}},
		"whole numbers in registers": {"add cannot have type i32", func(p *Program) { kernel(p).Body[5].Type = I32 }},
		"product of the wrong size": {"the statement uses elements", func(p *Program) {
			p.Entries[0].Body[1].(*MatMul).M = 20
		}},
		"a loop without turns": {"0 iterations", func(p *Program) { loop(p).N = 0 }},
		"a loop in a loop": {"inside another loop", func(p *Program) {
			loop(p).Body = []Stmt{&Loop{N: 1, Body: loop(p).Body}}
		}},
		"a turn too many":               {"reaches 2…9", func(p *Program) { loop(p).N = 4 }},
		"a step outside loops":          {"a step outside", func(p *Program) { kernel(p).Body[0].Index.Step = 1 }},
		"noise in a loop":               {"in a loop", func(p *Program) { turn(p).Body[1] = Instr{Op: Normal} }},
		"a step of a sum":               {"sum has a step", func(p *Program) { turn(p).Out[0].Combine = Sum }},
		"turns that read as they write": {"the indices differ", func(p *Program) { turn(p).Body[0].Index.Const = 1 }},
		"turns that step otherwise":     {"the indices differ", func(p *Program) { turn(p).Body[0].Index.Step = 1 }},
		"scratch read before its turn": {"before it is written", func(p *Program) {
			turn(p).Body[1].Buf = 3
			p.Entries[0].Body = p.Entries[0].Body[5:]
		}},
		"negative dimension": {"negative dimension", func(p *Program) { p.Entries[0].Body[4].(*CumSum).Outer = -1 }},
	} {
		t.Run(name, func(t *testing.T) {
			p := valid()
			c.damage(p)
			if err := Verify(p); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
		})
	}
}
