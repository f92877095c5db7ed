package lower

import (
	"fmt"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/backend/ir"
)

// An item is the computation of a stored value: one output of a kernel, or an entire statement. A concatenation has an
// item for each of its parts.
type item struct {
	out     *value
	operand *value // value computed at every point of a kernel over its shape
	call    bool   // a separate statement, not an output of a kernel
	part    part   // part of a concatenation
	needs   []read // stored values that it reads
}

func (p *plan) items() []*item {
	var items []*item
	for _, v := range p.live {
		if _, ok := p.stored[v]; !ok || v.size() == 0 {
			continue
		}
		switch v.kind {
		case autodiff.OpSum, autodiff.OpMax, autodiff.OpMin, autodiff.OpScatterAdd:
			items = append(items, &item{out: v, operand: v.args[0]})
		case autodiff.OpConcat:
			for _, q := range concatParts(v) {
				items = append(items, &item{out: v, operand: p.partOperand(v, q), part: q})
			}
		default:
			items = append(items, &item{out: v, operand: v, call: v.call()})
		}
	}
	return items
}

// partOperand returns the value that is written for a part. Along the outermost axis its elements are contiguous, so
// reshapes are removed.
func (p *plan) partOperand(v *value, q part) *value {
	switch {
	case q.value == nil:
		shape := slices.Clone(v.shape)
		shape[v.op.Axes[0]] = q.hi - q.lo
		return p.prog.values.constant(0, shape)
	case v.op.Axes[0] == 0:
		return base(q.value)
	}
	return q.value
}

// space returns a key that is equal for items that can be in one kernel.
func (it *item) space() string {
	if it.call {
		return fmt.Sprintf("call %d", it.out.id)
	}
	return fmt.Sprint(loops(it.operand.shape))
}

// findNeeds records which stored values each item reads. It writes the items of each space into one trial body, which
// loads every stored value instead of computing it.
func (p *plan) findNeeds(items []*item, t *trace) {
	trial := newTrace()
	trial.demand = t.demand
	bodies := map[string]*body{}
	for _, it := range items {
		written := it
		if it.call {
			for _, a := range p.operands(it.out) {
				it.needs = append(it.needs, read{a, false})
			}
			if it.out.kind != autodiff.OpScan {
				continue
			}
			written = start(it.out)
		}
		b, ok := bodies[written.space()]
		if !ok {
			b = p.body(loops(written.operand.shape), nil, trial)
			bodies[written.space()] = b
		}
		it.needs = append(it.needs, b.needs(b.output(written))...)
	}
}

// statements schedules the items and returns their statements. Items over one space that do not depend on each other
// share a kernel.
func (p *plan) statements(t *trace) []ir.Stmt {
	items := p.items()
	p.findNeeds(items, t)
	s := newSchedule(items)
	var stmts []ir.Stmt
	for len(s.todo) > 0 {
		group := s.next()
		if group[0].call {
			stmts = append(stmts, p.call(group[0].out, t)...)
			continue
		}
		stmts = append(stmts, p.kernel(group, t))
	}
	return stmts
}

// A schedule yields items in an order that respects their needs.
type schedule struct {
	todo    []*item
	waiting map[*value]int // maps a stored value to its number of items that are not yet scheduled
}

func newSchedule(items []*item) *schedule {
	s := &schedule{todo: items, waiting: map[*value]int{}}
	for _, it := range items {
		s.waiting[it.out]++
	}
	return s
}

// next removes and returns the next group of items that can run together. Groups that no later item could join have
// priority. Among groups of equal priority, the one with the fewest points is first, so that large loops wait until
// they are complete.
func (s *schedule) next() []*item {
	var best []*item
	bestComplete := false
	for _, class := range s.classes() {
		ready := s.ready(class)
		if len(ready) == 0 {
			continue
		}
		complete := len(ready) == len(class)
		smaller := best != nil && complete == bestComplete && points(ready) < points(best)
		if best == nil || complete && !bestComplete || smaller {
			best, bestComplete = ready, complete
		}
	}
	if best == nil {
		internal("stored values wait for each other")
	}
	s.finish(best)
	return best
}

// classes returns the remaining items grouped by space, in the order of their first item.
func (s *schedule) classes() [][]*item {
	at := map[string]int{}
	var out [][]*item
	for _, it := range s.todo {
		name := it.space()
		k, ok := at[name]
		if !ok {
			k = len(out)
			at[name] = k
			out = append(out, nil)
		}
		out[k] = append(out[k], it)
	}
	return out
}

// ready returns the largest subset of a class whose needs are already computed, or are pointwise and in the subset
// itself.
func (s *schedule) ready(class []*item) []*item {
	in := map[*value]bool{}
	for _, it := range class {
		in[it.out] = true
	}
	ready := slices.Clone(class)
	for {
		n := len(ready)
		ready = slices.DeleteFunc(ready, func(it *item) bool {
			met := !slices.ContainsFunc(it.needs, func(r read) bool {
				return s.waiting[r.value] > 0 && !(r.pointwise && in[r.value])
			})
			if !met {
				delete(in, it.out)
			}
			return !met
		})
		if len(ready) == n {
			return ready
		}
	}
}

func (s *schedule) finish(group []*item) {
	for _, it := range group {
		s.waiting[it.out]--
	}
	s.todo = slices.DeleteFunc(s.todo, func(it *item) bool { return slices.Contains(group, it) })
}

func points(group []*item) int {
	if group[0].call {
		return 0
	}
	return group[0].operand.size()
}
