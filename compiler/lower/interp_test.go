package lower_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mathext"

	ad "ppl/autodiff"
	"ppl/compiler/ir"
)

// A machine runs a program for one lane, point by point: slow and plain, the oracle of this package's tests. Scratch is
// NaN at the start of an entry, so that reading what was not written shows.
type machine struct {
	prog *ir.Program
	mem  [][]float64
	step int
	turn int // of the loop
}

func newMachine(p *ir.Program) *machine {
	m := &machine{prog: p, mem: make([][]float64, len(p.Buffers))}
	for k, b := range p.Buffers {
		m.mem[k] = make([]float64, b.Size)
		copy(m.mem[k], b.Init)
	}
	m.exec(p.Setup)
	return m
}

func (m *machine) buffer(name string) []float64 {
	for k, b := range m.prog.Buffers {
		if b.Name == name && b.Space == ir.Lane {
			return m.mem[k]
		}
	}
	return nil
}

func (m *machine) run(entry string) {
	for k, b := range m.prog.Buffers {
		if b.Space == ir.Scratch || b.Space == ir.Tile {
			for i := range m.mem[k] {
				m.mem[k][i] = math.NaN()
			}
		}
	}
	for _, e := range m.prog.Entries {
		if e.Name == entry {
			m.exec(e.Body)
		}
	}
	m.step++
}

func (m *machine) exec(stmts []ir.Stmt) {
	for _, s := range stmts {
		switch s := s.(type) {
		case *ir.Kernel:
			m.kernel(s)
		case *ir.MatMul:
			m.matMul(s)
		case *ir.CumSum:
			m.cumSum(s)
		case *ir.Cholesky:
			m.cholesky(s)
		case *ir.Eigen:
			m.eigen(s)
		case *ir.TriSolve:
			m.triSolve(s)
		case *ir.CholeskyPull:
			m.choleskyPull(s)
		case *ir.Loop:
			m.loop(s)
		case *ir.Tiles:
			m.tiles(s)
		}
	}
}

// tiles runs the turns from the last to the first, with what is a tile's own forgotten in between.
func (m *machine) tiles(s *ir.Tiles) {
	for i, o := range s.Out {
		fill(m.mem[o.To], combineStart[o.Combine])
		for _, p := range s.Out[:i] {
			if p.From == o.From {
				panic("a tile buffer goes out twice")
			}
		}
	}
	for t := s.Turns() - 1; t >= 0; t-- {
		for k, b := range m.prog.Buffers {
			if b.Space == ir.Tile {
				fill(m.mem[k], math.NaN())
			}
		}
		m.exec(s.Turn(t))
		for _, o := range s.Out {
			for e, v := range m.mem[o.From] {
				m.combine(o.Combine, &m.mem[o.To][e], v)
			}
		}
	}
}

var combineStart = map[ir.Combine]float64{ir.Sum: 0, ir.Max: math.Inf(-1), ir.Min: math.Inf(1)}

func (m *machine) combine(c ir.Combine, at *float64, v float64) {
	switch c {
	case ir.Store:
		*at = v
	case ir.Sum:
		*at += v
	case ir.Max:
		*at = math.Max(*at, v)
	case ir.Min:
		*at = math.Min(*at, v)
	}
}

// kernel writes at each point, so that a broken rule about aliases shows in the numbers.
func (m *machine) kernel(k *ir.Kernel) {
	for _, o := range k.Out {
		if v, ok := combineStart[o.Combine]; ok {
			fill(m.mem[o.Buf], v)
		}
	}
	point := make([]int, len(k.Extents))
	for p := range k.Points() {
		rest := p
		for i := len(point) - 1; i >= 0; i-- {
			point[i], rest = rest%k.Extents[i], rest/k.Extents[i]
		}
		m.point(k, p, point)
	}
}

func (m *machine) point(k *ir.Kernel, p int, point []int) {
	regs := make([]float64, len(k.Body))
	for i, in := range k.Body {
		a := [3]float64{}
		for j := range in.Op.Arity() {
			a[j] = regs[in.Args[j]]
		}
		switch in.Op {
		case ir.Const:
			regs[i] = in.Imm
		case ir.Counter:
			regs[i] = float64(point[in.Axis] + in.Index.Const + in.Index.Step*m.turn)
		case ir.Load:
			regs[i] = m.mem[in.Buf][m.offset(in.Index, point, regs)]
		case ir.Normal, ir.Uniform:
			regs[i] = noise(in.Site, m.step, p+in.Index.Const)
		default:
			regs[i] = scalarOps[in.Op](a[0], a[1], a[2])
		}
	}
	for _, o := range k.Out {
		m.combine(o.Combine, &m.mem[o.Buf][m.offset(o.Index, point, regs)], regs[o.Value])
	}
}

func (m *machine) loop(l *ir.Loop) {
	for i := range l.N {
		m.turn = i
		if l.Reverse {
			m.turn = l.N - 1 - i
		}
		m.exec(l.Body)
	}
	m.turn = 0
}

// noise is any function of its address.
func noise(site, step, p int) float64 {
	return math.Sin(float64(1+site)*12.9898+float64(p)*78.233+float64(step)*3.7)/2 + 0.5
}

func (m *machine) offset(x ir.Index, point []int, regs []float64) int {
	at := x.Const + x.Step*m.turn
	for k, s := range x.Stride {
		at += s * point[k]
	}
	for _, d := range x.Dyn {
		at += d.Stride * max(0, min(int(regs[d.Reg]), d.Limit-1))
	}
	return at
}

func fill(x []float64, v float64) {
	for i := range x {
		x[i] = v
	}
}

func (m *machine) matMul(s *ir.MatMul) {
	for b := range s.Batch {
		x, y, z := m.mem[s.A][s.PartA.First:], m.mem[s.B][s.PartB.First:], m.mem[s.C][s.PartC.First+b*s.M*s.N:]
		if !s.SharedA {
			x = x[b*s.M*s.K:]
		}
		if !s.SharedB {
			y = y[b*s.K*s.N:]
		}
		for i := range s.M {
			for j := range s.N {
				sum := 0.0
				for k := range s.K {
					sum += x[pos(i, k, s.M, s.K, s.TransA)] * y[pos(k, j, s.K, s.N, s.TransB)]
				}
				z[i*s.N+j] = sum
			}
		}
	}
}

func pos(i, j, rows, cols int, trans bool) int {
	if trans {
		return j*rows + i
	}
	return i*cols + j
}

func (m *machine) cumSum(s *ir.CumSum) {
	for o := range s.Outer {
		for i := range s.Inner {
			sum := 0.0
			for k := range s.N {
				if s.Reverse {
					k = s.N - 1 - k
				}
				at := (o*s.N+k)*s.Inner + i
				sum += m.mem[s.In][at]
				m.mem[s.Out][at] = sum
			}
		}
	}
}

func (m *machine) cholesky(s *ir.Cholesky) {
	n := s.N
	for b := range s.Batch {
		a, l := m.mem[s.In][b*n*n:], m.mem[s.Out][b*n*n:(b+1)*n*n]
		fill(l, 0)
		for i := range n {
			for j := range i + 1 {
				sum := a[i*n+j]
				for k := range j {
					sum -= l[i*n+k] * l[j*n+k]
				}
				if i == j {
					l[i*n+i] = math.Sqrt(sum)
				} else {
					l[i*n+j] = sum / l[j*n+j]
				}
			}
		}
		if slices.ContainsFunc(l, math.IsNaN) {
			fill(l, math.NaN())
		}
	}
}

func (m *machine) eigen(s *ir.Eigen) {
	g := ad.New()
	copy(m.mem[s.Out], ad.Eval(nil, ad.Eigen(g.Data("a", m.mem[s.In][:s.Batch*s.N*s.N], s.Batch, s.N, s.N)))[0])
}

func (m *machine) triSolve(s *ir.TriSolve) {
	n := s.N
	for b := range s.Batch {
		l, rhs, x := m.mem[s.L][b*n*n:], m.mem[s.B][b*n*s.M:], m.mem[s.Out][b*n*s.M:]
		for c := range s.M {
			for r := range n {
				i, at := r, func(i, j int) float64 { return l[i*n+j] }
				if s.Trans {
					i, at = n-1-r, func(i, j int) float64 { return l[j*n+i] }
				}
				sum := rhs[i*s.M+c]
				for q := range r {
					j := q
					if s.Trans {
						j = n - 1 - q
					}
					sum -= at(i, j) * x[j*s.M+c]
				}
				x[i*s.M+c] = sum / at(i, i)
			}
		}
	}
}

func (m *machine) choleskyPull(s *ir.CholeskyPull) {
	g := ad.New()
	matrix := func(id ir.BufID) ad.Node { return g.Data("", m.mem[id][:s.Batch*s.N*s.N], s.Batch, s.N, s.N) }
	copy(m.mem[s.Out], ad.Eval(nil, ad.CholeskyPull(matrix(s.L), matrix(s.Bar)))[0])
}

func b2f(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func unary(f func(float64) float64) func(a, b, c float64) float64 {
	return func(a, _, _ float64) float64 { return f(a) }
}

func binary(f func(a, b float64) float64) func(a, b, c float64) float64 {
	return func(a, b, _ float64) float64 { return f(a, b) }
}

// digamma climbs to where gonum's series is exact.
func digamma(x float64) float64 {
	sum := 0.0
	for ; x < 20; x++ {
		sum -= 1 / x
	}
	return sum + mathext.Digamma(x)
}

// normQuantile is gonum's to nine digits and a Newton step.
func normQuantile(p float64) float64 {
	x := mathext.NormalQuantile(p)
	return x - (math.Erfc(-x/math.Sqrt2)/2-p)*math.Sqrt(2*math.Pi)*math.Exp(x*x/2)
}

var scalarOps = map[ir.Op]func(a, b, c float64) float64{
	ir.Neg: unary(func(a float64) float64 { return -a }), ir.Abs: unary(math.Abs),
	ir.Sign:  unary(func(a float64) float64 { return b2f(a > 0) - b2f(a < 0) }),
	ir.Floor: unary(math.Floor), ir.Ceil: unary(math.Ceil), ir.Round: unary(math.RoundToEven),
	ir.Exp: unary(math.Exp), ir.Log: unary(math.Log), ir.Log1p: unary(math.Log1p), ir.Expm1: unary(math.Expm1),
	ir.Sqrt: unary(math.Sqrt), ir.Sin: unary(math.Sin), ir.Cos: unary(math.Cos), ir.Tan: unary(math.Tan),
	ir.Asin: unary(math.Asin), ir.Acos: unary(math.Acos), ir.Atan: unary(math.Atan),
	ir.Sinh: unary(math.Sinh), ir.Cosh: unary(math.Cosh), ir.Tanh: unary(math.Tanh),
	ir.Sigmoid:    unary(func(a float64) float64 { return 1 / (1 + math.Exp(-a)) }),
	ir.Softplus:   unary(func(a float64) float64 { return math.Log1p(math.Exp(a)) }),
	ir.LogSigmoid: unary(func(a float64) float64 { return -math.Log1p(math.Exp(-a)) }),
	ir.Lgamma:     unary(func(a float64) float64 { v, _ := math.Lgamma(a); return v }),
	ir.Digamma:    unary(digamma),
	ir.Trigamma:   unary(func(a float64) float64 { return mathext.Zeta(2, a) }),
	ir.Erf:        unary(math.Erf), ir.Erfc: unary(math.Erfc),
	ir.LogNormCDF:   unary(func(a float64) float64 { return math.Log(math.Erfc(-a/math.Sqrt2) / 2) }),
	ir.NormQuantile: unary(normQuantile),
	ir.Not:          unary(func(a float64) float64 { return b2f(a == 0) }),
	ir.IsFinite:     unary(func(a float64) float64 { return b2f(!math.IsInf(a, 0) && !math.IsNaN(a)) }),
	ir.Add:          binary(func(a, b float64) float64 { return a + b }),
	ir.Sub:          binary(func(a, b float64) float64 { return a - b }),
	ir.Mul:          binary(func(a, b float64) float64 { return a * b }),
	ir.Div:          binary(func(a, b float64) float64 { return a / b }),
	ir.Pow:          binary(math.Pow),
	ir.Mod:          binary(func(a, b float64) float64 { return a - b*math.Floor(a/b) }),
	ir.Maximum:      binary(math.Max), ir.Minimum: binary(math.Min),
	ir.Lt: binary(func(a, b float64) float64 { return b2f(a < b) }),
	ir.Le: binary(func(a, b float64) float64 { return b2f(a <= b) }),
	ir.Eq: binary(func(a, b float64) float64 { return b2f(a == b) }),
	ir.MulZero: binary(func(a, b float64) float64 {
		if a == 0 {
			return 0
		}
		return a * b
	}),
	ir.Select: func(a, b, c float64) float64 {
		if a != 0 {
			return b
		}
		return c
	},
}

// TestOracleHasEveryOp keeps the oracle complete.
func TestOracleHasEveryOp(t *testing.T) {
	for op := ir.Neg; int(op) < ir.Ops; op++ {
		if scalarOps[op] == nil {
			t.Errorf("the oracle lacks %v", op)
		}
	}
}
