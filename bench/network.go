package bench

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"ppl/compiler"
	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/lower"
	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/runtime/device"
)

// NetworkBatch is the number of rows of a batch, and networkRows the number of generated images.
const (
	NetworkBatch = 128
	networkRows  = 2000
)

// A Network is a model that classifies images into ten classes. Name is its file in models/, Image the shape of an
// image, Lanes the number of walkers, and Products the matrix products of one gradient.
type Network struct {
	Name     string
	Image    []int
	Lanes    int
	Products []Product
}

// A Product is C = op(A)·B of an m×k and a k×n matrix, computed Times times.
type Product struct {
	TransA, TransB bool
	M, N, K, Times int
}

// Networks returns the networks to time. A gradient does not need the products for derivatives with respect to data.
func Networks() []Network {
	const b, t, h, g, d, e, k = NetworkBatch, 28, 128, 4 * 128, 28, 64, 10
	return []Network{
		{"mlp", []int{28, 28}, 12, []Product{
			{false, true, b, 200, 784, 1}, {false, true, b, k, 200, 1},
			{true, false, k, 200, b, 1}, {false, false, b, 200, k, 1}, {true, false, 200, 784, b, 1}}},
		{"lstm", []int{28, 28}, 12, []Product{
			{false, true, t * b, g, d, 1}, {false, true, b, g, h, t - 1}, {false, true, b, e, h, 1}, {false, true, b,
				k, e, 1},
			{true, false, k, e, b, 1}, {false, false, b, e, k, 1}, {true, false, e, h, b, 1}, {false, false, b, h, e,
				1},
			{false, false, b, h, g, t - 1}, {true, false, g, h, (t - 1) * b, 1}, {true, false, g, d, t * b, 1}}},
		residual("resnet8", 1), residual("resnet20", 3),
	}
}

// residual returns a residual network with the given number of blocks for each of three image sizes.
func residual(name string, blocks int) Network {
	products := convolution(32, 3, 16, 3, false)
	for size, filters := range []int{16, 32, 64} {
		side := 32 >> size
		for block := range blocks {
			in := filters
			if size > 0 && block == 0 {
				in = filters / 2
				products = append(products, convolution(side, in, filters, 1, true)...)
			}
			products = slices.Concat(products, convolution(side, in, filters, 3, true),
				convolution(side, filters, filters, 3, true))
		}
	}
	const b, k = NetworkBatch, 10
	return Network{name, []int{32, 32, 3}, 2, append(products, Product{false, true, b, k, 64, 1},
		Product{true, false, k, 64, b, 1}, Product{false, false, b, 64, k, 1})}
}

// convolution returns the matrix products of a convolution of c input channels with n filters of width × width; the
// output images have side × side pixels. The products compute the output, the gradient of the filters and, if back is
// true, the gradient of the input.
func convolution(side, c, n, width int, back bool) []Product {
	pixels, window := NetworkBatch*side*side, c*width*width
	products := []Product{{false, true, pixels, n, window, 1}, {true, false, n, window, pixels, 1}}
	if back {
		products = append(products, Product{false, false, pixels, window, n, 1})
	}
	return products
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
	shape := append([]int{networkRows}, n.Image...)
	images, labels := make([]byte, product(shape)), make([]byte, networkRows)
	for i := range images {
		images[i] = byte(source.Uint32())
	}
	for i := range labels {
		labels[i] = byte(source.IntN(10))
	}
	var args []compiler.DataArg
	for name, content := range map[string][]byte{"model.ppl": text, "image": idx(images, shape...),
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
	p, ds := compiler.Load(compiler.Request{Path: filepath.Join(dir, "model.ppl"), Data: args})
	if p == nil {
		return nil, fmt.Errorf("%s: %v", n.Name, ds)
	}
	return p, nil
}

func product(shape []int) int {
	n := 1
	for _, k := range shape {
		n *= k
	}
	return n
}

// idx encodes bytes in the format of the MNIST database.
func idx(content []byte, shape ...int) []byte {
	b := bytes.NewBuffer([]byte{0, 0, 8, byte(len(shape))})
	for _, n := range shape {
		binary.Write(b, binary.BigEndian, uint32(n)) // a buffer returns no error
	}
	return append(b.Bytes(), content...)
}

// Start sets the state and the parameters of all lanes of a loaded NetworkStep.
func (n Network) Start(x device.Executable, t infer.Target) {
	for l := range n.Lanes {
		start := t.Start(1, l)
		for i := range start {
			start[i] *= 0.05
		}
		x.SetLane(dynamics.Theta, l, start)
		Rung(x, l, t.Dim())
		x.SetLane(dynamics.StepSize, l, []float64{1e-5})
	}
}

// NetworkStep returns a program with the entry `step` of SGNHT on minibatches, in single precision.
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
