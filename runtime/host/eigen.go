package host

import (
	"ppl/autodiff/special"
	"ppl/compiler/backend/ir"
)

// eigen decomposes the matrices of all lanes, one lane after another.
type eigen struct {
	*ir.Eigen
	in     operand
	width  int
	typ    ir.Type
	matrix int // numbers of temporaries that hold the matrices of one lane
	result int
}

func (c *compiler) eigen(in *ir.Eigen) statement {
	return &eigen{in, c.wide(in.In), c.width, c.program.Buffers[in.Out].Type, c.temp(in.N * in.N),
		c.temp((in.N + 1) * in.N)}
}

func (s *eigen) run(w *worker) {
	s.in.load(w)
	in, out := s.in.values(w), w.bufs[s.Out]
	a, z := w.temp[s.matrix], w.temp[s.result]
	for b := range s.Batch {
		for lane := range s.width {
			for i := range a {
				a[i] = in[(b*len(a)+i)*s.width+lane]
			}
			special.Eigen(a, z, s.N)
			for i, v := range z {
				out[(b*len(z)+i)*s.width+lane] = v
			}
		}
	}
	round(out, s.typ)
}
