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

// A curvature is the part of warm-up that computes −∇∇ᵀ of the log density at several anchors, from gradients of all
// rows at 2·dim points around each. A metric learned from walkers in several modes is as wide as all modes together;
// the metric of the modes' curvatures is as wide as one mode, so that steps suit the walkers of each. Its results are:
//
//	anchors   without duplicates of a mode, and without points that are not modes
//	modes     stored, with Laplace's approximation of their mass
//	rungs     a metric from the modes' mean precision at the rung's temperature; step and friction for its noise
//	walkers   around the modes that they were in
type curvature struct {
	run   *Subsampling
	state curvatureState
}

// curvatureResult is the result of computing curvatures.
type curvatureResult struct {
	Anchored   bool // whether gradients should have control variates
	Unfinished bool // whether anchors are not close enough to their modes yet
	Anchors    int  // number of remaining anchors
}

// curvatureState is the state of a curvature part.
type curvatureState struct {
	Steps []float64 // difference step of each coordinate
	Rows  allRows   // at the points around the first anchor, the second, …: up and down in each coordinate
}

// mostCurved is the maximum dimension for curvatures: they need gradients of all rows at twice as many points for each
// mode, and matrices of this size.
const mostCurved = 1000

// difference is the step of finite differences, in standard deviations of the current metric.
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
	t.state.Rows = newAllRows(points, t.run.Phase.Chunks())
	return nil
}

func (t *curvature) More() bool     { return t.state.Rows.more() }
func (t *curvature) Share() float64 { return t.state.Rows.share() }
func (t *curvature) Iterate() error { return t.run.readRows(&t.state.Rows) }
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
		r.Notef("minibatches have no control variates: climbs did not reach a maximum of the density")
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
		r.Notef("minibatches have no control variates: the density is not finite everywhere around the modes")
		return found, nil
	}
	if err := r.MeasureNoise(); err != nil {
		return found, err
	}
	found.Anchored = r.anchorsPay(w.Rungs[0].Noises)
	return found, nil
}

// nearEnough is the squared distance of an anchor from its mode, in standard deviations, below which it counts as the
// mode.
const nearEnough = 1

// take computes the curvatures at anchor k from the gradients around it. It returns the squared distance from the
// anchor to the mode under the resulting normal approximation, or 0 if the anchor is not near a maximum.
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
		g := about[0].gradient(1)
		floats.Add(g, about[1].gradient(1))
		floats.Scale(0.5, g)
		off = n.StepFrom(g)
	}
	return off
}

// precision returns −∇∇ᵀ log π_β at the anchor.
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

// sameModes returns the anchors that are at maxima. If several are in one mode, it returns only the highest of them.
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

// rememberAnchors stores the anchors as modes, if there are several. They replace modes that were found with a few
// rows, which are at slightly different positions.
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

// shapeRung sets a rung's metric to that of the mean precision of all modes at its temperature. Then no mode has a
// curvature in whitened coordinates above the number of modes. If the mean is not positive definite because of the
// prior's curvature, the entire density is tempered instead.
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

// stiffness returns the largest curvature of a mode at a rung's temperature, in whitened coordinates; a metric that
// suits all modes gives 1. It returns 0 if curvatures were not computed.
func (r *Subsampling) stiffness(g *population.Rung) (most float64) {
	for k := range r.controls.Anchors {
		if a := &r.controls.Anchors[k]; a.Rows != nil {
			most = math.Max(most, g.Metric.Stiffest(a.precision(r.Phase.System.Path, g.Beta)))
		}
	}
	return most
}

// nearAnchor returns a draw from the normal of the mode at a lane's anchor.
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
