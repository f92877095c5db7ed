package lower

import (
	"slices"

	"ppl/autodiff"
)

// A value is stored if the gain, in additions per lane, is larger than storeGain. It accounts for the overhead of a
// store, a load and sometimes one more kernel.
const storeGain = 6

// storeRepeated stores values that kernels compute at many more points than they have elements: scalars inside loops
// over rows, rows inside loops over rows and columns, values that two kernels share. If an entire expression is
// repeated, only its outermost value is stored; a value is not stored if it is cheap to compute from a value that is
// already stored. Of the values that are the same for all lanes, only static ones are stored, because scratch buffers
// have a copy for each lane.
func (p *plan) storeRepeated(t *trace) {
	cost := p.costs()
	gains := func(v *value) bool {
		points, n := t.evals[v], float64(v.size())
		return v.computes() && (v.static || !v.common) && cost[v]*(points-n)-points-n > storeGain
	}
	repeated := map[*value]bool{}
	for v := range t.evals {
		repeated[v] = gains(v)
	}
	stale := false
	for _, v := range p.live {
		if stale {
			cost[v] = min(p.cost(v, cost), 1e9)
		}
		if repeated[v] && gains(v) &&
			slices.ContainsFunc(p.usersOf(v, t), func(u *value) bool { return !repeated[u] }) {
			p.store(v)
			stale = true
		}
	}
}

// storeLong stores values whose code would be long if written out in the kernel.
func (p *plan) storeLong(t *trace) {
	for _, v := range p.live {
		if t.evals[v] > 0 && v.written() && v.copies()*p.length(v, map[*value]bool{}) > maxInlineCost {
			p.store(v)
		}
	}
}

// copies returns the number of times that the code of an argument occurs in the code of v.
func (v *value) copies() float64 {
	if _, ok := reductions[v.kind]; ok {
		return float64(v.args[0].size() / v.size())
	}
	return 1
}

// length returns the cost of one element of v, with shared parts counted once.
func (p *plan) length(v *value, seen map[*value]bool) float64 {
	if seen[v] {
		return 0
	}
	seen[v] = true
	sum := v.ownCost()
	for _, a := range v.args {
		if a == nil {
			continue
		}
		if _, ok := p.home(a); !ok {
			sum += p.length(a, seen)
		}
	}
	return sum
}

func (p *plan) usersOf(v *value, t *trace) []*value {
	var out []*value
	for u := range t.users[v] {
		out = append(out, u)
	}
	return out
}

// computes reports whether v needs arithmetic, and not only a load.
func (v *value) computes() bool {
	switch v.kind {
	case autodiff.OpBroadcast, autodiff.OpPermute, autodiff.OpReshape, autodiff.OpSlice:
		return false
	}
	return true
}

// written reports whether v, when not stored, is written out element by element or part by part.
func (v *value) written() bool {
	_, ok := reductions[v.kind]
	return ok || v.kind == autodiff.OpConcat
}

// costs returns, for each live value, the cost in additions of computing one element inside a kernel; shared parts
// count as often as they occur.
func (p *plan) costs() map[*value]float64 {
	cost := map[*value]float64{}
	for _, v := range p.live {
		cost[v] = min(p.cost(v, cost), 1e9)
	}
	return cost
}

func (p *plan) cost(v *value, of map[*value]float64) float64 {
	sum := 0.0
	for _, a := range v.args {
		if a == nil {
			continue
		}
		if _, ok := p.home(a); ok {
			sum += 0.5
			continue
		}
		if v.kind == autodiff.OpBroadcast && a.size() == 1 { // computed once, outside the loops
			sum += of[a] / float64(max(v.size(), 1))
			continue
		}
		sum += of[a]
	}
	return v.copies()*sum + v.ownCost()
}

// ownCost returns the cost of v without its arguments.
func (v *value) ownCost() float64 {
	if row := v.kind.Row(); row != nil {
		return row.Cost
	}
	switch v.kind {
	case autodiff.OpNoise:
		if v.op.Name == "common" { // computed once, outside the loops
			return 0
		}
		return noiseCost
	case autodiff.OpAddressed:
		return noiseCost
	case autodiff.OpShuffle:
		return shuffleCost
	case autodiff.OpConcat:
		return 3 * float64(len(v.args))
	case autodiff.OpGather:
		return 1
	}
	if v.written() {
		return v.copies()
	}
	return 0
}

// staticBase returns the value that the setup must compute so that v can be read; nil if v is read from data directly.
// If `whole`, v itself is needed, not only its elements.
func staticBase(v *value, whole bool) *value {
	for base(v) != v || !whole && !v.computes() {
		v = v.args[0]
	}
	switch v.kind {
	case autodiff.OpConst, autodiff.OpData:
		return nil
	}
	return v
}
