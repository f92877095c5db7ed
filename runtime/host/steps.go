package host

import (
	"ppl/compiler/backend/ir"
	"ppl/runtime/noise"
)

// A step computes one register, or one vector of addresses, for the chunk of its frame. An arithmetic step stores
// pointers to its loop and operands, since a lookup would cost as much as arithmetic on few numbers. All other steps
// are tasks.
type step struct {
	opLoop
	d    *[]float64 // registers of the frame
	args [3]*[]float64
	task task
}

// A task is a step that is not arithmetic.
type task interface {
	run(w *worker, f *frame, c *chunk)
}

func (f *frame) run(w *worker, steps []step) {
	for i := range steps {
		switch s := &steps[i]; {
		case s.binary != nil:
			s.binary(*s.d, *s.args[0], *s.args[1])
		case s.unary != nil:
			s.unary(*s.d, *s.args[0])
		case s.ternary != nil:
			s.ternary(*s.d, *s.args[0], *s.args[1], *s.args[2])
		default:
			s.task.run(w, f, &f.chunk)
		}
	}
}

// broadcast repeats values to fill a vector of a wider shape: one number, one per lane, or one per point.
type broadcast struct {
	dst, src int
	from, to shape
	width    int
}

func (s *broadcast) run(_ *worker, f *frame, c *chunk) {
	d, a := f.vec[s.dst][:c.len[s.to]], f.vec[s.src][:c.len[s.from]]
	switch s.from {
	case perLane:
		repeat(d, a)
	case perPoint:
		repeatEach(d, a, s.width)
	default:
		fill(d, a[0])
	}
}

func fill(d []float64, v float64) {
	for i := range d {
		d[i] = v
	}
}

// repeat fills d with copies of a, one after another.
func repeat(d, a []float64) {
	if len(a) == 8 {
		v := *(*[8]float64)(a)
		for i := 0; i < len(d); i += 8 {
			*(*[8]float64)(d[i:]) = v
		}
		return
	}
	n := copy(d, a)
	for n < len(d) {
		n += copy(d[n:], d[:n])
	}
}

// repeatEach repeats each number of a `width` times.
func repeatEach(d, a []float64, width int) {
	switch width {
	case 8:
		for i, v := range a {
			x := (*[8]float64)(d[8*i:])
			x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7] = v, v, v, v, v, v, v, v
		}
	case 4:
		for i, v := range a {
			*(*[4]float64)(d[4*i:]) = [4]float64{v, v, v, v}
		}
	case 1:
		copy(d, a)
	}
}

// counter is the value of a loop counter at each point.
type counter struct {
	dst, addr int
	walk      affine
	step      int // added per iteration
}

func (s *counter) run(w *worker, f *frame, c *chunk) {
	at := f.addr[s.addr][:c.points]
	s.walk.fill(at, c.start)
	d := f.vec[s.dst][:c.points]
	for i, v := range at {
		d[i] = float64(v + s.step*w.turn)
	}
}

// address lists the elements that an index selects: affine + Σ stride·clamp(register).
type address struct {
	dst   int
	walk  affine
	step  int // added per iteration
	shape shape
	width int
	terms []term
}

type term struct{ reg, stride, limit int }

func (s *address) run(w *worker, f *frame, c *chunk) {
	at := f.addr[s.dst][:c.len[s.shape]]
	s.fillAffine(at, c)
	if first := s.step * w.turn; first != 0 {
		for i := range at {
			at[i] += first
		}
	}
	for _, t := range s.terms {
		for i, v := range f.vec[t.reg][:len(at)] {
			at[i] += t.stride * clamp(v, t.limit)
		}
	}
}

// fillAffine sets the affine part, repeated for lanes if elements differ between lanes.
func (s *address) fillAffine(at []int, c *chunk) {
	if s.shape != perPoint|perLane {
		s.walk.fill(at, c.start)
		return
	}
	s.walk.fill(at[:c.points], c.start)
	for p := c.points - 1; p >= 0; p-- {
		v := at[p]
		for l := range s.width {
			at[p*s.width+l] = v
		}
	}
}

// clamp converts a number into an index: it is truncated and limited to 0…limit−1; NaN becomes 0. So no value can cause
// a read outside its buffer.
func clamp(v float64, limit int) int {
	if !(v > 0) {
		return 0
	}
	if v >= float64(limit) {
		return limit - 1
	}
	return int(v)
}

// copyLoad copies consecutive elements that the kernel overwrites later.
type copyLoad struct {
	dst   int
	buf   ir.BufID
	addr  addressRef
	width int
	shape shape
}

func (s *copyLoad) run(w *worker, f *frame, c *chunk) {
	at := s.addr.first(w)
	if s.addr.kind == linear {
		at += c.start
	}
	copy(f.vec[s.dst], w.bufs[s.buf][at*s.width:][:c.len[s.shape]])
}

// gather loads elements by a list of their indices.
type gather struct {
	dst   int
	buf   ir.BufID
	addr  addressRef
	width int
	shape shape
}

func (s *gather) run(w *worker, f *frame, c *chunk) {
	d, at, buf := f.vec[s.dst][:c.len[s.shape]], f.addr[s.addr.id][:c.len[s.addr.shape]], w.bufs[s.buf]
	switch {
	case s.width == 1:
		for i, e := range at {
			d[i] = buf[e]
		}
	case s.addr.shape&perLane != 0:
		for i, e := range at {
			d[i] = buf[e*s.width+i%s.width]
		}
	case s.width == 8:
		for i, e := range at {
			*(*[8]float64)(d[8*i:]) = *(*[8]float64)(buf[8*e:])
		}
	case s.width == 4:
		for i, e := range at {
			*(*[4]float64)(d[4*i:]) = *(*[4]float64)(buf[4*e:])
		}
	}
}

// random is noise addressed by lane, step, site and point.
type random struct {
	dst    int
	shape  shape
	site   uint32
	first  ir.Index // index of the first point
	normal bool
	single bool
}

func (s *random) run(w *worker, f *frame, c *chunk) {
	d := f.vec[s.dst][:c.len[s.shape]]
	width := len(d) / c.points
	for l := range width {
		if s.single {
			s.singles(d[l:], w, w.lane0+uint32(l), width, c)
		} else {
			s.lane(d[l:], w, w.lane0+uint32(l), width, c)
		}
	}
	if s.normal && !s.single {
		normQuantileLoop(d, d)
	}
}

// singles fills every width-th number of d with one lane's noise of single precision.
func (s *random) singles(d []float64, w *worker, lane uint32, width int, c *chunk) {
	start := s.first.Const + s.first.Step*w.turn + c.start
	for i := range c.points {
		d[i*width] = noise.Single(w.e.seed, lane, w.step, s.site, uint32(start+i))
	}
}

// lane fills every width-th number of d with one lane's uniforms. Each noise block holds those of two points.
func (s *random) lane(d []float64, w *worker, lane uint32, width int, c *chunk) {
	start := s.first.Const + s.first.Step*w.turn + c.start
	end := start + c.points
	for p := start; p < end; p++ {
		block := noise.At(w.e.seed, lane, w.step, s.site, uint32(p/2))
		if p%2 == 0 {
			d[(p-start)*width] = noise.Open(block.Even)
			p++
		}
		if p < end {
			d[(p-start)*width] = noise.Open(block.Odd)
		}
	}
}

// common is noise that is the same for all lanes.
type common struct {
	dst  int
	site uint32
}

func (s *common) run(w *worker, f *frame, _ *chunk) {
	f.vec[s.dst][0] = noise.Common(w.e.seed, w.step, s.site)
}

// addressed is uniform noise at addresses that the arguments specify.
type addressed struct {
	dst   int
	args  [3]int // lane, step, point
	shape shape
	site  uint32
}

func (s *addressed) run(w *worker, f *frame, c *chunk) {
	n := c.len[s.shape]
	lane, step, point := f.vec[s.args[0]][:n], f.vec[s.args[1]][:n], f.vec[s.args[2]][:n]
	for i := range f.vec[s.dst][:n] {
		f.vec[s.dst][i] = noise.Addressed(w.e.seed, s.site, lane[i], step[i], point[i])
	}
}

// shuffle computes the rows at positions of a shuffled sequence. Neighbouring positions mostly have the same epoch, so
// the order of an epoch is reused for the next position.
type shuffle struct {
	dst, key, position int
	shape              shape
	rows               int
}

func (s *shuffle) run(w *worker, f *frame, c *chunk) {
	n := c.len[s.shape]
	d, key, position := f.vec[s.dst][:n], f.vec[s.key][:n], f.vec[s.position][:n]
	var of [2]uint64 // key and epoch of the current order
	var order noise.Order
	for i := range d {
		epoch, at := noise.Epoch(s.rows, position[i])
		if now := [2]uint64{noise.Whole(key[i], 1<<32-1), epoch}; i == 0 || now != of {
			of, order = now, noise.NewOrder(w.e.seed, s.rows, now[0], now[1])
		}
		d[i] = order.At(at)
	}
}
