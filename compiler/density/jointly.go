package density

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
)

// A Joint describes the sparse precision matrix Q of parameters that are jointly normal given the other parameters and
// the data (model.Jointly). Its elements are numbered in the order of their regions, and permuted so that Q has a
// narrow band.
//
//	log density of the elements x = constant + h·x − x·Q·x/2
//
// Q and h depend on other parameters and on data. The entries of Q are obtained from products with vectors, one vector
// for each color; elements of the same color have no entries in the same row. With Q = L·Lᵀ, the coordinates z
// determine x = L⁻ᵀ(L⁻¹h + z), and are standard normal (Rue and Held 2005, Gaussian Markov random fields, chapter 2).
type Joint struct {
	of     *model.Jointly
	size   int
	first  map[*model.Piece]int // maps a piece to the number of its first element
	order  []int                // order[p] is the element that is in row p of L
	width  int                  // band width: largest distance of an entry of L from the diagonal
	colors []int                // color of each element
	rows   [][]int              // for each element, the elements with nonzero entries in its row of Q
}

// mostWidth is the largest band width of L that is supported; rows of L are computed one after the other.
const mostWidth = 6

// mostProbed is the number of elements up to which each column of Q is probed; larger matrices must be diagonal.
const mostProbed = 256

// findJoint returns the Joint of the first set of jointly normal parameters whose precision matrix has a narrow band;
// nil if there is none.
func (l *Layout) findJoint() *Joint {
	for _, of := range l.Data.Model.Normal {
		if j := l.newJoint(of); j != nil {
			return j
		}
	}
	return nil
}

// newJoint returns the Joint of some parameters; nil if the band of the precision matrix is too wide.
func (l *Layout) newJoint(of *model.Jointly) *Joint {
	j := &Joint{of: of, first: map[*model.Piece]int{}}
	for _, r := range l.Regions {
		if slices.Contains(of.Arrays, r.Term.Array) {
			j.first[r.Piece] = j.size
			j.size += r.Size
		}
	}
	g := autodiff.New()
	theta, v := g.Input("theta", l.Dim), g.Input("v", j.size)
	product := autodiff.NewRoutine(l.Theta(theta).precision(j, v))
	random := rand.New(rand.NewPCG(0x10111, 0))
	at := make([]float64, l.Dim)
	for i := range at {
		at[i] = random.NormFloat64()
	}
	times := func(v []float64) []float64 {
		return product.Eval(map[string][]float64{"theta": at, "v": v})[0]
	}
	if !j.independent(times, random) && (j.size > mostProbed || !j.probed(times)) {
		return nil
	}
	return j
}

// independent reports whether a matrix, given by its products with vectors, is diagonal. If it is, independent sets the
// fields of j accordingly.
func (j *Joint) independent(times func(v []float64) []float64, random *rand.Rand) bool {
	ones, v := make([]float64, j.size), make([]float64, j.size)
	for i := range v {
		ones[i], v[i] = 1, 1+random.Float64()
	}
	diagonal := times(ones)
	for i, got := range times(v) {
		if rest := math.Abs(got - diagonal[i]*v[i]); math.IsNaN(rest) || rest > 1e-9*math.Abs(got) {
			return false
		}
	}
	j.colors = make([]int, j.size)
	for i := range j.size {
		j.order, j.rows = append(j.order, i), append(j.rows, []int{i})
	}
	return true
}

// probed finds the nonzero entries of a matrix by multiplying it with unit vectors, and sets the fields of j. It
// reports whether the band is narrow enough.
func (j *Joint) probed(times func(v []float64) []float64) bool {
	rows := make([][]int, j.size)
	for k := range j.size {
		v := make([]float64, j.size)
		v[k] = 1
		for i, q := range times(v) {
			if q != 0 {
				rows[i] = append(rows[i], k)
			}
		}
	}
	j.order = narrowOrder(rows)
	place := make([]int, j.size)
	for p, i := range j.order {
		place[i] = p
	}
	for i, row := range rows {
		for _, k := range row {
			j.width = max(j.width, place[i]-place[k])
		}
	}
	j.colors, j.rows = colored(rows), rows
	return j.width <= mostWidth
}

// narrowOrder orders the rows of a symmetric matrix so that its entries are near the diagonal (Cuthill and McKee 1969).
// rows lists the nonzero entries of each row.
func narrowOrder(rows [][]int) (order []int) {
	byDegree := make([]int, len(rows))
	for i := range byDegree {
		byDegree[i] = i
	}
	fewest := func(a, b int) int { return cmp.Compare(len(rows[a]), len(rows[b])) }
	slices.SortStableFunc(byDegree, fewest)
	seen := make([]bool, len(rows))
	for _, start := range byDegree {
		if seen[start] {
			continue
		}
		seen[start] = true
		order = append(order, start)
		for at := len(order) - 1; at < len(order); at++ {
			next := slices.DeleteFunc(slices.Clone(rows[order[at]]), func(k int) bool { return seen[k] })
			slices.SortStableFunc(next, fewest)
			for _, k := range next {
				seen[k] = true
			}
			order = append(order, next...)
		}
	}
	return order
}

// colored assigns a color to each column of a matrix, so that no two columns of a color have entries in the same row.
func colored(rows [][]int) []int {
	colors := slices.Repeat([]int{-1}, len(rows))
	for k, near := range rows {
		taken := map[int]bool{}
		for _, i := range near {
			for _, other := range rows[i] {
				taken[colors[other]] = true
			}
		}
		for c := 0; colors[k] < 0; c++ {
			if !taken[c] {
				colors[k] = c
			}
		}
	}
	return colors
}

// atZero returns the gradient of the log density with respect to the elements at zero, and the vector of zeros. The
// zeros are data, so that nothing else in the graph depends on the elements.
func (t *Theta) atZero(j *Joint, g *autodiff.Graph) (slope, zero autodiff.Node) {
	zero = g.Data("no element", make([]float64, j.size), j.size)
	fixed := t.layout.Theta(t.node)
	fixed.setRegions(j, zero)
	e := t.layout.Evaluator(g, fixed)
	sum := g.Const(0)
	for _, term := range j.of.Terms {
		v := Term(e, term, Coordinates{})
		if term.Array.Missing && term.Array.Role != model.Imputed {
			v, _ = SplitMissing(e, term, v)
		}
		sum = autodiff.Add(sum, autodiff.SumAll(v.Node))
	}
	return autodiff.Grad(sum, zero)[0], zero
}

// setRegions sets the values of the regions of j to the elements x.
func (t *Theta) setRegions(j *Joint, x autodiff.Node) {
	e := t.layout.Evaluator(x.Graph(), evaluate.NoSource{})
	for _, r := range t.layout.Regions {
		if first, ok := j.first[r.Piece]; ok {
			own := autodiff.Slice(x, []int{first}, []int{first + r.Size})
			t.values[r] = evaluate.Value{Node: autodiff.Reshape(own, e.Shape(r.Plates, nil)...), Bound: r.Plates}
			t.jac[r] = x.Graph().Const(0)
		}
	}
}

// Normal reports whether a region's elements are jointly normal (Joint) and can therefore have coordinates given data.
func (l *Layout) Normal(r *Region) bool {
	_, ok := l.placeInJoint(r)
	return ok
}

// placeInJoint returns the index of a region's first element among the jointly normal elements; ok is false if the
// region is not jointly normal.
func (l *Layout) placeInJoint(r *Region) (first int, ok bool) {
	if j := l.joint(); j != nil {
		first, ok = j.first[r.Piece]
	}
	return first, ok
}

// elements returns the values of the jointly normal elements as a vector.
func (t *Theta) elements(e *evaluate.Evaluator) autodiff.Node {
	return t.layout.inJoint(e.Graph, func(r *Region) autodiff.Node {
		v := e.Full(e.Align(e.Piece(r.Term.Array, r.Piece), r.Plates, nil), r.Plates, nil)
		return autodiff.Reshape(v.Node, r.Size)
	})
}

// inJoint concatenates a part for each region of jointly normal elements.
func (l *Layout) inJoint(g *autodiff.Graph, part func(*Region) autodiff.Node) autodiff.Node {
	all := g.Full(0, 0)
	for _, r := range l.Regions {
		if l.Normal(r) {
			all = autodiff.Concat(0, all, part(r))
		}
	}
	return all
}

// precision returns the product of the precision matrix with the vector v.
func (t *Theta) precision(j *Joint, v autodiff.Node) autodiff.Node {
	slope, zero := t.atZero(j, v.Graph())
	return autodiff.Neg(autodiff.Grad(autodiff.SumAll(autodiff.Mul(slope, v)), zero)[0])
}

// A factored Joint holds the factor L at a point theta. diagonal and mean are the diagonal of L and L⁻¹h, in the order
// of the rows of L.
type factored struct {
	*Joint
	diagonal, mean autodiff.Node
	below          []autodiff.Node // below[k-1][p] is L[p+k, p], 0 beyond the last row
	precisions     autodiff.Node   // the diagonal of Q, in the order of the elements
}

// factored returns the factor L at theta, computed once.
func (t *Theta) factored(g *autodiff.Graph) *factored {
	if t.joint == nil {
		t.joint = t.factor(t.layout.joint(), g)
	}
	return t.joint
}

// factor computes L.
func (t *Theta) factor(j *Joint, g *autodiff.Graph) *factored {
	slope, zero := t.atZero(j, g)
	products := make([]autodiff.Node, slices.Max(j.colors)+1)
	for c := range products {
		v := make([]float64, j.size)
		for i := range v {
			if j.colors[i] == c {
				v[i] = 1
			}
		}
		weighted := autodiff.SumAll(autodiff.Mul(slope, g.Data("color", v, j.size)))
		products[c] = autodiff.Neg(autodiff.Grad(weighted, zero)[0])
	}
	products = append(products, g.Full(0, 1))
	all := autodiff.Concat(0, products...)
	band := make([]autodiff.Node, j.width+1) // band[k][p] is Q[p, p-k]
	for k := range band {
		where := make([]float64, j.size)
		for p := range where {
			where[p] = float64(j.entry(p, k))
		}
		band[k] = autodiff.Gather(all, g.Data("entries", where, j.size))
	}
	h := j.placed(slope)
	f := &factored{Joint: j, precisions: j.byElement(band[0])}
	if j.width == 0 {
		f.diagonal = autodiff.Sqrt(band[0])
		f.mean = autodiff.Div(h, f.diagonal)
		return f
	}
	rows := j.factorRows(band, h)
	column := func(k int) autodiff.Node {
		return autodiff.Reshape(autodiff.Slice(rows, []int{0, k}, []int{j.size, k + 1}), j.size)
	}
	f.diagonal, f.mean = column(0), column(j.width+1)
	for k := 1; k <= j.width; k++ {
		below := autodiff.Slice(column(k), []int{min(k, j.size)}, []int{j.size})
		f.below = append(f.below, autodiff.Pad(below, []int{0}, []int{min(k, j.size)}))
	}
	return f
}

// entry returns the position of Q[p, p-k] in the concatenated products of Q with the vectors of all colors. One 0
// follows these products; it is used for entries that are known to be 0.
func (j *Joint) entry(p, k int) int {
	if p < k || !slices.Contains(j.rows[j.order[p]], j.order[p-k]) {
		return j.size * (slices.Max(j.colors) + 1)
	}
	return j.colors[j.order[p-k]]*j.size + j.order[p]
}

// factorRows returns the rows of L, each from its diagonal backwards, followed by its element of L⁻¹h.
func (j *Joint) factorRows(band []autodiff.Node, h autodiff.Node) autodiff.Node {
	w, g := j.width, h.Graph()
	start := make([]float64, w*(w+2)) // rows before the first are those of the identity
	for k := range w {
		start[k*(w+2)] = 1
	}
	xs := append(slices.Clone(band), h)
	out := autodiff.Scan(g.Data("rows before", start, w, w+2), xs, nil, false, func(before autodiff.Node,
		xs, _ []autodiff.Node) autodiff.Node {
		entry := func(k, m int) autodiff.Node { // entry m of the k-th row before this one
			return autodiff.Reshape(autodiff.Slice(before, []int{k - 1, m}, []int{k, m + 1}))
		}
		row := make([]autodiff.Node, w+2)
		for k := w; k >= 0; k-- {
			rest := xs[k]
			for m := w; m > k; m-- {
				other := row[m]
				if k > 0 {
					other = entry(k, m-k)
				}
				rest = autodiff.Sub(rest, autodiff.Mul(row[m], other))
			}
			if k > 0 {
				row[k] = autodiff.Div(rest, entry(k, 0))
			} else {
				row[0] = autodiff.Sqrt(rest)
			}
		}
		mean := xs[w+1]
		for k := 1; k <= w; k++ {
			mean = autodiff.Sub(mean, autodiff.Mul(row[k], entry(k, w+1)))
		}
		row[w+1] = autodiff.Div(mean, row[0])
		for k := range row {
			row[k] = autodiff.Reshape(row[k], 1)
		}
		now := autodiff.Reshape(autodiff.Concat(0, row...), 1, w+2)
		return autodiff.Concat(0, now, autodiff.Slice(before, []int{0, 0}, []int{w - 1, w + 2}))
	})
	return autodiff.Reshape(autodiff.Slice(out, []int{1, 0, 0}, []int{j.size + 1, 1, w + 2}), j.size, w+2)
}

// values returns the elements for coordinates z: it solves Lᵀx = L⁻¹h + z, from the last row to the first.
func (f *factored) values(z autodiff.Node) autodiff.Node {
	w, right := f.width, autodiff.Add(f.mean, f.placed(z))
	if w == 0 {
		return f.byElement(autodiff.Div(right, f.diagonal))
	}
	xs := append([]autodiff.Node{right, f.diagonal}, f.below...)
	out := autodiff.Scan(z.Graph().Full(0, w), xs, nil, true, func(after autodiff.Node, xs,
		_ []autodiff.Node) autodiff.Node {
		rest := xs[0]
		for k := range w {
			rest = autodiff.Sub(rest, autodiff.Mul(xs[2+k], autodiff.Reshape(autodiff.Slice(after, []int{k},
				[]int{k + 1}))))
		}
		x := autodiff.Reshape(autodiff.Div(rest, xs[1]), 1)
		return autodiff.Concat(0, x, autodiff.Slice(after, []int{0}, []int{w - 1}))
	})
	return f.byElement(autodiff.Reshape(autodiff.Slice(out, []int{0, 0}, []int{f.size, 1}), f.size))
}

// coordinates returns the coordinates z of elements x. It is the inverse of values.
func (f *factored) coordinates(x autodiff.Node) autodiff.Node {
	x = f.placed(x)
	z := autodiff.Sub(autodiff.Mul(f.diagonal, x), f.mean)
	for k, below := range f.below {
		n := min(k+1, f.size)
		later := autodiff.Pad(autodiff.Slice(x, []int{n}, []int{f.size}), []int{0}, []int{n})
		z = autodiff.Add(z, autodiff.Mul(below, later))
	}
	return f.byElement(z)
}

// logJacobian returns the log-Jacobian of the elements as a function of the coordinates.
func (f *factored) logJacobian() autodiff.Node {
	return autodiff.Neg(autodiff.SumAll(autodiff.Log(f.diagonal)))
}

// placed permutes a vector from the order of the elements to the order of the rows of L; byElement is its inverse.
func (j *Joint) placed(x autodiff.Node) autodiff.Node { return j.moved(x, j.order) }

func (j *Joint) byElement(x autodiff.Node) autodiff.Node {
	back := make([]int, j.size)
	for p, i := range j.order {
		back[i] = p
	}
	return j.moved(x, back)
}

func (j *Joint) moved(x autodiff.Node, from []int) autodiff.Node {
	if slices.IsSorted(from) {
		return x
	}
	at := make([]float64, len(from))
	for k, i := range from {
		at[k] = float64(i)
	}
	return autodiff.Gather(x, x.Graph().Data("places", at, len(at)))
}
