package lower

import (
	"ppl/autodiff"
	"ppl/compiler/backend/ir"
)

// A plan decides which values of one entry (or of the setup) get a buffer; all others are recomputed inside the kernels
// that read them. It starts with the values that must be stored and writes the kernels. Then it finds values that
// several kernels recompute, stores these as well, and writes the kernels again, until storing more gains nothing.
type plan struct {
	prog     *program
	space    ir.Space        // space of the stored values
	live     []*value        // values to compute, arguments before users
	provided map[*value]home // in the step of a Scan: values that the enclosing loop provides
	stored   map[*value]home
	loops    map[*value]*ir.Loop // maps a Scan to its loop
}

// newPlan plans the computation of roots, which are stored.
func newPlan(prog *program, space ir.Space, roots []*value) *plan {
	p := &plan{prog: prog, space: space, stored: map[*value]home{}, loops: map[*value]*ir.Loop{}}
	p.begin(roots)
	return p
}

// begin finds the values to compute, and stores those that must be stored.
func (p *plan) begin(roots []*value) {
	p.collect(roots)
	for _, r := range roots {
		p.store(r)
	}
	for _, v := range p.live {
		p.mustStore(v)
	}
}

// collect lists the values that roots depend on. It does not follow the arguments of values that are in memory (leaf).
func (p *plan) collect(roots []*value) {
	seen := map[*value]bool{nil: true}
	var visit func(v *value)
	visit = func(v *value) {
		if seen[v] {
			return
		}
		seen[v] = true
		if _, ok := p.leaf(v); !ok {
			for _, a := range p.inputs(v) {
				visit(a)
			}
		}
		p.live = append(p.live, v)
	}
	for _, r := range roots {
		visit(r)
	}
}

// leaf returns the memory of a value that the plan need not compute; ok is false for other values.
func (p *plan) leaf(v *value) (home, bool) {
	if h, ok := p.provided[v]; ok {
		return h, true
	}
	if buf, ok := p.prog.shared[v]; ok {
		return home{buf: buf}, true
	}
	switch v.kind {
	case autodiff.OpData:
		return home{buf: p.prog.data(v)}, true
	case autodiff.OpInput:
		return home{buf: p.prog.lanes[v.op.Name]}, true
	}
	return home{}, false
}

// home returns the memory of v's elements; ok is false if they are not in memory.
func (p *plan) home(v *value) (home, bool) {
	v = base(v)
	if h, ok := p.leaf(v); ok {
		return h, true
	}
	h, ok := p.stored[v]
	return h, ok
}

// store assigns a buffer to v.
func (p *plan) store(v *value) {
	v = base(v)
	if _, ok := p.home(v); !ok {
		p.stored[v] = home{buf: p.prog.buffer(p.space, v.typ(), v.size())}
	}
}

// mustStore stores v or its arguments if no kernel can be written otherwise.
func (p *plan) mustStore(v *value) {
	if _, ok := p.leaf(v); ok {
		return
	}
	if v.call() {
		p.store(v)
		for _, a := range p.operands(v) {
			p.store(a)
		}
	}
	switch v.kind {
	case autodiff.OpScatterAdd:
		p.store(v)
	case autodiff.OpSum, autodiff.OpMax, autodiff.OpMin:
		if v.args[0].size() > maxUnrolled*v.size() {
			p.store(v)
		}
	case autodiff.OpConcat:
		if len(nonzero(concatParts(v))) > maxInlineParts {
			p.store(v)
		}
	}
}

// call reports whether v needs a separate statement, on entire buffers.
func (v *value) call() bool {
	switch v.kind {
	case autodiff.OpMatMul, autodiff.OpCumSum, autodiff.OpCholesky, autodiff.OpEigen, autodiff.OpTriSolve,
		autodiff.OpCholeskyPull, autodiff.OpScan:
		return true
	}
	return false
}

// pointwise reports whether a stored v is computed by a kernel over its own shape, point by point.
func (v *value) pointwise() bool {
	switch v.kind {
	case autodiff.OpSum, autodiff.OpMax, autodiff.OpMin, autodiff.OpScatterAdd, autodiff.OpConcat:
		return false
	}
	return !v.call()
}

// lower returns the finished list of statements.
func (p *plan) lower() []ir.Stmt {
	for {
		t := newTrace()
		stmts := p.statements(t)
		if !p.storeMore(t) {
			return stmts
		}
	}
}

// storeMore stores values that the code requires or that are worth storing, and reports whether there were any.
func (p *plan) storeMore(t *trace) bool {
	before := len(p.stored)
	for _, v := range p.live {
		if t.demand[v] {
			p.store(v)
		}
	}
	if len(p.stored) == before {
		p.storeRepeated(t)
	}
	if len(p.stored) == before {
		p.storeLong(t)
	}
	return len(p.stored) > before
}

// setup returns the statements that compute the static values that entries read.
func (prog *program) setup(entries [][]*value) []ir.Stmt {
	var bases []*value
	seen := map[*value]bool{nil: true}
	var visit func(v *value, whole bool)
	visit = func(v *value, whole bool) {
		if v != nil && v.static {
			if b := staticBase(v, whole); b != nil && !seen[b] {
				seen[b] = true
				bases = append(bases, b)
			}
			return
		}
		if seen[v] {
			return
		}
		seen[v] = true
		for _, a := range v.args {
			visit(a, v.call())
		}
	}
	for _, roots := range entries {
		for _, r := range roots {
			visit(r, false)
		}
	}
	p := newPlan(prog, ir.Shared, bases)
	stmts := p.lower()
	for _, b := range bases {
		prog.shared[b] = p.stored[b].buf
	}
	return stmts
}
