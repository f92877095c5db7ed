package render

import (
	"fmt"

	"ppl/compiler/backend/ir"
)

// peer writes the copies from another lane of the group. Lanes beyond the last one are copies of the last.
func (f *file) peer(s *ir.Peer) {
	n := f.lanes()
	f.line("%s {", f.eachOf())
	f.line("const word lane = c->block * %s + l < c->lanes ? c->block * %s + l : c->lanes - 1;", n, n)
	f.line("const word first = lane - lane %% c->group, next = first + c->group;")
	f.line("const word end = next < c->lanes ? next : c->lanes;")
	f.line("const real want = ((const real *)b%d)[l];", s.Want)
	f.line("word at = first;")
	f.head("while (at < end && !(%s[0] == want)) at++;", f.ofLane(s.Key, "at"))
	for _, c := range s.Copies {
		f.line("const real *from%d = %s;", c.To, f.ofLane(c.From, "(at < end ? at : lane)"))
		f.loop("e", f.Buffers[c.To].Size)
		f.line("((real *)b%d)[e * %s + l] = at < end ? from%d[e * %s] : NAN;", c.To, n, c.To, n)
		f.ends(1)
	}
	f.ends(1)
}

// eachOf returns the head of a loop over the lanes of a block.
func (f *file) eachOf() string {
	if f.Layout == ir.Apart {
		return "for (long l = 0; l < 1; l++)"
	}
	return f.eachLane
}

// ofLane returns the address of a lane's copy of a lane buffer.
func (f *file) ofLane(id ir.BufID, lane string) string {
	n := 0 // number of lane buffers before this one
	for _, b := range f.Buffers[:id] {
		if b.Space == ir.Lane {
			n++
		}
	}
	return fmt.Sprintf("of_lane(c, %d, %d, %d, %s, %s)", id, n, f.Buffers[id].Size, lane, f.lanes())
}
