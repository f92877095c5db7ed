package evaluate

import (
	"math"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// A Noise says that what training changes at random is changed, and where the noise lies by which it is: the address
// has a lane and a step, to which the number of the expression in the model is the site, and the place of what is
// changed among those of its value the point. In a recurrence each turn has points of its own, so that blocks of a
// stack, or times of a series, are changed apart:
//
//	h[j in 1..3] = h[j-1] -> dense(D) -> dropout(0.2)    point = turn · (rows · D) + row · D + d
//
// Turn is not valid outside of a recurrence, and in a differential equation: its solver needs one function, so there
// all evaluations of a solution are changed alike.
type Noise struct{ Lane, Step, Turn Node }

// inputs returns what a graph inside has to be given of the noise: nothing if there is none.
func (n *Noise) inputs() []Node {
	if n == nil {
		return nil
	}
	return []Node{n.Lane, n.Step}
}

// inside returns the noise in a graph inside, whose inputs end with those of the noise.
func (n *Noise) inside(inputs []Node, turn Node) *Noise {
	if n == nil {
		return nil
	}
	return &Noise{inputs[len(inputs)-2], inputs[len(inputs)-1], turn}
}

// uniform is noise for a number of places of an expression.
func (n *Noise) uniform(site int, place Node, places int) Node {
	g := place.Graph()
	if n.Turn.Valid() {
		first := autodiff.Mul(n.Turn, g.Const(float64(places)))
		place = autodiff.Add(place, autodiff.Broadcast(first, place.Shape(), nil))
	}
	return g.Addressed(site, n.Lane, n.Step, place)
}

// A change is the value of an expression that training changes at random, by how much, and uniform noise at a number of
// places for it.
type change struct {
	value   Value
	by      float64
	uniform func(place Node, places int) Node
}

// A changing is how values are changed: what By may be, and what it makes of a value.
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

// random returns the value of X where nothing is changed at random, as in the density of the model. In a batch each row
// is changed apart.
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

// Amount is by how much training changes a value; where it is 0, not at all.
func (e *Evaluator) Amount(x *model.Random) float64 {
	values := e.StaticValues(x.By)
	if len(values) == 0 { // it differs along an axis without elements
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
		e.Fail(diag.ArgumentDomain, x.By, "`dropout` drops a share of the elements from 0 to less than 1, not %g", by)
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

// dropped is x where each element is 0 with probability p, and else over 1 − p, so that its mean is what it was.
func dropped(c change) Node {
	x := c.value.Node
	g := x.Graph()
	u := c.uniform(places(g, x.Shape()), x.Size())
	return autodiff.Where(autodiff.Lt(u, g.Const(c.by)), g.Full(0, x.Shape()...), autodiff.Mul(x, g.Const(1/(1-c.by))))
}

// cropped is images with by rows and columns of zeros on each side, cropped to their size again, each at a place of its
// own: of the shifts from −by to by along each axis, all are as probable.
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

// flipped is images of which each is mirrored left to right with a probability.
func flipped(c change) Node {
	x, of := c.value.Node, c.images()
	g := x.Graph()
	mirrored := c.spread(autodiff.Lt(c.uniform(places(g, of), Product(of)), g.Const(c.by)))
	column := c.along(1)
	last := g.Const(float64(x.Shape()[len(of)+1] - 1))
	return c.read(c.along(0), autodiff.Where(mirrored, autodiff.Sub(last, column), column))
}

// images returns the shape of the images that a value has, which are changed apart: the sizes of its bound axes.
func (c change) images() []int { return slices.Clone(c.value.Node.Shape()[:len(c.value.Bound)]) }

// pixels returns the shape of the pixels of all images, channels aside.
func (c change) pixels() []int { return slices.Clone(c.value.Node.Shape()[:len(c.value.Bound)+2]) }

// along returns the number of the row or column of each pixel, from 0.
func (c change) along(axis int) Node {
	k := len(c.value.Bound) + axis
	x := c.value.Node
	return autodiff.Broadcast(x.Graph().Iota(x.Shape()[k]), c.pixels(), []int{k})
}

// spread returns a number of each image at its pixels.
func (c change) spread(n Node) Node {
	return autodiff.Broadcast(n, c.pixels(), upTo(len(c.value.Bound)))
}

// read returns the pixels of each image at other rows and columns; those outside of it are never looked at.
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

// places returns the numbers of the elements of a shape, row-major from 0.
func places(g *autodiff.Graph, shape []int) Node {
	n, stride := g.Full(0, shape...), 1
	for k := len(shape) - 1; k >= 0; k-- {
		along := autodiff.Mul(g.Iota(shape[k]), g.Const(float64(stride)))
		n, stride = autodiff.Add(n, autodiff.Broadcast(along, shape, []int{k})), stride*shape[k]
	}
	return n
}
