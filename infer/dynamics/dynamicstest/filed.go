package dynamicstest

import (
	"fmt"

	"ppl/autodiff"
)

// Filed is a target whose likelihood is a sum over rows that are read a few at a time, as if from a file.
type Filed struct {
	inMemory
	Records []float64 // [N, Width] row-major
	Width   int
	InOrder bool // consecutive records count as random rows (Mixed of infer.Streamed)

	term func(theta, records autodiff.Node) autodiff.Node
}

// inMemory embeds Rows under another name, so that Filed can have the method Rows.
type inMemory = Rows

// NewFiled returns a target with prior N(0, spread²) for each of d parameters and one term for each record of width
// numbers. term receives records as a matrix [rows, width].
func NewFiled(d int, spread float64, records []float64, width int,
	term func(theta, records autodiff.Node) autodiff.Node) Filed {
	n := len(records) / width
	all := func(theta, rows autodiff.Node) autodiff.Node {
		return term(theta, autodiff.Gather(theta.Graph().Data("records", records, n, width), rows))
	}
	return Filed{inMemory: NewRows(d, n, spread, all), Records: records, Width: width, InOrder: true, term: term}
}

// InMemory returns the same target with all rows in memory.
func (t Filed) InMemory() Rows { return t.inMemory }

// Streams returns 1.
func (Filed) Streams() int { return 1 }

// Mixed returns InOrder.
func (t Filed) Mixed() bool { return t.InOrder }

// StreamWidth returns the width of a record.
func (t Filed) StreamWidth(int) int { return t.Width }

// StreamInput returns the name of the input of m records.
func (t Filed) StreamInput(_, m int, common bool) string {
	if common {
		return fmt.Sprintf("%d common records", m)
	}
	return fmt.Sprintf("%d records", m)
}

// ReadRows copies records.
func (t Filed) ReadRows(_ int, rows, dst []float64) error {
	for i, row := range rows {
		copy(dst[i*t.Width:], t.Records[int(row)*t.Width:int(row+1)*t.Width])
	}
	return nil
}

// Split reads the records of constant rows at once, and adds an input for the records of other rows.
func (t Filed) Split(theta, rows autodiff.Node) (logPrior, whole, terms autodiff.Node) {
	g, m := theta.Graph(), rows.Size()
	if !rows.Static() {
		input := g.Input
		if rows.Common() {
			input = g.Given
		}
		return t.LogPrior(theta), g.Const(0), t.term(theta, input(t.StreamInput(0, m, rows.Common()), m, t.Width))
	}
	records := make([]float64, m*t.Width)
	_ = t.ReadRows(0, autodiff.Eval(nil, rows)[0], records) // reads memory, which cannot fail
	return t.LogPrior(theta), g.Const(0), t.term(theta, g.Data("records", records, m, t.Width))
}

// Density returns the density with all records as one input. The input has no values, so this graph can be compiled but
// not evaluated.
func (t Filed) Density(theta autodiff.Node) (logPrior, logLik autodiff.Node) {
	all := theta.Graph().Input("all records", t.N, t.Width)
	return t.LogPrior(theta), autodiff.SumAll(t.term(theta, all))
}

// FiledLogistic is Logistic with its rows in a file.
func FiledLogistic(x, y []float64, d int, spread float64) Filed {
	var records []float64
	for i, v := range y {
		records = append(append(records, x[i*d:(i+1)*d]...), v)
	}
	return NewFiled(d, spread, records, d+1, func(theta, records autodiff.Node) autodiff.Node {
		m := records.Shape()[0]
		xs := autodiff.Slice(records, []int{0, 0}, []int{m, d})
		ys := autodiff.Reshape(autodiff.Slice(records, []int{0, d}, []int{m, d + 1}), m)
		eta := autodiff.Reshape(autodiff.MatMul(xs, autodiff.Reshape(theta, d, 1), false, false), m)
		sign := autodiff.Sub(autodiff.Mul(theta.Graph().Const(2), ys), theta.Graph().Const(1))
		return autodiff.LogSigmoid(autodiff.Mul(sign, eta))
	})
}
