package dynamics

import (
	"ppl/autodiff"
	"ppl/infer/adapt"
	"ppl/runtime/device"
)

// Lane buffers of a metric: the factor of a dense one, or scale, vectors and stretch.
const (
	factor  = "metric_factor"
	scale   = "metric_scale"
	vectors = "metric_vectors"
	stretch = "metric_stretch"
)

// MetricBuffers are the lane buffers that SetMetric writes: what is in them is in the metric.
func MetricBuffers() []string { return []string{factor, scale, vectors, stretch} }

// push is L p, from whitened coordinates to the target's.
func (s System) push(p autodiff.Node) autodiff.Node {
	m, g := s.Metric, p.Graph()
	if m.Rank < 0 {
		return product(g.Input(factor, m.Dim, m.Dim), p, false)
	}
	return autodiff.Mul(g.Input(scale, m.Dim), s.bend(p))
}

// pull is Lᵀ f, from gradients to whitened gradients.
func (s System) pull(f autodiff.Node) autodiff.Node {
	m, g := s.Metric, f.Graph()
	if m.Rank < 0 {
		return product(g.Input(factor, m.Dim, m.Dim), f, true)
	}
	return s.bend(autodiff.Mul(g.Input(scale, m.Dim), f))
}

// bend is (I + V diag(stretch) Vᵀ) x.
func (s System) bend(x autodiff.Node) autodiff.Node {
	m := s.Metric
	if m.Rank == 0 {
		return x
	}
	v := x.Graph().Input(vectors, m.Dim, m.Rank)
	along := autodiff.Mul(x.Graph().Input(stretch, m.Rank), product(v, x, true))
	return autodiff.Add(x, product(v, along, false))
}

// product is A x, or Aᵀ x.
func product(a, x autodiff.Node, trans bool) autodiff.Node {
	y := autodiff.MatMul(a, autodiff.Reshape(x, x.Size(), 1), trans, false)
	return autodiff.Reshape(y, y.Size())
}

// SetMetric writes a metric to a lane.
func SetMetric(e device.Executable, lane int, m adapt.Metric) {
	if m.Rank < 0 {
		e.SetLane(factor, lane, m.Factor)
		return
	}
	e.SetLane(scale, lane, m.Scale)
	if m.Rank > 0 {
		e.SetLane(vectors, lane, m.Vectors)
		e.SetLane(stretch, lane, m.Stretch)
	}
}
