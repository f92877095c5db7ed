// Package simulate draws numbers from a model: starting points from the prior, and after inference the generated
// quantities and the latents that were summed out.
//
//	generate y2[i in N] ~ Normal(mu, s)    one draw for each posterior draw of mu and s
//	generate k = z                         a joint draw of the latents z, backwards through their elimination
package simulate

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/datasets/dataset"
	"ppl/compiler/density"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/density/marginalize"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/stdlib"
)

// Inputs is a source in which parameters and arrays drawn after inference are inputs of the graph, one for each piece.
// It serves for densities at given values, for draws from the prior, and for generated quantities.
type Inputs struct {
	evaluate.NoSource
	Single map[string]bool // names of arrays whose values are rounded to single precision
}

// Piece returns the input of a piece, clamped to its bounds if it is censored.
func (in Inputs) Piece(e *evaluate.Evaluator, p *model.Piece) (evaluate.Value, bool) {
	value := e.Graph.Input(PieceName(p), e.Shape(p.Plates, p.Term.Event)...)
	if in.Single[p.Term.Array.Name] {
		value = autodiff.Single(value)
	}
	return asRecorded(e, p.Term, evaluate.Value{Node: value, Bound: p.Plates, Axes: p.Term.Event}), true
}

// A Numbers evaluates expressions numerically at given values of inputs.
type Numbers struct {
	E      *evaluate.Evaluator
	Layout *density.Layout
	Inputs map[string][]float64
	zeroed bool // Complete has set inputs without a value to zero

	// Caches for the next draw:
	tails    map[*stdlib.Form][]tail
	known    map[autodiff.Node]*autodiff.Routine // routines of nodes evaluated before
	drawings map[*model.Term]drawing
	values   map[*density.Region]autodiff.Node // values of regions as functions of their coordinates
}

// NewNumbers returns Numbers with a new graph, for data that were already checked.
func NewNumbers(l *density.Layout, source evaluate.Source) *Numbers {
	return ReportingNumbers(l, source, &diag.List{})
}

// ReportingNumbers returns Numbers that adds errors caused by data to diags.
func ReportingNumbers(l *density.Layout, source evaluate.Source, diags *diag.List) *Numbers {
	return &Numbers{E: l.Reporting(autodiff.New(), source, diags), Layout: l,
		Inputs: map[string][]float64{}, tails: map[*stdlib.Form][]tail{}, known: map[autodiff.Node]*autodiff.Routine{},
		drawings: map[*model.Term]drawing{}, values: map[*density.Region]autodiff.Node{}}
}

// ShapeOf returns the shape of a piece's values: its plates, then its event axes.
func (g *Numbers) ShapeOf(piece *model.Piece) []int {
	return g.E.Shape(piece.Plates, piece.Term.Event)
}

// PieceName returns the name of a piece's input: the name of the array if it has a single piece.
func PieceName(p *model.Piece) string {
	a := p.Term.Array
	switch {
	case a.Replicates != nil: // a replica has the same name as its array
		return fmt.Sprintf("replica of %s@%d", a.Name, p.At.Start)
	case len(a.Pieces) == 1 && a.Pieces[0] == p:
		return a.Name
	}
	return fmt.Sprintf("%s@%d", a.Name, p.At.Start)
}

// eval computes a node from the current inputs; inputs without a value are zeros.
func (g *Numbers) eval(n autodiff.Node) []float64 {
	r, ok := g.known[n]
	if !ok {
		r = autodiff.NewRoutine(n)
		g.known[n] = r
	}
	return g.run(r)[0]
}

// run computes a routine's nodes from the current inputs.
func (g *Numbers) run(r *autodiff.Routine) [][]float64 {
	g.Complete()
	return r.Eval(g.Inputs)
}

// Complete sets inputs without a value to zero.
func (g *Numbers) Complete() {
	if g.zeroed {
		return
	}
	g.zeroed = true
	for _, p := range drawnPieces(g.Layout.Data) {
		name := PieceName(p)
		if _, ok := g.Inputs[name]; !ok {
			g.Inputs[name] = make([]float64, evaluate.Product(g.ShapeOf(p)))
		}
	}
}

// drawnPieces lists the pieces with a distribution: those of parameters and of generated arrays.
func drawnPieces(d *dataset.Dataset) (pieces []*model.Piece) {
	for _, t := range d.Model.Terms {
		if t.Piece != nil && (t.Kind == model.Prior || t.Kind == model.Generate) {
			pieces = append(pieces, t.Piece)
		}
	}
	for _, h := range d.Imputed {
		pieces = append(pieces, h.Piece)
	}
	return pieces
}

// Starts returns a function that draws starting points. Parameters are drawn from their distributions, after the
// parameters that these read; if that is impossible, they are uniform on (−2, 2) in unconstrained coordinates. A series
// that reads its own past is drawn as if the past were 0. Work common to all points is done once.
func Starts(l *density.Layout) func(r *rand.Rand) []float64 {
	return Moved(l, func(*density.Region, []float64) bool { return false })
}

// Moved returns a function that draws points like Starts. move may change the coordinates of a region and then returns
// true; later regions are drawn given the changed values.
func Moved(l *density.Layout, move func(reg *density.Region, u []float64) bool) func(r *rand.Rand) []float64 {
	g, regions := NewNumbers(l, marginalize.Over(Inputs{})), inOrder(l)
	return func(r *rand.Rand) []float64 {
		clear(g.Inputs)
		g.zeroed = false
		theta := make([]float64, l.Dim)
		for _, reg := range regions {
			u := g.begin(r, reg)
			if move(reg, u) {
				g.enterUnconstrained(reg, u)
			}
			copy(theta[reg.Offset:], u)
		}
		return theta
	}
}

// StartFrom returns a starting point in which the arrays selected by given have the values entered before instead of
// draws. The error names a parameter that is outside its support.
func (g *Numbers) StartFrom(r *rand.Rand, given func(*model.Array) bool) ([]float64, error) {
	theta := make([]float64, g.Layout.Dim)
	for _, reg := range inOrder(g.Layout) {
		if !given(reg.Term.Array) {
			copy(theta[reg.Offset:], g.begin(r, reg))
			continue
		}
		u, err := g.entered(reg)
		if err != nil {
			return nil, err
		}
		copy(theta[reg.Offset:], u)
	}
	return theta, nil
}

// Point is StartFrom with all values drawn.
func (g *Numbers) Point(r *rand.Rand) []float64 {
	theta, _ := g.StartFrom(r, func(*model.Array) bool { return false })
	return theta
}

// entered returns the unconstrained coordinates of a region whose values were entered. Everything that its distribution
// reads must have a value.
func (g *Numbers) entered(reg *density.Region) (u []float64, err error) {
	if !reg.NonCentered() || reg.Term.OnLine() {
		u, err = g.free(reg, g.Inputs[PieceName(reg.Piece)])
		if err == nil {
			err = g.relative(reg, u)
		}
		if err != nil {
			return nil, fmt.Errorf("parameter `%s`: %w", reg.Term.Array.Name, err)
		}
		return u, nil
	}
	v, _ := Inputs{}.Piece(g.E, reg.Piece)
	u = g.eval(density.Unshifted(g.E, reg.Term, v, reg.Centred()))
	if slices.ContainsFunc(u, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }) {
		return nil, fmt.Errorf("parameter `%s`: %w", reg.Term.Array.Name, errNoScale)
	}
	return u, nil
}

// inOrder sorts regions so that each comes after those that its distribution reads.
func inOrder(l *density.Layout) []*density.Region {
	var out []*density.Region
	of := map[*model.Array][]*density.Region{}
	for _, r := range l.Regions {
		of[r.Term.Array] = append(of[r.Term.Array], r)
	}
	state := map[*model.Array]bool{}
	var visit func(a *model.Array)
	visit = func(a *model.Array) {
		if state[a] {
			return
		}
		state[a] = true
		for _, r := range of[a] {
			for _, b := range ReadsOf(r.Term) {
				visit(b)
			}
		}
		for _, piece := range a.Pieces {
			if piece.Value != nil {
				for _, b := range model.Arrays(piece.Value) {
					visit(b)
				}
			}
		}
		out = append(out, of[a]...)
	}
	for _, r := range l.Regions {
		visit(r.Term.Array)
	}
	return out
}

func ReadsOf(t *model.Term) []*model.Array { return model.Arrays(t.Exprs()...) }

// begin draws the unconstrained coordinates of one region, and enters its values for regions that read it.
func (g *Numbers) begin(r *rand.Rand, reg *density.Region) []float64 {
	t := reg.Term
	for a, h := range g.E.Data.Imputed {
		if h.Piece == reg.Piece {
			return g.startMissing(r, reg, a)
		}
	}
	// A distribution that reads discrete unknowns is summed over them, so it cannot be sampled directly.
	if t.Dist == nil || t.Dist.Improper || len(t.Reads) > 0 {
		return g.dispersed(r, reg)
	}
	if reg.NonCentered() && !t.OnLine() {
		return g.standard(r, reg)
	}
	x := g.sample(r, t)
	u, err := g.unconstrain(reg, x)
	if err == nil {
		err = g.relative(reg, u)
	}
	if err != nil {
		return g.dispersed(r, reg)
	}
	g.Inputs[PieceName(reg.Piece)] = x
	return u
}

// errNoScale is returned if the scale of a distribution is 0 or not finite.
var errNoScale = errors.New("its scale is 0 or not finite, so its noncentered coordinates are not defined")

// relative converts coordinates on the line to coordinates relative to the distribution, if the region has these.
func (g *Numbers) relative(reg *density.Region, u []float64) error {
	at, width, ok := density.LineShift(g.E, reg)
	if !ok {
		return nil
	}
	from, times := g.eval(at), g.eval(width)
	for i := range u {
		u[i] = (u[i] - from[i]) / times[i]
		if math.IsNaN(u[i]) || math.IsInf(u[i], 0) {
			return errNoScale
		}
	}
	return nil
}

// standard draws non-centred coordinates from the standard form of the distribution.
func (g *Numbers) standard(r *rand.Rand, reg *density.Region) []float64 {
	u := make([]float64, reg.Size)
	if reg.Term.Dist.Event == 0 {
		u = g.sampleAt(r, reg.Term, func() []evaluate.Value {
			return density.StandardArgs(g.E, reg.Term, reg.Centred())
		})
	} else {
		for i := range u {
			u[i] = r.NormFloat64()
		}
	}
	g.enterUnconstrained(reg, u)
	return u
}

// enterUnconstrained enters a region's values, computed from its coordinates.
func (g *Numbers) enterUnconstrained(reg *density.Region, u []float64) {
	g.Inputs[coordinatesName(reg)] = u
	v, ok := g.values[reg]
	if !ok {
		v = g.valueOf(reg)
		g.values[reg] = v
	}
	g.Inputs[PieceName(reg.Piece)] = g.eval(v)
}

// coordinatesName returns the name of the input for a region's coordinates.
func coordinatesName(reg *density.Region) string { return "coordinates of " + PieceName(reg.Piece) }

// valueOf returns a region's value as a function of its coordinates.
func (g *Numbers) valueOf(reg *density.Region) autodiff.Node {
	alone := *reg
	alone.Offset = 0
	v, _ := density.Constrain(g.E, &alone, g.E.Graph.Input(coordinatesName(reg), reg.Size),
		func(r *density.Region, z evaluate.Value) evaluate.Value {
			return g.E.RecurrenceBy(r.Piece, func(_ *evaluate.Evaluator, p *model.Piece) *evaluate.Rule {
				if p != r.Piece { // other pieces are inputs
					return nil
				}
				return density.ShiftedInScan(r.Term, z)
			})
		})
	return v.Node
}

// maxCoordinate limits the coordinates of a start on a transformed scale: priors with heavy tails reach e^±1000.
const maxCoordinate = 12

func (g *Numbers) unconstrain(reg *density.Region, x []float64) ([]float64, error) {
	u, err := g.free(reg, x)
	if err != nil {
		return nil, err
	}
	if reg.Transform.Kind != 0 {
		for i := range u {
			u[i] = math.Max(-maxCoordinate, math.Min(maxCoordinate, u[i]))
		}
	}
	return u, nil
}

// free applies the inverse of the region's transform, event by event.
func (g *Numbers) free(reg *density.Region, x []float64) ([]float64, error) {
	event := max(1, evaluate.Product(reg.Event))
	rows := len(x) / event
	lo, hi := g.endValues(reg, rows)
	var u []float64
	for k := range rows {
		f, err := reg.Transform.Unconstrain(x[k*event:(k+1)*event], reg.Event, lo[k], hi[k])
		if err != nil {
			return nil, err
		}
		u = append(u, f...)
	}
	return u, nil
}

func (g *Numbers) endValues(reg *density.Region, rows int) (lo, hi []float64) {
	l, h := density.Bounds(g.E, reg.Term, reg.Plates)
	value := func(n autodiff.Node, none float64) []float64 {
		out := make([]float64, rows)
		var v []float64
		if n.Valid() {
			v = g.eval(n)
		}
		for k := range out {
			out[k] = none
			if len(v) == rows {
				out[k] = v[k]
			} else if len(v) == 1 {
				out[k] = v[0]
			}
		}
		return out
	}
	return value(l, math.Inf(-1)), value(h, math.Inf(1))
}

// dispersed draws each unconstrained coordinate uniformly from (−2, 2).
func (g *Numbers) dispersed(r *rand.Rand, reg *density.Region) []float64 {
	u := make([]float64, reg.Size)
	for i := range u {
		u[i] = 4*r.Float64() - 2
	}
	g.enterUnconstrained(reg, u)
	return u
}

// startMissing starts missing entries at values observed elsewhere in the array, or at 0 if there are none.
func (g *Numbers) startMissing(r *rand.Rand, reg *density.Region, a *model.Array) []float64 {
	var seen []float64
	for _, v := range g.E.Data.Arrays[a].Values.All() {
		if !math.IsNaN(v) {
			seen = append(seen, v)
		}
	}
	x := make([]float64, reg.Size)
	for i := range x {
		if len(seen) > 0 {
			x[i] = seen[r.IntN(len(seen))]
		}
	}
	u, err := g.unconstrain(reg, x)
	if err != nil {
		return g.dispersed(r, reg)
	}
	g.Inputs[PieceName(reg.Piece)] = x
	return u
}

// Unconstrained returns the unconstrained vector of the entered values. Non-centred coordinates remain 0, because their
// log-Jacobian is constant.
func (g *Numbers) Unconstrained() ([]float64, error) {
	theta := make([]float64, g.Layout.Dim)
	for _, r := range g.Layout.Regions {
		if r.NonCentered() && !r.Term.OnLine() { // their Jacobian is constant
			continue
		}
		u, err := g.entered(r)
		if err != nil {
			return nil, err
		}
		copy(theta[r.Offset:], u)
	}
	return theta, nil
}
