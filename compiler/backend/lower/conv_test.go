package lower_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/diff/fd"

	ad "ppl/autodiff"
)

// convolve returns the valid convolution of images x [n, h, w, c] with filters f [kh, kw, c, out]: it gathers all
// windows, and multiplies them with the filters in one product.
func convolve(x, f ad.Node) ad.Node {
	n, h, w, c := x.Shape()[0], x.Shape()[1], x.Shape()[2], x.Shape()[3]
	kh, kw, out := f.Shape()[0], f.Shape()[1], f.Shape()[3]
	oh, ow := h-kh+1, w-kw+1
	var windows []ad.Node
	for i := range kh {
		for j := range kw {
			windows = append(windows, ad.Slice(x, []int{0, i, j, 0}, []int{n, i + oh, j + ow, c}))
		}
	}
	rows := ad.Reshape(ad.Concat(3, windows...), n*oh*ow, kh*kw*c)
	return ad.Reshape(ad.MatMul(rows, ad.Reshape(f, kh*kw*c, out), false, false), n, oh, ow, out)
}

// convolved computes convolve by loops over flat arrays.
func convolved(x, f []float64, n, h, w, c, kh, kw, out int) []float64 {
	var y []float64
	for b := range n {
		for i := range h - kh + 1 {
			for j := range w - kw + 1 {
				for o := range out {
					sum := 0.0
					for di := range kh {
						for dj := range kw {
							for ch := range c {
								sum += x[((b*h+i+di)*w+j+dj)*c+ch] * f[((di*kw+dj)*c+ch)*out+o]
							}
						}
					}
					y = append(y, sum)
				}
			}
		}
	}
	return y
}

// TestConvolution compares two layers of convolution with a tanh between, in the plane and along a line, with loops,
// and the gradient with respect to both filters with finite differences, also in single precision.
func TestConvolution(t *testing.T) {
	for name, c := range map[string]filters{"plane": {3, 7, 6, 3, 3}, "line": {4, 1, 12, 1, 3}} {
		t.Run(name, func(t *testing.T) { c.check(t) })
	}
}

// A filters describes n images of h × w, and filters of kh × kw.
type filters struct{ n, h, w, kh, kw int }

// Numbers of channels between the layers and after them.
const midChannels, outChannels = 2, 4

func (c filters) images() []float64 {
	return series(c.n*c.h*c.w, func(i float64) float64 { return math.Sin(i * i) })
}

// first and second return the numbers of weights of the layers.
func (c filters) first() int  { return c.kh * c.kw * midChannels }
func (c filters) second() int { return c.kh * c.kw * midChannels * outChannels }

func (c filters) byLoops(theta []float64) float64 {
	y := convolved(c.images(), theta[:c.first()], c.n, c.h, c.w, 1, c.kh, c.kw, midChannels)
	for i := range y {
		y[i] = math.Tanh(y[i])
	}
	sum := 0.0
	for i, v := range convolved(y, theta[c.first():], c.n, c.h-c.kh+1, c.w-c.kw+1, midChannels, c.kh, c.kw,
		outChannels) {
		sum += v * v * math.Cos(float64(i))
	}
	return sum
}

func (c filters) logp(g *ad.Graph, theta ad.Node) ad.Node {
	x := g.Data("images", c.images(), c.n, c.h, c.w, 1)
	y := ad.Tanh(convolve(x, ad.Reshape(part(theta, 0, c.first()), c.kh, c.kw, 1, midChannels)))
	z := convolve(y, ad.Reshape(part(theta, c.first(), c.second()), c.kh, c.kw, midChannels, outChannels))
	return ad.SumAll(ad.Mul(sq(z), g.Data("weights", series(z.Size(), math.Cos), z.Shape()...)))
}

func (c filters) check(t *testing.T) {
	d := density{"convolution", c.first() + c.second(), c.logp}
	at := normals(source(1), d.dim)
	want := append([]float64{c.byLoops(at)},
		fd.Gradient(nil, c.byLoops, at, &fd.Settings{Formula: fd.Central, Step: 1e-5})...)
	for name, p := range map[string]struct {
		density
		tol float64
	}{"double": {d, 1e-7}, "single": {inSingle(d), 1e-5}} {
		got := valueAndSlope(t, p.density, at)
		for i := range want {
			if scale := math.Max(1, math.Abs(want[0])); !(math.Abs(got[i]-want[i]) <= p.tol*scale) {
				t.Fatalf("%s precision, number %d: %v, by loops %v", name, i, got[i], want[i])
			}
		}
	}
}
