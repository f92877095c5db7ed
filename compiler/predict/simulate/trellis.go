package simulate

import (
	"math"
	"slices"

	"ppl/compiler/density/evaluate"
	"ppl/compiler/density/marginalize"
	"ppl/compiler/frontend/model"
)

// A trellis is a chain in numeric form, for drawing and for probabilities at given parameters. The positions along the
// chain are called times. A code is a combination of the members' values at a time and at the earlier times that a step
// reads. A state is a combination of values that one step passes to the next; from and to map a code to the states
// before and after it.
type trellis struct {
	chain    *marginalize.Chain
	sizes    []int // number of values of each member
	lo, n    int   // first time and number of times
	links    []tableLink
	codes    int
	states   int
	from, to []int
	digits   [][][]int    // digits[m][lag][code]: value of member m at a lag
	runs     map[int]*run // one run for each row of the batch
}

// A tableLink holds a link's log weights: at time t, values[base + (t−lo)·stride + within[code]]; base depends on the
// row of the batch.
type tableLink struct {
	link   marginalize.Link
	values []float64
	stride int
	within []int
}

// A run is a trellis for one row of the batch.
type run struct {
	*trellis
	base  []int // base of each link's values
	joint [][]float64
}

func newTrellis(c *marginalize.Chain) *trellis {
	t := &trellis{chain: c, lo: c.Lo, n: c.Hi - c.Lo + 1}
	for _, a := range c.Members {
		t.sizes = append(t.sizes, c.Elimination.E.Box(c.Elimination.Latents.Index(c.Elimination.E, a).Set).Size())
	}
	t.enumerate()
	for _, l := range c.Links {
		t.links = append(t.links, t.link(l))
	}
	return t
}

// enumerate numbers the codes and states.
func (t *trellis) enumerate() {
	t.codes, t.states = 1, 1
	for m, k := range t.sizes {
		for range t.chain.Order[m] {
			t.states *= k
		}
		for range t.chain.Order[m] + 1 {
			t.codes *= k
		}
	}
	t.from, t.to, t.digits = make([]int, t.codes), make([]int, t.codes), make([][][]int, len(t.sizes))
	after := t.codes
	for m, k := range t.sizes {
		for lag := range t.chain.Order[m] + 1 {
			after /= k
			digit := make([]int, t.codes)
			for code := range digit {
				digit[code] = code / after % k
				if lag > 0 {
					t.from[code] = t.from[code]*k + digit[code]
				}
				if lag < t.chain.Order[m] {
					t.to[code] = t.to[code]*k + digit[code]
				}
			}
			t.digits[m] = append(t.digits[m], digit)
		}
	}
}

func (t *trellis) link(l marginalize.Link) tableLink {
	out := tableLink{link: l, within: make([]int, t.codes)}
	for k, i := range l.V.Bound {
		stride := evaluate.Product(l.V.Node.Shape()[k+1:])
		if i == l.Time {
			out.stride = stride
		} else if m, lag := t.chain.Lag(i); lag >= 0 {
			for code := range out.within {
				out.within[code] += stride * t.digits[m][lag][code]
			}
		}
	}
	return out
}

func (t *trellis) eval(g *Numbers) {
	t.runs = map[int]*run{}
	for k := range t.links {
		t.links[k].values = g.eval(t.links[k].link.V.Node)
	}
}

// run returns the trellis for the row of the batch given by pos.
func (t *trellis) run(g *Numbers, pos map[*model.Index]int) *run {
	row := offset(t.chain.Batch, g.E.Shape(t.chain.Batch, nil), pos)
	if t.runs[row] == nil {
		r := &run{trellis: t, base: make([]int, len(t.links))}
		for k, l := range t.links {
			for j, i := range l.link.V.Bound {
				if slices.Contains(t.chain.Batch, i) {
					r.base[k] += pos[i] * evaluate.Product(l.link.V.Node.Shape()[j+1:])
				}
			}
		}
		t.runs[row] = r
	}
	return t.runs[row]
}

// weights returns the log weights of the codes at a time, from the factors at that time.
func (r *run) weights(time int) []float64 {
	w := make([]float64, r.codes)
	for k, l := range r.links {
		if time < l.link.Lo || time > l.link.Hi {
			continue
		}
		base := r.base[k] + (time-l.link.Lo)*l.stride
		for code := range w {
			w[code] += l.values[base+l.within[code]]
		}
	}
	return w
}

// entering returns the codes' log weights at a time plus those of the states before it.
func (r *run) entering(time int, past []float64) []float64 {
	w := r.weights(time)
	for code := range w {
		w[code] += past[r.from[code]]
	}
	return w
}

// fold combines the log weights of codes with the same state: by their sum, or by their maximum if most is set.
func fold(w []float64, state []int, states int, most bool) []float64 {
	top, sum := make([]float64, states), make([]float64, states)
	for s := range top {
		top[s] = math.Inf(-1)
	}
	for code, v := range w {
		top[state[code]] = max(top[state[code]], v)
	}
	if most {
		return top
	}
	for code, v := range w {
		if s := state[code]; !math.IsInf(top[s], 0) {
			sum[s] += math.Exp(v - top[s])
		}
	}
	for s := range top {
		if !math.IsInf(top[s], 0) {
			top[s] += math.Log(sum[s])
		}
	}
	return top
}

// forward returns the log weights of the states before each time and after the last.
func (r *run) forward(most bool) [][]float64 {
	a := make([][]float64, r.n+1)
	a[0] = make([]float64, r.states)
	for k := range r.n {
		a[k+1] = fold(r.entering(r.lo+k, a[k]), r.to, r.states, most)
	}
	return a
}

// path picks the last state, then at each earlier time the values given the state after it. This draws a path or, with
// maximal weights, finds the most probable one (Viterbi 1967, IEEE Transactions on Information Theory 13, 260). The
// result is indexed by member and time.
func (r *run) path(most bool, pick func(logw []float64) int) [][]int {
	a := r.forward(most)
	out := make([][]int, len(r.chain.Members))
	for m := range out {
		out[m] = make([]int, r.n)
	}
	state := pick(a[r.n])
	for k := r.n - 1; k >= 0; k-- {
		w := r.entering(r.lo+k, a[k])
		for code := range w {
			if r.to[code] != state {
				w[code] = math.Inf(-1)
			}
		}
		code := pick(w)
		for m := range out {
			out[m][k] = r.digits[m][0][code]
		}
		state = r.from[code]
	}
	return out
}

// marginals returns the probabilities of the codes at each time, by the forward-backward algorithm.
func (r *run) marginals() [][]float64 {
	if r.joint != nil {
		return r.joint
	}
	a, back := r.forward(false), make([]float64, r.states)
	r.joint = make([][]float64, r.n)
	for k := r.n - 1; k >= 0; k-- {
		later := r.weights(r.lo + k)
		for code := range later {
			later[code] += back[r.to[code]]
		}
		w := slices.Clone(later)
		for code := range w {
			w[code] += a[k][r.from[code]]
		}
		r.joint[k], back = normalized(w), fold(later, r.from, r.states, false)
	}
	return r.joint
}

// timeOf returns the time of an occurrence, given the positions in pos.
func (t *trellis) timeOf(o marginalize.Occurrence, pos map[*model.Index]int) int {
	if o.Kind == marginalize.Fixed {
		return o.At
	}
	m := slices.Index(t.chain.Members, o.Latent)
	return t.chain.Begin[m] + pos[t.chain.Times[m]] + o.At
}

// jointly returns the joint probabilities of the values of some occurrences, row-major.
func (r *run) jointly(of []marginalize.Occurrence, pos map[*model.Index]int) []float64 {
	last, size := math.MinInt, 1
	for _, o := range of {
		last = max(last, r.timeOf(o, pos))
		size *= r.sizes[slices.Index(r.chain.Members, o.Latent)]
	}
	out := make([]float64, size)
	for code, p := range r.marginals()[last-r.lo] {
		at := 0
		for _, o := range of {
			m := slices.Index(r.chain.Members, o.Latent)
			at = at*r.sizes[m] + r.digits[m][last-r.timeOf(o, pos)][code]
		}
		out[at] += p
	}
	return out
}
