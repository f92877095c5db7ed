package devicetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ppl/compiler/backend/ir"
	"ppl/runtime/device"
	"ppl/runtime/noise"
)

// peer copies values from the first lane of the group whose key equals the wanted key.
func (r *reference) peer(s *ir.Peer, m memory, lane int) {
	group := r.lanes[lane/r.group*r.group : min((lane/r.group+1)*r.group, len(r.lanes))]
	at := slices.IndexFunc(group, func(other memory) bool { return other[s.Key][0] == m[s.Want][0] })
	for _, c := range s.Copies {
		for i := range m[c.To] {
			m[c.To][i] = math.NaN()
			if at >= 0 {
				m[c.To][i] = group[at][c.From][i]
			}
		}
	}
}

// peersProgram returns a program whose lanes exchange places. "move" updates a value from its previous value and the
// seen value; "look" reads the value of the lane at the wanted place, and its round; "turn" moves to that place if
// noise that both lanes have in common is below ½.
//
//	place 0 1 2 3    sees 1 0 3 2, then – 2 1 –, then 1 0 3 2 …
func peersProgram() *ir.Program {
	p := &ir.Program{}
	lane := func(name string, size int) ir.BufID {
		return p.Buffer(ir.Buffer{Name: name, Space: ir.Lane, Size: size})
	}
	place, want, value, other := lane("place", 1), lane("want", 1), lane("value", 3), lane("seen", 3)
	group, round, met := lane("group", 1), lane("round", 1), lane("met", 1)
	one := ir.Index{}

	var move ir.Body
	seen := move.Load(other, ir.Dense(3))
	seen = move.Do(ir.Select, move.Do(ir.IsFinite, seen), seen, move.Const(0.25))
	next := move.Do(ir.Add, move.Do(ir.Mul, move.Const(0.5), move.Load(value, ir.Dense(3))),
		move.Do(ir.Mul, seen, move.Noise(ir.Uniform, 2)))

	var turn ir.Body
	at, to, now := turn.Load(place, one), turn.Load(want, one), turn.Load(round, one)
	u := turn.Addressed(1<<24-1, turn.Load(group, one), now, turn.Do(ir.Minimum, at, to))
	stays := turn.Do(ir.Lt, turn.Const(0.5), u)
	outside := turn.Do(ir.Not, turn.Do(ir.IsFinite, turn.Load(other, one)))
	stays = turn.Do(ir.Maximum, stays, outside)
	two := turn.Const(2)
	back := turn.Do(ir.Sub, turn.Do(ir.Mul, two, at), to)
	on := turn.Do(ir.Sub, turn.Do(ir.Mul, two, to), at)

	store := func(buf ir.BufID, value ir.Reg) ir.Output { return ir.Output{Buf: buf, Value: value} }
	p.Entries = []ir.Entry{
		{Name: "move", Body: []ir.Stmt{&ir.Kernel{Extents: []int{3}, Body: move,
			Out: []ir.Output{{Buf: value, Index: ir.Dense(3), Value: next}}}}},
		{Name: "look", Still: true, Body: []ir.Stmt{&ir.Peer{Key: place, Want: want,
			Copies: []ir.Copy{{From: value, To: other}, {From: round, To: met}}}}},
		{Name: "turn", Still: true},
	}
	k := &ir.Kernel{Out: []ir.Output{}}
	k.Out = append(k.Out, store(round, turn.Do(ir.Add, now, turn.Const(1))),
		store(place, turn.Do(ir.Select, stays, at, to)), store(want, turn.Do(ir.Select, stays, back, on)))
	k.Body = turn
	p.Entries[2].Body = []ir.Stmt{k}
	return p
}

// testPeers compares lanes that read from each other with the reference. Groups cross blocks, and the last one is
// shorter; numbers of threads vary; calls are made together or one by one, with some lanes masked.
func testPeers(t *testing.T, d device.Device) {
	p := peersProgram()
	for _, c := range []struct{ lanes, group, threads int }{{1, 1, 1}, {7, 7, 2}, {21, 7, 1}, {59, 7, 3}, {330, 11, 2},
		{96, 1, 2}, {20, 0, 1}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			o := device.Options{Lanes: c.lanes, Group: c.group, Threads: c.threads, Seed: 7}
			mask := make([]bool, c.lanes)
			for l := range mask {
				mask[l] = l%5 != 3
			}
			end := func(d device.Device, once bool) map[string][]float64 {
				x := load(t, d, p, o)
				startPeers(x, c.lanes, max(c.group, 1))
				step := peersRun(t, x, 9, once, nil)
				peersRun(t, x, step, once, mask)
				all := map[string][]float64{}
				for _, name := range x.Buffers() {
					all[name] = make([]float64, c.lanes*x.Size(name))
					x.Get(name, all[name])
				}
				return all
			}
			want, got, apart := end(Reference{}, true), end(d, true), end(d, false)
			for name := range want {
				if !alikeNumbers(got[name], want[name], 1e-12) || !alikeNumbers(got[name], apart[name], 0) {
					t.Errorf("%s is\n%v, in several calls\n%v, want\n%v", name, got[name], apart[name], want[name])
				}
			}
			if c.group > 1 && slices.Equal(want["place"][:c.group], places(c.group)) {
				t.Errorf("no lane of the first group has moved: nothing is tested")
			}
		})
	}
}

func places(n int) (all []float64) {
	for i := range n {
		all = append(all, float64(i))
	}
	return all
}

func startPeers(x device.Executable, lanes, group int) {
	r := rand.New(rand.NewPCG(3, 4))
	for l := range lanes {
		at := l % group
		x.SetLane("place", l, []float64{float64(at)})
		x.SetLane("want", l, []float64{float64(at + 1 - 2*(at%2))})
		x.SetLane("group", l, []float64{float64(l / group)})
		x.SetLane("value", l, []float64{r.Float64(), r.Float64(), r.Float64()})
	}
}

// peersRun runs eight rounds.
func peersRun(t *testing.T, x device.Executable, step uint64, once bool, mask []bool) uint64 {
	var calls []device.Call
	for range 8 {
		calls = append(calls, device.Call{Entry: "move", Times: 2}, device.Call{Entry: "look", Times: 1},
			device.Call{Entry: "turn", Times: 1})
	}
	if once {
		return run(t, x, calls, step, mask)
	}
	for _, c := range calls {
		step = run(t, x, []device.Call{c}, step, mask)
	}
	return step
}

// alikeNumbers reports whether numbers are equal up to a relative error; NaN equals NaN.
func alikeNumbers(got, want []float64, tolerance float64) bool {
	return slices.EqualFunc(got, want, func(a, b float64) bool {
		return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= tolerance*math.Abs(b)
	})
}

// testAddressed compares noise at addresses that lanes choose with package noise, exactly, at and beyond the limits of
// addresses.
func testAddressed(t *testing.T, d device.Device) {
	const seed, site = 0xfeedface12345678, 77
	odd := []float64{0, 1, 2, 3, 1<<32 - 1, 1 << 40, -1, math.NaN(), 3.7, 1<<40 - 1, math.Inf(1)}
	p := &ir.Program{}
	var body ir.Body
	var args [3]ir.Reg
	for i, name := range []string{"lane", "step", "point"} {
		args[i] = body.Load(p.Buffer(ir.Buffer{Name: name, Space: ir.Lane, Size: 1}), ir.Index{})
	}
	own := p.Buffer(ir.Buffer{Name: "own", Space: ir.Lane, Size: 1})
	same := p.Buffer(ir.Buffer{Name: "same", Space: ir.Lane, Size: 1})
	two := body.Const(2)
	p.Entries = []ir.Entry{{Name: "draw", Body: []ir.Stmt{&ir.Kernel{Out: []ir.Output{
		{Buf: own, Value: body.Addressed(site, args[0], args[1], args[2])},
		{Buf: same, Value: body.Addressed(site, two, two, body.Const(5))}}}}}}
	p.Entries[0].Body[0].(*ir.Kernel).Body = body
	lanes := len(odd) * len(odd)
	x := load(t, d, p, device.Options{Lanes: lanes, Seed: seed, Threads: 2})
	var at [3][]float64
	for l := range lanes {
		at[0], at[1] = append(at[0], odd[l%len(odd)]), append(at[1], odd[l/len(odd)])
		at[2] = append(at[2], odd[(l+l/len(odd))%len(odd)])
	}
	x.Set("lane", at[0])
	x.Set("step", at[1])
	x.Set("point", at[2])
	run(t, x, []device.Call{{Entry: "draw", Times: 1}}, 3, nil)
	gotOwn, gotSame := make([]float64, lanes), make([]float64, lanes)
	x.Get("own", gotOwn)
	x.Get("same", gotSame)
	for l := range lanes {
		want := noise.Addressed(seed, site, at[0][l], at[1][l], at[2][l])
		if gotOwn[l] != want || gotSame[l] != noise.Uniform(seed, 2, 2, site, 5) {
			t.Fatalf("lane %v, step %v, point %v: %v and %v, want %v", at[0][l], at[1][l], at[2][l], gotOwn[l],
				gotSame[l], want)
		}
	}
}
