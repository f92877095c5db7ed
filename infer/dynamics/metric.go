package dynamics

import (
	"ppl/autodiff"
	"ppl/compiler/backend/lower"
	"ppl/infer/adapt"
	"ppl/runtime/device"
)

// Buffers of a metric: the factor of a dense one, or scale, vectors and stretch. They are lane buffers where walkers
// have metrics of their own, else given to all lanes at once: a dense metric of 200 coordinates is 320 kB.
const (
	factor  = "metric_factor"
	scale   = "metric_scale"
	vectors = "metric_vectors"
	stretch = "metric_stretch"
)

// MetricBuffers returns the buffers that SetMetric and ShareMetric write: what is in them is in the metric.
func MetricBuffers() []string { return []string{factor, scale, vectors, stretch} }

// unwhiten is L p, from whitened coordinates to the target's.
func (s System) unwhiten(p autodiff.Node) autodiff.Node {
	m, g := s.Metric, p.Graph()
	if m.Rank < 0 {
		return s.moving(product(g.Input(factor, m.Dim, m.Dim), p, false))
	}
	return s.moving(autodiff.Mul(g.Input(scale, m.Dim), s.bend(p)))
}

// whitenGradient is Lᵀ f, from gradients to whitened gradients.
func (s System) whitenGradient(f autodiff.Node) autodiff.Node {
	m, g := s.Metric, f.Graph()
	f = s.moving(f)
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

// OneMetric reports whether all walkers of the system have the same metric: all of them do that are at one temperature.
func (s System) OneMetric() bool { return s.Path == Plain }

// withMetric returns entries of the system that read its metric where that is.
func (s System) withMetric(entries []lower.Entry) []lower.Entry {
	if s.OneMetric() {
		for i := range entries {
			entries[i].Given = append(entries[i].Given, MetricBuffers()...)
		}
	}
	return entries
}

// SetMetric writes the metric of a lane.
func SetMetric(e device.Executable, lane int, m adapt.Metric) {
	writeMetric(m, func(name string, values []float64) { e.SetLane(name, lane, values) })
}

// ShareMetric writes the metric of a system that has one.
func ShareMetric(e device.Executable, m adapt.Metric) { writeMetric(m, e.Set) }

func writeMetric(m adapt.Metric, write func(name string, values []float64)) {
	if m.Rank < 0 {
		write(factor, m.Factor)
		return
	}
	write(scale, m.Scale)
	if m.Rank > 0 {
		write(vectors, m.Vectors)
		write(stretch, m.Stretch)
	}
}
