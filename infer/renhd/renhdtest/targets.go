package renhdtest

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"gonum.org/v1/gonum/stat/combin"

	"ppl/autodiff"
	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/lang/types"
	"ppl/runtime/host"
	"ppl/runtime/native"
)

// Options returns the default options on the host device.
func Options(seed uint64) infer.Options {
	o := infer.Defaults()
	o.Device, o.Seed = infer.Lowered(host.Device{}), seed
	return o
}

// Fastest returns the device that a user gets by default.
func Fastest() infer.Device {
	if d, err := native.New(); err == nil {
		return infer.Lowered(d)
	}
	return infer.Lowered(host.Device{})
}

// Slow skips a test unless PPL_SLOW is set.
func Slow(t *testing.T) {
	t.Helper()
	if testing.Short() || os.Getenv("PPL_SLOW") == "" {
		t.Skip("slow: set PPL_SLOW=1")
	}
}

// TwoModes returns a target with prior N(0, 10²) and a likelihood such that the posterior is ⅓ N(−5, ½²) + ⅔ N(5, ½²)
// in x[0] and N(0, 10²) in x[1].
func TwoModes() infer.Target {
	square := func(x autodiff.Node) autodiff.Node { return autodiff.Mul(x, x) }
	prior := func(theta autodiff.Node) autodiff.Node {
		return autodiff.Mul(theta.Graph().Const(-0.5/100), autodiff.SumAll(square(theta)))
	}
	return dynamicstest.Density{D: 2, Proper: true, Spread: 10, LogPrior: prior,
		LogLik: func(theta autodiff.Node) autodiff.Node {
			g := theta.Graph()
			x := autodiff.Reshape(autodiff.Slice(theta, []int{0}, []int{1}))
			mode := func(center, weight float64) autodiff.Node {
				return autodiff.Add(g.Const(math.Log(weight)),
					autodiff.Mul(g.Const(-2), square(autodiff.Sub(x, g.Const(center)))))
			}
			both := autodiff.Concat(0, autodiff.Reshape(mode(-5, 1), 1), autodiff.Reshape(mode(5, 2), 1))
			return autodiff.Add(autodiff.LogSumExp(both, 0), autodiff.Mul(g.Const(0.5/100), square(x)))
		}}
}

// Normals returns n draws from N(1, 1).
func Normals(n int) []float64 {
	r, out := rand.New(rand.NewPCG(1, 1)), make([]float64, n)
	for i := range out {
		out[i] = 1 + r.NormFloat64()
	}
	return out
}

// TwoGroups returns a mixture model of n numbers, half of them around −1.5 and half around 1.5, with standard deviation
// 1. Its parameters are the means a and b, in either order. A tilt makes one order more likely.
func TwoGroups(n int) dynamicstest.Rows { return TwoGroupsInFile(n).InMemory() }

// TwoGroupsInFile returns TwoGroups with rows that are read as if from a file.
func TwoGroupsInFile(n int) dynamicstest.Filed {
	r := rand.New(rand.NewPCG(1, 2))
	y := make([]float64, n)
	for i := range y {
		y[i] = r.NormFloat64() + 3*float64(i%2) - 1.5
	}
	return dynamicstest.NewFiled(2, 2, y, 1, func(theta, records autodiff.Node) autodiff.Node {
		g, shape := theta.Graph(), []int{records.Size()}
		x := autodiff.Reshape(records, shape...)
		mean := func(j int) autodiff.Node {
			return autodiff.Reshape(autodiff.Slice(theta, []int{j}, []int{j + 1}))
		}
		near := func(j int) autodiff.Node {
			z := autodiff.Sub(x, autodiff.Broadcast(mean(j), shape, nil))
			return autodiff.Exp(autodiff.Mul(g.Full(-0.5, shape...), autodiff.Mul(z, z)))
		}
		tilted := autodiff.Mul(g.Const(Tilt/float64(n)), autodiff.Sub(mean(1), mean(0)))
		return autodiff.Add(autodiff.Log(autodiff.Add(near(0), near(1))), autodiff.Broadcast(tilted, shape, nil))
	})
}

// Widths returns TwoNormals with the second normal at 3.
func Widths(d int, sd, weight float64) infer.Target { return TwoNormals(d, 3, sd, weight) }

// TwoNormals returns a mixture of two normals in d dimensions: one with all means −3, standard deviation 1 and weight
// 1, and one with all means at.
func TwoNormals(d int, at, sd, weight float64) infer.Target {
	return dynamicstest.Density{D: d, Spread: 2, LogPrior: func(x autodiff.Node) autodiff.Node {
		g := x.Graph()
		term := func(center, sd, weight float64) autodiff.Node {
			z := autodiff.Mul(g.Const(1/sd), autodiff.Sub(x, g.Const(center)))
			sum := autodiff.SumAll(autodiff.Mul(z, z))
			return autodiff.Reshape(autodiff.Add(g.Const(math.Log(weight)-float64(d)*math.Log(sd)),
				autodiff.Mul(g.Const(-0.5), sum)), 1)
		}
		return autodiff.LogSumExp(autodiff.Concat(0, term(-3, 1, 1), term(at, sd, weight)), 0)
	}}
}

// LogDensity returns the log density of Widths in four dimensions, for numbers.
func LogDensity(x []float64, sd, weight float64) float64 {
	wide, narrow := 0.0, 0.0
	for _, v := range x {
		wide, narrow = wide-(v+3)*(v+3)/2, narrow-(v-3)*(v-3)/(2*sd*sd)
	}
	return math.Log(math.Exp(wide) + weight*math.Exp(narrow)/math.Pow(sd, 4))
}

// Terraces returns a normal in two dimensions, multiplied by e² where sin 4x > 0.
func Terraces() infer.Target {
	return dynamicstest.Density{D: 2, Proper: true, Spread: 2, LogPrior: func(theta autodiff.Node) autodiff.Node {
		g := theta.Graph()
		x := autodiff.Reshape(autodiff.Slice(theta, []int{0}, []int{1}))
		up := autodiff.Lt(g.Const(0), autodiff.Sin(autodiff.Mul(g.Const(4), x)))
		high := autodiff.Where(up, g.Const(2), g.Const(0))
		return autodiff.Add(high, autodiff.Mul(g.Const(-0.5), autodiff.SumAll(autodiff.Mul(theta, theta))))
	}}
}

// Narrow returns a normal whose second coordinate is narrow enough to need steps of 1e-4.
func Narrow() infer.Target {
	return dynamicstest.Density{D: 2, Proper: true, Spread: 1, LogPrior: func(theta autodiff.Node) autodiff.Node {
		scaled := autodiff.Mul(theta, theta.Graph().Data("scales", []float64{1, 1e4}, 2))
		return autodiff.Mul(theta.Graph().Const(-0.5), autodiff.SumAll(autodiff.Mul(scaled, scaled)))
	}}
}

// FarCounts returns a Poisson regression with coefficients on a wide interval, in unconstrained coordinates.
func FarCounts() infer.Target {
	x, y := RowsOfCounts()
	density := dynamicstest.Density{D: 2, Spread: 1.5, Proper: true,
		// The log density of a uniform distribution under the logistic transform.
		LogPrior: func(theta autodiff.Node) autodiff.Node {
			g := theta.Graph()
			up := autodiff.Log(autodiff.Add(g.Const(1), autodiff.Exp(theta)))
			return autodiff.SumAll(autodiff.Sub(theta, autodiff.Mul(g.Const(2), up)))
		},
		LogLik: func(theta autodiff.Node) autodiff.Node {
			g := theta.Graph()
			share := autodiff.Div(autodiff.Exp(theta), autodiff.Add(g.Const(1), autodiff.Exp(theta)))
			at := autodiff.Sub(autodiff.Mul(g.Const(2*FarthestCoefficient), share), g.Const(FarthestCoefficient))
			a := autodiff.SumAll(autodiff.Slice(at, []int{0}, []int{1}))
			b := autodiff.SumAll(autodiff.Slice(at, []int{1}, []int{2}))
			eta := autodiff.Add(a, autodiff.Mul(b, g.Data("x", x, len(x))))
			return autodiff.SumAll(autodiff.Sub(autodiff.Mul(g.Data("y", y, len(y)), eta), autodiff.Exp(eta)))
		}}
	return Described{density, []types.Coordinate{{Parameter: "a", Lower: true, Upper: true},
		{Parameter: "b", Lower: true, Upper: true}}}
}

// RowsOfCounts returns the rows of FarCounts.
func RowsOfCounts() (x, y []float64) {
	const n = 30
	for i := range n {
		at := float64(i)/(n-1) - .5
		x, y = append(x, at), append(y, math.Round(math.Exp(1+2*at)))
	}
	return x, y
}

// TwoSquares returns a target with a standard normal prior for two coordinates whose squares are observed, so that
// there are four modes. logZ is its log evidence, by quadrature.
func TwoSquares() (target infer.Target, logZ float64) {
	const sd, y = .2, 2.
	constant := -math.Log(2 * math.Pi)
	area, h := 0.0, 1e-4
	for x := -8.; x < 8; x += h {
		z := (x*x - y) / sd
		area += h * math.Exp(-x*x/2-z*z/2) / (2 * math.Pi * sd)
	}
	return dynamicstest.Density{D: 2, Proper: true,
		LogPrior: func(theta autodiff.Node) autodiff.Node { return Squares(theta, 1, constant) },
		LogLik: func(theta autodiff.Node) autodiff.Node {
			off := autodiff.Sub(autodiff.Mul(theta, theta), theta.Graph().Full(y, 2))
			return Squares(off, sd, constant-2*math.Log(sd))
		}}, 2 * math.Log(area)
}

// Squares returns constant minus half the sum of squares of x/sd.
func Squares(x autodiff.Node, sd, constant float64) autodiff.Node {
	g := x.Graph()
	return autodiff.Add(g.Const(constant), autodiff.Mul(g.Const(-.5/sd/sd), autodiff.SumAll(autodiff.Mul(x, x))))
}

// FarApart returns a target with two modes, between which a ladder of two distant rungs rarely exchanges, and options
// by which all walkers start in one of them.
func FarApart() (infer.Target, infer.Options) {
	mix := dynamicstest.Mixture{Weight: []float64{.4, .6}, Center: [][]float64{{30, 0}, {-30, 0}},
		SD: []float64{1, 1}}
	o := Options(2)
	o.Settings.Replicas, o.Settings.Ratio, o.Thin, o.Warmup, o.Draws = 2, 400, 1, 200, 1000
	for range o.Chains {
		o.Starts = append(o.Starts, [][]float64{{30, 0}})
	}
	return mix.Target(), o
}

type density = dynamicstest.Density // embedded, so that it does not hide the method of that name

// A Labelled target is a sum of normals, one for each order of the labels' coordinates. It declares which coordinates
// belong to each label.
type Labelled struct {
	density
	Sets [][]int
}

func (t Labelled) Symmetries() types.Symmetries {
	return types.Symmetries{Dim: t.D, Of: []types.Symmetry{{Kind: types.Labels, Names: []string{"x"}, Sets: t.Sets}}}
}

// NewLabelled returns a target with len(mean)/labels coordinates for each label.
func NewLabelled(labels int, mean, sd []float64) Labelled {
	each := len(mean) / labels
	t := Labelled{density: density{D: len(mean), Proper: true, Spread: 3}}
	for k := range labels {
		var set []int
		for i := range each {
			set = append(set, k*each+i)
		}
		t.Sets = append(t.Sets, set)
	}
	t.LogPrior = func(theta autodiff.Node) autodiff.Node {
		g, orders := theta.Graph(), []autodiff.Node(nil)
		for _, from := range combin.Permutations(labels, labels) {
			m, w := make([]float64, len(mean)), make([]float64, len(mean))
			for j := range mean {
				of := from[j/each]*each + j%each
				m[j], w[j] = mean[of], -.5/(sd[of]*sd[of])
			}
			d := autodiff.Sub(theta, g.Data("mean", m, len(mean)))
			sum := autodiff.SumAll(autodiff.Mul(g.Data("weight", w, len(mean)), autodiff.Mul(d, d)))
			orders = append(orders, autodiff.Reshape(sum, 1))
		}
		return autodiff.LogSumExp(autodiff.Concat(0, orders...), 0)
	}
	return t
}

// layered is a normal target that declares its coordinates as weights of a network: the mean of 40 rows, in which each
// block of coordinates has its own noise.
type layered struct {
	inRows
	blocks []types.Block
}

// Undeclared returns the target without its blocks.
func (t layered) Undeclared() infer.Target { return t.inRows }

// inRows embeds Rows under another name, so that layered can have the method Rows.
type inRows = dynamicstest.Rows

func (t layered) Blocks() []types.Block { return t.blocks }

// NewLayered returns a target with d coordinates in four blocks: weights with little noise, weights with much noise,
// and two blocks of other parameters.
func NewLayered(d int) layered {
	const rows = 40
	t := layered{blocks: []types.Block{
		{Parameter: "f.dense1.w", Size: d / 2, Layer: "f.dense1", Inputs: 20},
		{Parameter: "f.dense2.w", First: d / 2, Size: d / 4, Layer: "f.dense2", Inputs: 20},
		{Parameter: "s", First: d / 2 * 3 / 2, Size: d / 8},
		{Parameter: "t", First: d/2*3/2 + d/8, Size: d / 8},
	}}
	r := rand.New(rand.NewPCG(1, 2))
	y := make([]float64, rows*d)
	for i := range y {
		y[i] = 0.3 * r.NormFloat64()
		if i%d >= d/2 {
			y[i] *= 3
		}
	}
	t.inRows = dynamicstest.NewRows(d, rows, 1, func(theta, rows autodiff.Node) autodiff.Node {
		g := theta.Graph()
		at := autodiff.Gather(g.Data("y", y, len(y)/d, d), rows)
		off := autodiff.Sub(at, autodiff.Broadcast(theta, []int{rows.Size(), d}, []int{1}))
		return autodiff.Mul(g.Const(-0.5), autodiff.Sum(autodiff.Mul(off, off), 1))
	})
	return t
}

// Described is a density whose coordinates have names.
type Described struct {
	infer.Target
	Names []types.Coordinate
}

func (d Described) Coordinates() []types.Coordinate { return d.Names }

// Tilt is the slope of an additional term Tilt·(b − a) of the log density, which makes the mode with a < b more likely.
const Tilt = 0.2

// FarthestCoefficient is the largest absolute coefficient of FarCounts.
const FarthestCoefficient = 200.

// UnequalInFile returns a regression on n rows that are read as if from a file. All rows are informative about the
// intercept a, but almost only the first four about the slope b. The posterior is normal; variances are those of a and
// b.
func UnequalInFile(n int) (target dynamicstest.Filed, variances []float64) {
	r, records := rand.New(rand.NewPCG(1, 4)), make([]float64, 0, 2*n)
	precisions := []float64{1. / 100, 1. / 100}
	for i := range n {
		x := 0.001 * r.NormFloat64()
		if i < 4 {
			x = float64(20 - 40*(i%2))
		}
		precisions[0]++
		precisions[1] += x * x
		records = append(records, 1+2*x+r.NormFloat64(), x)
	}
	target = dynamicstest.NewFiled(2, 10, records, 2, func(theta, records autodiff.Node) autodiff.Node {
		m := records.Shape()[0]
		column := func(j int) autodiff.Node {
			return autodiff.Reshape(autodiff.Slice(records, []int{0, j}, []int{m, j + 1}), m)
		}
		at := func(j int) autodiff.Node {
			return autodiff.Broadcast(autodiff.Reshape(autodiff.Slice(theta, []int{j}, []int{j + 1})), []int{m}, nil)
		}
		z := autodiff.Sub(autodiff.Sub(column(0), at(0)), autodiff.Mul(at(1), column(1)))
		return autodiff.Mul(theta.Graph().Full(-0.5, m), autodiff.Mul(z, z))
	})
	return target, []float64{1 / precisions[0], 1 / precisions[1]}
}
