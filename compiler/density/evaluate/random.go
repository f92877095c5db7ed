package evaluate

import (
	"math"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// A Noise enables random changes during training, and addresses the noise for them. The address consists of a lane, a
// step, the number of the expression in the model (the site), and the position of the changed element in the
// expression's value (the point). In a recurrence each iteration has separate points, so that blocks of a stack, or
// times of a series, are changed independently:
//
//	h[j in 1..3] = h[j-1] -> dense(D) -> dropout(0.2)    point = turn · (rows · D) + row · D + d
//
// Turn is the iteration of a recurrence. It is not valid outside a recurrence or in a differential equation: a solver
// needs a deterministic function, so all evaluations of a solution are changed in the same way.
type Noise struct{ Lane, Step, Turn Node }

// inputs returns the nodes that a nested graph needs for the noise; none if there is no noise.
func (n *Noise) inputs() []Node {
	if n == nil {
		return nil
	}
	return []Node{n.Lane, n.Step}
}

// inside returns the noise in a nested graph, whose inputs end with those of the noise.
func (n *Noise) inside(inputs []Node, turn Node) *Noise {
	if n == nil {
		return nil
	}
	return &Noise{inputs[len(inputs)-2], inputs[len(inputs)-1], turn}
}

// uniform returns uniform noise for positions of an expression with the given number of positions.
func (n *Noise) uniform(site int, place Node, places int) Node {
	g := place.Graph()
	if n.Turn.Valid() {
		first := autodiff.Mul(n.Turn, g.Const(float64(places)))
		place = autodiff.Add(place, autodiff.Broadcast(first, place.Shape(), nil))
	}
	return g.Addressed(site, n.Lane, n.Step, place)
}

// A change is a random change of an expression's value during training: the value, the amount of the change, and a
// function that returns uniform noise for positions.
type change struct {
	value   Value
	by      float64
	uniform func(place Node, places int) Node
}

// A changing implements a kind of random change: refuse reports an error for an invalid amount, and make returns the
// changed value.
type changing struct {
	refuse func(e *Evaluator, x *model.Random, by float64)
	make   func(change) Node
}

func changes() map[string]changing {
	return map[string]changing{
		"dropout":     {refuseShare, dropped},
		"random_crop": {refuseMargin, cropped},
		"random_flip": {refuseProbability, flipped},
	}
}

// random returns the value of X, changed at random during training. Each row of a batch is changed independently. In
// the density of the model nothing is changed.
func (e *Evaluator) random(x *model.Random) Value {
	v, by := e.Expr(x.X), e.Amount(x)
	if e.Noise == nil || by == 0 {
		return v
	}
	n := changes()[x.How].make(change{v, by, func(place Node, places int) Node {
		return e.Noise.uniform(x.Number, place, places)
	}})
	return Value{n, v.Bound, v.Axes}
}

// Amount returns the amount by which training changes a value; 0 means that the value is not changed.
func (e *Evaluator) Amount(x *model.Random) float64 {
	values := e.StaticValues(x.By)
	if len(values) == 0 { // By has an axis without elements
		return 0
	}
	for _, by := range values {
		if by != values[0] {
			e.Fail(diag.Arguments, x.By, "`%s` takes one number, but `%s` is %g in one place and %g in another", x.How,
				x.By.Info().At.Text(), values[0], by)
		}
	}
	changes()[x.How].refuse(e, x, values[0])
	return values[0]
}

func refuseShare(e *Evaluator, x *model.Random, by float64) {
	if !(by >= 0 && by < 1) {
		e.Fail(diag.ArgumentDomain, x.By, "the share of elements that `dropout` drops must be at least 0 and less "+
			"than 1, but is %g", by)
	}
}

func refuseProbability(e *Evaluator, x *model.Random, by float64) {
	if !(by >= 0 && by <= 1) {
		e.Fail(diag.ArgumentDomain, x.By, "`random_flip` mirrors an image with a probability from 0 to 1, not %g", by)
	}
}

func refuseMargin(e *Evaluator, x *model.Random, by float64) {
	axes := x.Type.Axes
	side := float64(min(e.Box(axes[0]).Size(), e.Box(axes[1]).Size()))
	if by != math.Trunc(by) || by < 0 || by >= side {
		e.Fail(diag.ArgumentDomain, x.By, "`random_crop` moves an image by a whole number of pixels, from 0 to less "+
			"than its height and width, not %g", by)
	}
}

// dropped returns x with each element set to 0 with probability p, and otherwise divided by 1 − p, so that its mean is
// unchanged.
func dropped(c change) Node {
	x := c.value.Node
	g := x.Graph()
	u := c.uniform(places(g, x.Shape()), x.Size())
	return autodiff.Where(autodiff.Lt(u, g.Const(c.by)), g.Full(0, x.Shape()...), autodiff.Mul(x, g.Const(1/(1-c.by))))
}

// cropped returns images shifted by random numbers of rows and columns, with zeros where a shifted image has no pixel.
// For each image and axis, all shifts from −by to by have the same probability.
func cropped(c change) Node {
	x, of := c.value.Node, c.images()
	g, two := x.Graph(), autodiff.Mul(places(x.Graph(), of), x.Graph().Const(2))
	var at []Node
	kept := g.Const(1)
	for axis := range 2 {
		u := c.uniform(autodiff.Add(two, g.Const(float64(axis))), 2*Product(of))
		shift := autodiff.Sub(autodiff.Floor(autodiff.Mul(u, g.Const(2*c.by+1))), g.Const(c.by))
		from := autodiff.Add(c.along(axis), c.spread(shift))
		last := g.Const(float64(x.Shape()[len(of)+axis] - 1))
		at = append(at, from)
		kept = autodiff.Mul(kept, autodiff.Mul(autodiff.Le(g.Const(0), from), autodiff.Le(from, last)))
	}
	kept = autodiff.Broadcast(kept, x.Shape(), upTo(len(c.pixels())))
	return autodiff.Where(kept, c.read(at[0], at[1]), g.Full(0, x.Shape()...))
}

// flipped returns images, each mirrored left to right with a given probability.
func flipped(c change) Node {
	x, of := c.value.Node, c.images()
	g := x.Graph()
	mirrored := c.spread(autodiff.Lt(c.uniform(places(g, of), Product(of)), g.Const(c.by)))
	column := c.along(1)
	last := g.Const(float64(x.Shape()[len(of)+1] - 1))
	return c.read(c.along(0), autodiff.Where(mirrored, autodiff.Sub(last, column), column))
}

// images returns the shape of the images of a value, which are changed independently: the sizes of its bound axes.
func (c change) images() []int { return slices.Clone(c.value.Node.Shape()[:len(c.value.Bound)]) }

// pixels returns the shape of the pixels of all images, without channels.
func (c change) pixels() []int { return slices.Clone(c.value.Node.Shape()[:len(c.value.Bound)+2]) }

// along returns the number of the row or column of each pixel, from 0.
func (c change) along(axis int) Node {
	k := len(c.value.Bound) + axis
	x := c.value.Node
	return autodiff.Broadcast(x.Graph().Iota(x.Shape()[k]), c.pixels(), []int{k})
}

// spread broadcasts a number for each image to its pixels.
func (c change) spread(n Node) Node {
	return autodiff.Broadcast(n, c.pixels(), upTo(len(c.value.Bound)))
}

// read returns the pixels of each image at other rows and columns. Callers ignore the results for positions outside the
// image.
func (c change) read(row, column Node) Node {
	x := c.value.Node
	var at []Node
	for k := range c.value.Bound {
		at = append(at, autodiff.Broadcast(x.Graph().Iota(x.Shape()[k]), c.pixels(), []int{k}))
	}
	return autodiff.Gather(x, append(at, row, column)...)
}

func upTo(n int) []int {
	axes := make([]int, n)
	for k := range axes {
		axes[k] = k
	}
	return axes
}

// places returns the row-major numbers of the elements of a shape, from 0.
func places(g *autodiff.Graph, shape []int) Node {
	n, stride := g.Full(0, shape...), 1
	for k := len(shape) - 1; k >= 0; k-- {
		along := autodiff.Mul(g.Iota(shape[k]), g.Const(float64(stride)))
		n, stride = autodiff.Add(n, autodiff.Broadcast(along, shape, []int{k})), stride*shape[k]
	}
	return n
}
