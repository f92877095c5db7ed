// Package score measures how well posterior draws predicted new data. The predictive distribution of a row is the
// average over draws, and is compared with the observed outcome.
//
//	c := score.NewClasses(2, 3)              two rows of three classes
//	c.Add(0, 0, []float64{.7, .2, .1})       draw 0: class probabilities for row 0
//	c.Score([]int{0, 2})                     accuracy, log score, Brier score, calibration error, entropy
//
// Scores of probabilities follow Gneiting and Raftery (JASA 2007); calibration error and reliability follow Guo,
// Pleiss, Sun and Weinberger (ICML 2017); the decomposition of the entropy follows Depeweg et al. (ICML 2018).
package score

import (
	"math"
	"slices"
)

// Classes accumulates predictive probabilities for outcomes that are one of several classes.
type Classes struct {
	rows, classes int
	sum           []float64  // probabilities summed over draws, [rows, classes]
	entropy       []float64  // entropies of the draws' probabilities, summed over draws, by row
	draws         []float64  // number of draws, by row
	likeliest     [][]uint16 // most probable class, by draw and row
}

// NewClasses returns an empty Classes.
func NewClasses(rows, classes int) *Classes {
	return &Classes{rows: rows, classes: classes, sum: make([]float64, rows*classes), entropy: make([]float64, rows),
		draws: make([]float64, rows)}
}

// Add adds a draw's prediction for a row: the probability of each class.
func (c *Classes) Add(draw, row int, p []float64) {
	for len(c.likeliest) <= draw {
		c.likeliest = append(c.likeliest, make([]uint16, c.rows))
	}
	for k, v := range p {
		c.sum[row*c.classes+k] += v
	}
	c.entropy[row] += entropy(p)
	c.draws[row]++
	c.likeliest[draw][row] = uint16(largest(p))
}

// Probabilities returns the class probabilities of a row, averaged over draws.
func (c *Classes) Probabilities(row int) []float64 {
	p := slices.Clone(c.sum[row*c.classes : (row+1)*c.classes])
	for k := range p {
		p[k] /= c.draws[row]
	}
	return p
}

// ClassScores measures how well classes were predicted.
type ClassScores struct {
	Rows, Draws      int
	Accuracy         float64 // share of rows whose most probable class was observed
	AccuracyError    float64 // standard error of Accuracy over rows
	BestDraw         float64 // accuracy of the best single draw
	MeanDraw         float64 // mean accuracy of single draws
	LogScore         float64 // mean log probability of the observed class
	LogScoreError    float64
	Brier            float64 // mean of Σ (p − 1[observed])² over classes, from 0 to 2
	CalibrationError float64 // expected calibration error: mean over rows of |confidence − accuracy| in their bin
	Reliability      []Bin
	// Entropy is the mean entropy of the predictive distribution, in nats. It is the sum of Aleatoric, the mean entropy
	// of single draws' predictions, and Epistemic, which measures how much the draws differ.
	Entropy, Aleatoric, Epistemic float64
}

// A Bin describes the rows whose most probable class has a probability between From and To.
type Bin struct {
	From, To             float64
	Rows                 int
	Confidence, Accuracy float64 // means over the rows
}

// bins is the number of bins of confidence, which have equal width.
const bins = 15

// Score compares the predictions with the observed classes, numbered from 0.
func (c *Classes) Score(came []int) ClassScores {
	s := ClassScores{Rows: c.rows, Draws: len(c.likeliest)}
	var right, logs moments
	all := make([]Bin, bins)
	for row, k := range came {
		p := c.Probabilities(row)
		best := largest(p)
		hit := indicator(best == k)
		right.add(hit)
		logs.add(math.Log(p[k]))
		for j, v := range p {
			s.Brier += square(v-indicator(j == k)) / float64(c.rows)
		}
		b := &all[min(int(p[best]*bins), bins-1)]
		b.Rows++
		b.Confidence += p[best]
		b.Accuracy += hit
		s.Entropy += entropy(p) / float64(c.rows)
		s.Aleatoric += c.entropy[row] / c.draws[row] / float64(c.rows)
	}
	s.Accuracy, s.AccuracyError = right.mean(), right.error()
	s.LogScore, s.LogScoreError = logs.mean(), logs.error()
	s.Epistemic = s.Entropy - s.Aleatoric
	s.reliability(all)
	s.singleDraws(c.likeliest, came)
	return s
}

func (s *ClassScores) reliability(all []Bin) {
	for i, b := range all {
		if b.Rows == 0 {
			continue
		}
		n := float64(b.Rows)
		b.From, b.To = float64(i)/bins, float64(i+1)/bins
		b.Confidence, b.Accuracy = b.Confidence/n, b.Accuracy/n
		s.CalibrationError += n / float64(s.Rows) * math.Abs(b.Confidence-b.Accuracy)
		s.Reliability = append(s.Reliability, b)
	}
}

func (s *ClassScores) singleDraws(likeliest [][]uint16, came []int) {
	for _, of := range likeliest {
		right := 0.0
		for row, k := range came {
			right += indicator(int(of[row]) == k) / float64(len(came))
		}
		s.BestDraw = math.Max(s.BestDraw, right)
		s.MeanDraw += right / float64(len(likeliest))
	}
}

// LogScores accumulates the densities of the observed outcomes over draws. For each row, top is the largest log
// density, sum is the sum of the densities divided by exp(top), and draws is their number.
type LogScores struct{ top, sum, draws []float64 }

// NewLogScores returns an empty LogScores.
func NewLogScores(rows int) *LogScores {
	return &LogScores{top: slices.Repeat([]float64{math.Inf(-1)}, rows), sum: make([]float64, rows),
		draws: make([]float64, rows)}
}

// Add adds a draw's log density of a row.
func (l *LogScores) Add(row int, density float64) {
	l.draws[row]++
	if density <= l.top[row] {
		if !math.IsInf(density, -1) {
			l.sum[row] += math.Exp(density - l.top[row])
		}
		return
	}
	l.sum[row] = l.sum[row]*math.Exp(l.top[row]-density) + 1
	l.top[row] = density
}

// Row returns the log of the mean density of a row.
func (l *LogScores) Row(row int) float64 { return l.top[row] + math.Log(l.sum[row]/l.draws[row]) }

// Mean returns the mean of Row over the rows, and its standard error.
func (l *LogScores) Mean() (mean, err float64) {
	var m moments
	for row := range l.sum {
		m.add(l.Row(row))
	}
	return m.mean(), m.error()
}

// NumberScores measures how well numbers were predicted.
type NumberScores struct {
	Rows, Draws          int
	RMSE, MAE            float64 // errors of the predictive mean and of the predictive median
	CRPS                 float64 // mean continuous ranked probability score, in the unit of the outcome
	Covered50, Covered90 float64 // share of rows inside the central intervals
	LogScore             float64 // mean log density of the outcomes; the caller sets it, with its standard error
	LogScoreError        float64
}

// Add adds rows: for each, draws from its predictive distribution, which Add sorts in place, and the observed value.
// The fields hold sums until Total is called.
func (s *NumberScores) Add(drawn [][]float64, came []float64) {
	for row, xs := range drawn {
		slices.Sort(xs)
		y, mean := came[row], 0.0
		for _, x := range xs {
			mean += x / float64(len(xs))
		}
		s.Rows, s.Draws = s.Rows+1, len(xs)
		s.RMSE += square(mean - y)
		s.MAE += math.Abs(quantile(xs, 0.5) - y)
		s.CRPS += crps(xs, y)
		s.Covered50 += indicator(quantile(xs, 0.25) <= y && y <= quantile(xs, 0.75))
		s.Covered90 += indicator(quantile(xs, 0.05) <= y && y <= quantile(xs, 0.95))
	}
}

// Total returns the scores with sums replaced by means.
func (s NumberScores) Total() NumberScores {
	n := float64(s.Rows)
	s.RMSE, s.MAE, s.CRPS = math.Sqrt(s.RMSE/n), s.MAE/n, s.CRPS/n
	s.Covered50, s.Covered90 = s.Covered50/n, s.Covered90/n
	return s
}

// crps returns E|X − y| − E|X − X'|/2 over sorted draws, where X and X' are different draws.
func crps(xs []float64, y float64) float64 {
	n := float64(len(xs))
	off, spread := 0.0, 0.0
	for i, x := range xs {
		off += math.Abs(x-y) / n
		spread += (2*float64(i) + 1 - n) * x
	}
	if n < 2 {
		return off
	}
	return off - spread/(n*(n-1))
}

// quantile returns the quantile p of sorted numbers, with linear interpolation.
func quantile(xs []float64, p float64) float64 {
	at := p * float64(len(xs)-1)
	i := int(at)
	if i+1 >= len(xs) {
		return xs[len(xs)-1]
	}
	return xs[i] + (at-float64(i))*(xs[i+1]-xs[i])
}

func entropy(p []float64) (h float64) {
	for _, v := range p {
		if v > 0 {
			h -= v * math.Log(v)
		}
	}
	return h
}

// largest returns the index of the largest number, the first among equals.
func largest(xs []float64) (at int) {
	for k, v := range xs {
		if v > xs[at] {
			at = k
		}
	}
	return at
}

func square(x float64) float64 { return x * x }

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// moments accumulates the count, sum and sum of squares of numbers.
type moments struct{ n, sum, squares float64 }

func (m *moments) add(x float64) { m.n, m.sum, m.squares = m.n+1, m.sum+x, m.squares+x*x }

func (m *moments) mean() float64 { return m.sum / m.n }

// error returns the standard error of the mean.
func (m *moments) error() float64 {
	return math.Sqrt(math.Max(m.squares/m.n-m.mean()*m.mean(), 0) / math.Max(m.n-1, 1))
}
