package ir

import "slices"

// Work estimates the arithmetic of an entry for one lane, in units of one addition: an exponential counts as 10, a
// gamma function as 30. The estimate compares programs independently of the device. It is 0 if the program has no such
// entry.
func (p *Program) Work(entry string) float64 {
	for _, e := range p.Entries {
		if e.Name == entry {
			return Work(e.Body...)
		}
	}
	return 0
}

// Work estimates the arithmetic of statements in the same unit.
func Work(body ...Stmt) (sum float64) {
	for _, s := range body {
		sum += statementWork(s)
	}
	return sum
}

func statementWork(s Stmt) float64 {
	cube := func(batch, n int) float64 { return float64(batch) * float64(n) * float64(n) * float64(n) }
	switch s := s.(type) {
	case *Kernel:
		return s.work()
	case *MatMul:
		return 2 * float64(s.Batch) * float64(s.M) * float64(s.N) * float64(s.K)
	case *CumSum:
		return float64(s.Outer) * float64(s.N) * float64(s.Inner)
	case *Cholesky:
		return cube(s.Batch, s.N) / 3
	case *Eigen:
		return 9 * cube(s.Batch, s.N)
	case *TriSolve:
		return float64(s.Batch) * float64(s.N) * float64(s.N) * float64(s.M)
	case *CholeskyPull:
		return 2 * cube(s.Batch, s.N)
	case *Peer: // assumes groups of about ten lanes
		return 10 + float64(len(s.Copies))
	case *Loop:
		return float64(s.N) * Work(s.Body...)
	case *Tiles:
		return float64(s.Rows) / float64(s.Size) * Work(s.Body...)
	}
	panic("internal error: a statement without a count of its arithmetic")
}

// work estimates the arithmetic of a kernel. It excludes instructions whose result is the same for all points and
// lanes, since those run only once.
func (k *Kernel) work() (sum float64) {
	once := make([]bool, len(k.Body))
	for r, in := range k.Body {
		once[r] = in.Op == Const || in.Op == Common
		if n := in.Op.Arity(); n > 0 {
			once[r] = !slices.ContainsFunc(in.Args[:n], func(a Reg) bool { return !once[a] }) && in.Op != Shuffle &&
				in.Op != Addressed
		}
		if !once[r] {
			sum += in.Op.work()
		}
	}
	return sum * float64(k.Points())
}

// work returns the cost of an operation in units of one addition.
func (o Op) work() float64 {
	if row := o.Row(); row != nil {
		return row.Cost
	}
	switch o {
	case Const, Counter:
		return 0
	case Normal, Uniform, Shuffle, Addressed:
		return 20
	}
	return 1
}
