package stdlib

import (
	"math/rand/v2"

	ad "ppl/autodiff"
	"ppl/lang/types"
)

// spatialDists lists Gaussian distributions that relate neighbours in time or on a graph.
var spatialDists = []Dist{
	{
		Name: "GaussianRandomWalk", Event: 1, Support: types.RealLine,
		Doc: "Gaussian random walk from 0: x[1] and the differences x[t] - x[t-1] are independent " +
			"Normal(drift, scale)",
		Source: "Rue & Held 2005, Gaussian Markov Random Fields, section 3.3.1",
		InTime: true,
		Forms: []Form{{Args: args(real0("drift"), positive("scale")),
			LogProb: func(x Node, a []Node) Node {
				drift, scale := lift(a[0], 0, plates(x, 1), lastShape(x, 1)), lift(a[1], 0, plates(x, 1),
					lastShape(x, 1))
				return sumLast(normalLogProb(Differences(x), []Node{drift, scale}), 1)
			},
			Sample: func(r *rand.Rand, a [][]float64, out []float64) {
				x := 0.0
				for t := range out {
					x += a[0][0] + a[1][0]*r.NormFloat64()
					out[t] = x
				}
			},
			Given: func(r *rand.Rand, a [][]float64, known []bool, out []float64) {
				drawWalkGiven(r, a[0][0], a[1][0], known, out)
			}}},
	},
	{
		Name: "ICAR", Event: 1, Support: types.RealLine, Improper: true,
		Doc: "Intrinsic conditional autoregression on a graph with edges from node1[e] to node2[e]: log density " +
			"-sum over e of (x[node1[e]] - x[node2[e]])^2 / 2, without a normaliser; improper, as it does not change " +
			"when a constant is added to all of x; an edge that is listed again, in either direction, counts once",
		Source: "Besag & Kooperberg 1995, Biometrika 82, 733; Morris et al. 2019, Spatial and Spatio-temporal " +
			"Epidemiology 31, 100301",
		Forms: []Form{{Args: args(array("node1", 1, positionDomain), array("node2", 1, positionDomain)),
			LogProb: func(x Node, a []Node) Node {
				node1, node2 := distinctEdges(a[0], a[1])
				logp := times(-0.5, sumLast(square(ad.Sub(elements(x, node1), elements(x, node2))), 1))
				return onlyWithin(lastSize(x), a[1], onlyWithin(lastSize(x), a[0], logp))
			}}},
	},
	{
		Name: "CAR", Event: 1, Support: types.RealLine,
		Doc: "Conditional autoregression with a symmetric adjacency matrix adj: MvNormal(mu, prec = precision (D " +
			"- correlation adj)), D the diagonal matrix of the row sums of adj",
		Source: "Banerjee, Carlin & Gelfand 2014, Hierarchical Modeling and Analysis for Spatial Data (2nd ed.), " +
			"section 4.3",
		Forms: []Form{{Args: args(array("mu", 1, realDomain), unit("correlation"), positive("precision"),
			array("adj", 2, nonnegDomain)),
			LogProb: carLogProb,
			Sample: func(r *rand.Rand, a [][]float64, out []float64) {
				drawMvNormalPrec(r, [][]float64{a[0], carPrecision(a[1][0], a[2][0], a[3], len(out))}, out)
			}}},
	},
}

var positionDomain = Domain{types.IntRange, 1, inf}

// distinctEdges removes edges that were listed before in either direction. Tables of neighbours often list both.
func distinctEdges(node1, node2 Node) (Node, Node) {
	if !node1.Static() || !node2.Static() || node1.Rank() != 1 || node2.Rank() != 1 {
		return node1, node2
	}
	ends := ad.Eval(nil, node1, node2)
	var from, to []float64
	for i, earlier := range EarlierEdges(ends[0], ends[1]) {
		if earlier < 0 {
			from, to = append(from, ends[0][i]), append(to, ends[1][i])
		}
	}
	if len(from) == len(ends[0]) {
		return node1, node2
	}
	g := node1.Graph()
	return g.Data("node1", from, len(from)), g.Data("node2", to, len(to))
}

// EarlierEdges maps each edge to the first earlier edge that joins the same two nodes, or to −1 if there is none.
func EarlierEdges(from, to []float64) []int {
	first, earlier := map[[2]float64]int{}, make([]int, len(from))
	for i := range from {
		key := [2]float64{min(from[i], to[i]), max(from[i], to[i])}
		at, listed := first[key]
		if !listed {
			first[key], at = i, -1
		}
		earlier[i] = at
	}
	return earlier
}

// Differences returns x[t] − x[t−1] along the last axis. The first element is kept.
func Differences(x Node) Node {
	if lastSize(x) == 1 {
		return x
	}
	return ad.Sub(x, padLast(sliceLast(x, 0, lastSize(x)-1), 1, 0))
}

// elements returns x[…, at[…, e]] for 1-based positions. at has the plates of x or none.
func elements(x, at Node) Node {
	if x.Rank() == 1 {
		return ad.Gather(x, plus(at, -1))
	}
	n, shape := lastSize(x), join(plates(x, 1), lastSize(at))
	rows := spread(ad.Reshape(x.Graph().Iota(x.Size()/n), plates(x, 1)...), shape)
	return ad.Gather(ad.Reshape(x, x.Size()),
		ad.Add(times(float64(n), rows), plus(lift(at, 1, plates(x, 1), lastShape(at, 1)), -1)))
}

// onlyWithin returns −∞ if a position is above n, else logp.
func onlyWithin(n int, at, logp Node) Node {
	ok := ad.Le(at, num(at, float64(n)))
	if always(ok) {
		return logp
	}
	return ad.Add(logp, sumLast(penaltyUnless(ok), 1))
}

// carLogProb returns the log density of CAR. It factorises D − correlation adj only once if neither correlation nor adj
// has plates. The precision scales x − mu.
func carLogProb(x Node, a []Node) Node {
	n := lastSize(x)
	of := plates(a[3], 2)
	if a[1].Rank() > len(of) {
		of = a[1].Shape()
	}
	adj := lift(a[3], 2, of, []int{n, n})
	degree := ad.Mul(triangle(adj, adj.Shape(), 0), spread(sumLast(adj, 1), adj.Shape()))
	l := ad.Cholesky(ad.Sub(degree, ad.Mul(lift(a[1], 0, of, []int{n, n}), adj)))
	root := lift(ad.Sqrt(a[2]), 0, plates(x, 1), lastShape(x, 1))
	return ad.Add(times(float64(n)/2, ad.Log(a[2])), mvNormalPrecision(ad.Mul(root, centred(x, a[0])), l))
}

// carPrecision returns the matrix precision (D − correlation adj), row-major.
func carPrecision(correlation, precision float64, adj []float64, n int) []float64 {
	q := make([]float64, n*n)
	for i, w := range adj {
		q[i/n*(n+1)] += precision * w
		q[i] -= precision * correlation * w
	}
	return q
}
