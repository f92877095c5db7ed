package dynamics

import (
	"ppl/autodiff"
	"ppl/infer/adapt"
	"ppl/runtime/device"
)

// Buffers of a metric: the factor of a dense metric, or scale, vectors and stretch. They are lane buffers if walkers
// have different metrics. Otherwise all lanes share them: a dense metric of 200 coordinates has 320 kB.
const (
	factor  = "metric_factor"
	scale   = "metric_scale"
	vectors = "metric_vectors"
	stretch = "metric_stretch"
)

// MetricBuffers returns the buffers that SetMetric and ShareMetric write.
func MetricBuffers() []string { return []string{factor, scale, vectors, stretch} }

// unwhiten returns L p: it maps whitened coordinates to the target's.
func (s System) unwhiten(p autodiff.Node) autodiff.Node {
	m, g := s.Metric, p.Graph()
	if m.Rank < 0 {
		return s.moving(product(s.metricBuffer(g, factor, m.Dim, m.Dim), p, false))
	}
	return s.moving(autodiff.Mul(s.metricBuffer(g, scale, m.Dim), s.bend(p)))
}

// whitenGradient returns Lᵀ f: it maps gradients to whitened gradients.
func (s System) whitenGradient(f autodiff.Node) autodiff.Node {
	m, g := s.Metric, f.Graph()
	f = s.moving(f)
	if m.Rank < 0 {
		return product(s.metricBuffer(g, factor, m.Dim, m.Dim), f, true)
	}
	return s.bend(autodiff.Mul(s.metricBuffer(g, scale, m.Dim), f))
}

// bend returns (I + V diag(stretch) Vᵀ) x.
func (s System) bend(x autodiff.Node) autodiff.Node {
	m := s.Metric
	if m.Rank == 0 {
		return x
	}
	v := s.metricBuffer(x.Graph(), vectors, m.Dim, m.Rank)
	along := autodiff.Mul(s.metricBuffer(x.Graph(), stretch, m.Rank), product(v, x, true))
	return autodiff.Add(x, product(v, along, false))
}

// product returns A x, or Aᵀ x if trans.
func product(a, x autodiff.Node, trans bool) autodiff.Node {
	y := autodiff.MatMul(a, autodiff.Reshape(x, x.Size(), 1), trans, false)
	return autodiff.Reshape(y, y.Size())
}

// OneMetric reports whether all walkers have the same metric, since all are at one temperature.
func (s System) OneMetric() bool { return s.Path == Plain }

// metricBuffer returns a buffer of the metric, given to all lanes if walkers have the same metric.
func (s System) metricBuffer(g *autodiff.Graph, name string, shape ...int) autodiff.Node {
	if s.OneMetric() {
		return g.Given(name, shape...)
	}
	return g.Input(name, shape...)
}

// SetMetric writes the metric of one lane.
func SetMetric(e device.Executable, lane int, m adapt.Metric) {
	writeMetric(m, func(name string, values []float64) { e.SetLane(name, lane, values) })
}

// ShareMetric writes the metric that all lanes share.
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
