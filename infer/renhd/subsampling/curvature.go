package subsampling

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/infer/renhd/modesearch"
	"ppl/infer/renhd/population"
)

// A curvature is the part of warm-up that takes −∇∇ᵀ of the log density at several anchors, from gradients of all rows
// at 2·dim points about each. A metric that is learned from walkers in several modes is as wide as all of them
// together; that of the modes' curvatures is as wide as one mode, so that steps suit the walkers of each. At the end:
//
//	anchors   those that are the same mode are one, those that are no mode are gone
//	modes     remembered, with Laplace's approximation of what they hold of the target
//	rungs     a metric from the modes' mean precision at the rung's temperature, step and friction for its noise
//	walkers   about the modes that they were in
type curvature struct {
	run   *Subsampling
	state curvatureState
}

// curvatureResult is what curvatures have shown.
type curvatureResult struct {
	Anchored   bool // gradients are to have control variates
	Unfinished bool // anchors are not at their modes yet
	Anchors    int  // how many are left
}

// curvatureState is what is known so far.
type curvatureState struct {
	Steps []float64 // of the differences, by coordinate
	Rows  allRows   // at the points about the first anchor, the second, …: up and down in each coordinate
}

// mostCurved is the number of coordinates up to which curvatures are taken: gradients of all rows at twice as many
// points for each mode, and matrices of that size.
const mostCurved = 1000

// difference is the step of finite differences, in standard deviations of the metric so far.
const difference = 1e-4

func (t *curvature) Begin() error {
	w := t.run.controls
	t.state.Steps = w.Rungs[0].Metric.Scales()
	floats.Scale(difference, t.state.Steps)
	var points [][]float64
	for _, a := range w.Anchors {
		for j, h := range t.state.Steps {
			up, down := slices.Clone(a.At), slices.Clone(a.At)
			up[j] += h
			down[j] -= h
			points = append(points, up, down)
		}
	}
	t.state.Rows = newAllRows(points)
	return nil
}

func (t *curvature) More() bool     { return t.state.Rows.more() }
func (t *curvature) Iterate() error { return t.state.Rows.iterate(t.run) }
func (*curvature) Name() string     { return "curvature" }
func (t *curvature) State() any     { return &t.state }

func (t *curvature) Finish() (found curvatureResult, err error) {
	r := t.run
	w := r.controls
	for k := range w.Anchors {
		found.Unfinished = t.take(k) > nearEnough || found.Unfinished
	}
	at := w.Positions()
	w.newAnchors(sameModes(w.Anchors))
	found.Anchors = len(w.Anchors)
	if found.Anchors == 0 {
		r.Notef("minibatches have no control variates: climbs have come to no maximum of the density")
		found.Unfinished = false
		return found, nil
	}
	for j := range w.Rungs {
		r.shapeRung(&w.Rungs[j])
	}
	w.WriteAllRungs()
	if found.Unfinished {
		return found, nil
	}
	r.rememberAnchors()
	for lane := range at {
		at[lane] = r.nearAnchor(lane)
	}
	bad, err := w.Place(r.Ctx, at)
	if err != nil {
		return found, err
	}
	if len(bad) > 0 {
		r.Notef("minibatches have no control variates: the density is not finite everywhere about the modes")
		return found, nil
	}
	if err := r.MeasureNoise(); err != nil {
		return found, err
	}
	found.Anchored = r.anchorsPay(w.Rungs[0].Noises)
	return found, nil
}

// nearEnough is the squared distance of an anchor from its mode, in standard deviations, at which it counts as the
// mode.
const nearEnough = 1

// take makes the curvatures of an anchor of the gradients about it. It gives the squared distance from the anchor to
// the mode, if the target is the normal that these suggest; 0 if it is not a maximum.
func (t *curvature) take(k int) (off float64) {
	a, steps := &t.run.controls.Anchors[k], t.state.Steps
	d := len(steps)
	about := t.state.Rows.Sums[k*2*d : (k+1)*2*d]
	a.Rows, a.Rest = make([]float64, d*d), make([]float64, d*d)
	for i, h := range steps {
		up, down := &about[2*i], &about[2*i+1]
		for j := range d {
			rows, rest := (down.Slope[j]-up.Slope[j])/(4*h), (down.RestSlopes[j]-up.RestSlopes[j])/(4*h)
			a.Rows[i*d+j] += rows
			a.Rows[j*d+i] += rows
			a.Rest[i*d+j] += rest
			a.Rest[j*d+i] += rest
		}
	}
	if n, ok := adapt.NormalAt(a.At, a.precision(dynamics.Plain, 1)); ok {
		g := about[0].gradient()
		floats.Add(g, about[1].gradient())
		floats.Scale(0.5, g)
		off = n.StepFrom(g)
	}
	return off
}

// precision is −∇∇ᵀ log π_β at the anchor.
func (a *anchor) precision(path dynamics.Path, beta float64) *mat.SymDense {
	d := len(a.At)
	rest := 1.0
	if path == dynamics.Energy {
		rest = beta
	}
	if path == dynamics.Plain {
		beta = 1
	}
	p := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			p.SetSym(i, j, rest*a.Rest[i*d+j]+beta*a.Rows[i*d+j])
		}
	}
	return p
}

// sameModes leaves out anchors that are not maxima, and the lower of two that are in one mode.
func sameModes(anchors []anchor) (out []anchor) {
	var normals []adapt.Normal
	for _, a := range anchors {
		n, ok := adapt.NormalAt(a.At, a.precision(dynamics.Plain, 1))
		if !ok {
			continue
		}
		k := slices.IndexFunc(normals, func(m adapt.Normal) bool { return m.Distance(a.At) < 4+float64(len(a.At))/2 })
		switch {
		case k < 0:
			out, normals = append(out, a), append(normals, n)
		case out[k].Density < a.Density:
			out[k], normals[k] = a, n
		}
	}
	return out
}

// rememberAnchors makes modes of several anchors. Modes that were remembered from a few rows are not where those of all
// rows are.
func (r *Subsampling) rememberAnchors() {
	var modes []modesearch.Mode
	for _, a := range r.controls.Anchors {
		n, ok := adapt.NormalAt(a.At, a.precision(dynamics.Plain, 1))
		if ok && len(r.controls.Anchors) > 1 {
			modes = append(modes, modesearch.Mode{At: a.At, Height: a.Density, Normal: n,
				Mass: a.Density + n.LogVolume()})
		}
	}
	r.modes.Remember(modes)
}

// shapeRung gives a rung the metric of the mean precision of all modes at its temperature. No mode then curves more in
// whitened coordinates than by the number of modes. Where the curvature of the prior at the modes is not a precision,
// the likelihood's alone, tempered, is one.
func (r *Subsampling) shapeRung(g *population.Rung) {
	mean := func(path dynamics.Path) (adapt.Metric, bool) {
		p := mat.NewSymDense(r.controls.Dim, nil)
		for k := range r.controls.Anchors {
			p.AddSym(p, r.controls.Anchors[k].precision(path, g.Beta))
		}
		p.ScaleSym(1/float64(len(r.controls.Anchors)), p)
		return g.Metric.OfPrecision(p)
	}
	for _, path := range []dynamics.Path{r.Phase.System.Path, dynamics.Energy} {
		if m, ok := mean(path); ok {
			g.Metric = m
			return
		}
	}
}

// stiffness returns the largest curvature of a mode at a rung's temperature, in its whitened coordinates, in units of 1
// by which the metric would suit all modes; 0 if it was not taken.
func (r *Subsampling) stiffness(g *population.Rung) (most float64) {
	for k := range r.controls.Anchors {
		if a := &r.controls.Anchors[k]; a.Rows != nil {
			most = math.Max(most, g.Metric.Stiffest(a.precision(r.Phase.System.Path, g.Beta)))
		}
	}
	return most
}

// nearAnchor returns a draw from the normal of the mode that a lane's anchor is.
func (r *Subsampling) nearAnchor(lane int) []float64 {
	random := rand.New(rand.NewPCG(r.Phase.Options.Seed, 1<<32+uint64(lane)))
	a := &r.controls.Anchors[r.controls.AnchorOf[lane]]
	z := make([]float64, len(a.At))
	for j := range z {
		z[j] = random.NormFloat64()
	}
	n, _ := adapt.NormalAt(a.At, a.precision(dynamics.Plain, 1))
	return n.Point(z)
}
