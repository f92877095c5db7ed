package bench

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"ppl/compiler"
	"ppl/compiler/ir"
	"ppl/compiler/lower"
	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
)

// Sizes of the steps of networks that are timed: walkers, rows of a batch, and generated images.
const (
	NetworkLanes = 12
	NetworkBatch = 128
	networkRows  = 2000
)

// A Network is a model of images of 28×28 bytes in ten classes, by its name in models/, with the matrix products of one
// gradient.
type Network struct {
	Name     string
	Products []Product
}

// A Product is C = op(A)·B of an m×k and a k×n matrix, computed Times times.
type Product struct {
	TransA, TransB bool
	M, N, K, Times int
}

// Networks are those that are timed. Products of a gradient with respect to data are not needed.
func Networks() []Network {
	const b, t, h, g, d, e, k = NetworkBatch, 28, 128, 4 * 128, 28, 64, 10
	return []Network{
		{"mlp", []Product{
			{false, true, b, 200, 784, 1}, {false, true, b, k, 200, 1},
			{true, false, k, 200, b, 1}, {false, false, b, 200, k, 1}, {true, false, 200, 784, b, 1}}},
		{"lstm", []Product{
			{false, true, t * b, g, d, 1}, {false, true, b, g, h, t - 1}, {false, true, b, e, h, 1}, {false, true, b,
				k, e, 1},
			{true, false, k, e, b, 1}, {false, false, b, e, k, 1}, {true, false, e, h, b, 1}, {false, false, b, h, e,
				1},
			{false, false, b, h, g, t - 1}, {true, false, g, h, (t - 1) * b, 1}, {true, false, g, d, t * b, 1}}},
	}
}

// Load compiles the model with generated images.
func (n Network) Load() (*compiler.Program, error) {
	dir, err := os.MkdirTemp("", "ppl-bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	text, err := models.ReadFile("models/" + n.Name + ".ppl")
	if err != nil {
		return nil, err
	}
	source := rand.New(rand.NewPCG(1, 2))
	images, labels := make([]byte, networkRows*784), make([]byte, networkRows)
	for i := range images {
		images[i] = byte(source.Uint32())
	}
	for i := range labels {
		labels[i] = byte(source.IntN(10))
	}
	var args []compiler.DataArg
	for name, content := range map[string][]byte{"model.ppl": text, "image": idx(images, networkRows, 28, 28),
		"label": idx(labels, networkRows)} {
		path := filepath.Join(dir, name)
		if name != "model.ppl" {
			path += "-ubyte"
			args = append(args, compiler.DataArg{Name: name, Path: path})
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return nil, err
		}
	}
	p, ds := compiler.Load(filepath.Join(dir, "model.ppl"), args)
	if p == nil {
		return nil, fmt.Errorf("%s: %v", n.Name, ds)
	}
	return p, nil
}

// idx is bytes in the format of the MNIST database.
func idx(content []byte, shape ...int) []byte {
	b := bytes.NewBuffer([]byte{0, 0, 8, byte(len(shape))})
	for _, n := range shape {
		binary.Write(b, binary.BigEndian, uint32(n)) // a buffer takes all
	}
	return append(b.Bytes(), content...)
}

// NetworkStep is the entry `step` of SGNHT on batches, in single precision.
func NetworkStep(t infer.Target) (*ir.Program, error) {
	rows, err := t.(infer.Splittable).Rows()
	if err != nil {
		return nil, err
	}
	s := dynamics.System{Target: infer.InPrecision(t, 32), Path: dynamics.Energy, Metric: adapt.Diagonal(t.Dim()),
		Batches: dynamics.NewBatches(rows, NetworkBatch, NetworkBatch, NetworkBatch, 1)}
	var step []lower.Entry
	for _, e := range dynamics.Program(dynamics.SGNHT{Mass: 1}, s) {
		if e.Name == "step" {
			step = append(step, e)
		}
	}
	return lower.Program(step)
}
