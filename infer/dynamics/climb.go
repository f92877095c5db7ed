package dynamics

import (
	"ppl/autodiff"
	"ppl/compiler/backend/lower"
	"ppl/infer/firstorder"
	"ppl/runtime/noise"
)

// Walkers of a network, which has very many coordinates, do not reach the posterior from draws of the prior. An
// optimiser moves them to points from which the dynamics can start. Climb is one step of Adam (Kingma and Ba, ICLR
// 2015) on log π of a batch of rows that are not held out. The batches of each walker go through these rows in its own
// order, epoch after epoch. Score sums log ℓ over a part of the held-out rows, which decides when to stop.
const (
	Climb     = "climb"
	ClimbRate = "climb_rate" // set by the host: approximate maximum move of each coordinate in a step
	ClimbRise = "climb_rise" // set by the host: number of steps in which the rate rises to ClimbRate
	ClimbFall = "climb_fall" // set by the host: number of steps in which it falls to 0
	ClimbEnd  = "climb_end"  // set by the host: total number of steps
	Learned   = "learned"    // sum over batches of the mean log ℓ of a training row; the host resets it
	Score     = "score"      // entry, and its result: Σ log ℓ of the held-out rows of part Part

	climbMean   = "climb_mean"
	climbSquare = "climb_square"
	climbSteps  = "climb_steps"
)

func (s System) climbEntry() lower.Entry {
	g := autodiff.New()
	theta := s.theta(g)
	logPrior, logLik := s.estimate(theta, s.learnFrom(g))
	gradient := autodiff.Grad(autodiff.Add(logPrior, logLik), theta)[0]
	usable := autodiff.IsFinite(autodiff.SumAll(gradient)) // a batch that overflows must not affect the moving averages
	gradient = autodiff.Where(usable, gradient, g.Full(0, gradient.Size()))
	size := gradient.Size()
	memory := firstorder.Memory{Means: g.Input(climbMean, size), Powers: g.Input(climbSquare, size),
		Steps: g.Input(climbSteps)}
	rate := climbRate(g, autodiff.Add(memory.Steps, g.Const(1)))
	to, next := firstorder.Adam(theta, gradient, memory, rate, 0)
	row := autodiff.Mul(g.Const(1/float64(s.Batches.Rows)), logLik)
	return lower.Entry{Name: Climb, Assign: put(Theta, finiteOr(to, theta), climbMean, next.Means, climbSquare,
		next.Powers, climbSteps, next.Steps, Learned, autodiff.Add(g.Input(Learned), row), clock,
		autodiff.Add(g.Input(clock), g.Const(1)))}
}

// climbRate returns the learning rate of step n, from 1 to ClimbEnd. It rises linearly over the first ClimbRise steps,
// stays constant, and falls linearly over the last ClimbFall steps; at step ClimbEnd + 1 it would be 0.
func climbRate(g *autodiff.Graph, n autodiff.Node) autodiff.Node {
	left := autodiff.Maximum(autodiff.Sub(autodiff.Add(g.Input(ClimbEnd), g.Const(1)), n), g.Const(0))
	share := autodiff.Minimum(autodiff.Div(n, g.Input(ClimbRise)), autodiff.Div(left, g.Input(ClimbFall)))
	return autodiff.Mul(g.Input(ClimbRate), autodiff.Minimum(share, g.Const(1)))
}

// learnFrom returns the rows of the optimiser's next batch.
func (s System) learnFrom(g *autodiff.Graph) autodiff.Node {
	b := s.Batches
	first := autodiff.Mul(g.Input(clock), g.Const(float64(b.Size)))
	at := autodiff.Add(autodiff.Broadcast(first, []int{b.Size}, nil), g.Iota(b.Size))
	at = autodiff.Add(g.Shuffle(b.Rows-b.HeldOut, keys(g.Input(Walker), 1), at), g.Const(float64(b.HeldOut)))
	return autodiff.Gather(g.Data("order", b.Order, b.Rows), at)
}

// wantedToLearn computes, on the host, the rows that learnFrom returns on the device.
func (b Batches) wantedToLearn(seed uint64, walker, clock float64) []float64 {
	rows := make([]float64, b.Size)
	for i := range rows {
		at := noise.Shuffle(seed, b.Rows-b.HeldOut, 2*walker+1, clock*float64(b.Size)+float64(i))
		rows[i] = b.Order[b.HeldOut+int(at)]
	}
	return rows
}

// scoreEntry returns the entry Score. Positions beyond the last held-out row count as 0.
func (s System) scoreEntry() lower.Entry {
	g, b := autodiff.New(), s.Batches
	first := autodiff.Broadcast(autodiff.Mul(g.Given(Part), g.Const(float64(b.Size))), []int{b.Size}, nil)
	at, last := autodiff.Add(first, g.Iota(b.Size)), g.Full(float64(b.HeldOut-1), b.Size)
	rows := autodiff.Gather(g.Data("order", b.Order, b.Rows), autodiff.Minimum(at, last))
	_, _, terms := s.split(s.theta(g), rows)
	sum := autodiff.SumAll(autodiff.Where(autodiff.Le(at, last), terms, g.Full(0, b.Size)))
	return lower.Entry{Name: Score, Assign: put(Score, sum)}
}

// wantedToScore returns, on the host, the rows that Score reads.
func (b Batches) wantedToScore(part float64) []float64 {
	rows := make([]float64, b.Size)
	for i := range rows {
		rows[i] = b.Order[min(int(part)*b.Size+i, b.HeldOut-1)]
	}
	return rows
}

// ScoreChunks returns the number of calls of Score that cover the held-out rows.
func (b Batches) ScoreChunks() int { return (b.HeldOut + b.Size - 1) / b.Size }
