package rundir

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"

	"ppl/autodiff"
	"ppl/compiler"
	"ppl/compiler/backend/lower"
	"ppl/numbers"
)

// Digests holds hashes of everything that determines the numbers of a run.
type Digests struct {
	Program string `json:"program"` // hash of the compiled model without its data
	Data    string `json:"data"`
	Starts  string `json:"starts,omitempty"` // hash of the starting points, if they were given
}

// DigestsOf computes the hashes of a program (its log density and saved values) and of its data.
func DigestsOf(p *compiler.Program) (Digests, error) {
	program, err := lower.Program([]lower.Entry{{Name: "density", Assign: assignments(p)}})
	if err != nil {
		return Digests{}, err
	}
	data, text, without := sha256.New(), sha256.New(), *program
	without.Buffers = slices.Clone(program.Buffers)
	for i, b := range program.Buffers {
		writeNumbers(data, b.Init)
		without.Buffers[i].Init = numbers.List{}
	}
	if err := writeRows(data, p); err != nil {
		return Digests{}, err
	}
	io.WriteString(text, without.String())
	if slices.Contains(p.Deterministic(), false) { // the program does not contain random generated quantities
		io.WriteString(text, p.Model().Source.Text)
	}
	return Digests{Program: fmt.Sprintf("%x", text.Sum(nil)), Data: fmt.Sprintf("%x", data.Sum(nil))}, nil
}

// assignments returns the log density and the saved values of a program. If the data are read from files row by row,
// the density is that of one row.
func assignments(p *compiler.Program) []lower.Assign {
	g := autodiff.New()
	theta := g.Input("theta", p.Dim())
	out := []lower.Assign{{Name: "values", Value: p.Values(theta)}}
	if p.Streams() > 0 {
		logPrior, whole, terms := p.Split(theta, g.Input("rows", 1))
		return append(out, lower.Assign{Name: "log_prior", Value: logPrior}, lower.Assign{Name: "whole", Value: whole},
			lower.Assign{Name: "terms", Value: terms})
	}
	logPrior, logLik := p.Density(theta)
	return append(out, lower.Assign{Name: "log_prior", Value: logPrior}, lower.Assign{Name: "log_lik", Value: logLik})
}

// writeRows hashes the number of rows in files, and the first thousand rows.
func writeRows(to io.Writer, p *compiler.Program) error {
	if p.Streams() == 0 {
		return nil
	}
	n, err := p.Rows()
	if err != nil {
		return err
	}
	rows := make([]float64, min(n, 1000))
	for i := range rows {
		rows[i] = float64(i)
	}
	writeNumbers(to, numbers.Of(float64(n)))
	for k := range p.Streams() {
		values := make([]float64, p.StreamWidth(k)*len(rows))
		if err := p.ReadRows(k, rows, values); err != nil {
			return err
		}
		writeNumbers(to, numbers.Of(values...))
	}
	return nil
}

// writeNumbers hashes numbers. If there are many, it hashes their digest, which processes that share data compute only
// once.
func writeNumbers(to io.Writer, xs numbers.List) {
	if xs.Len() >= numbers.Many {
		digest := xs.Digest()
		to.Write(digest[:])
		return
	}
	block := make([]byte, 0, 1<<15)
	for _, x := range xs.All() {
		if len(block) == cap(block) {
			to.Write(block)
			block = block[:0]
		}
		block = binary.LittleEndian.AppendUint64(block, math.Float64bits(x))
	}
	to.Write(block)
}
