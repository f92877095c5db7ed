// Hmctruth compares the predictive distributions of fast methods for networks with those of long Hamiltonian Monte
// Carlo runs, as Izmailov, Vikram, Hoffman and Wilson (ICML 2021) do, on a perceptron that is small enough for such
// runs.
//
//	go run ./experiments/hmctruth
//
// It writes experiments/hmctruth/RESULTS.md.
package main

import (
	"bytes"
	"encoding/csv"
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"time"

	"ppl/experiments/lab"
)

const (
	home  = "experiments/hmctruth"
	model = home + "/spiral.ppl"
	// number of training rows, and of rows to predict
	learned, predicted = 500, 1000
)

func main() {
	log.SetFlags(0)
	draws := flag.Int("draws", 500, "draws of each of four chains of the truth, after as many of warm-up")
	seeds := flag.Int("seeds", 3, "seeds of the other methods")
	flag.Parse()
	if err := run(*draws, *seeds); err != nil {
		log.Fatal(err)
	}
}

// A method is a name with arguments of ppl. Model, data, seed and directory are added to the arguments.
type method struct{ name, args string }

func methods() []method {
	return []method{
		{"one optimum", "optimize --method adam --batch 50 --stop-after 20 --iterations 4000 --starts 1"},
		{"ensemble of 10 optima", "optimize --method adam --batch 50 --stop-after 20 --iterations 4000 --starts 10"},
		{"ensemble of 10 optima, AdamW", "optimize --method adamw --batch 50 --stop-after 20 --iterations 4000 " +
			"--starts 10"},
		{"sgld, 10 chains", "sample --sampler sgld --set batch=50 --chains 10 --draws 100"},
		{"csgld, 10 chains", "sample --sampler csgld --set batch=50 --chains 10 --draws 100"},
		{"renhd, 10 chains", "sample --sampler renhd --set batch=50 --chains 10 --draws 100"},
		{"renhd, 10 chains, ten times as long", "sample --sampler renhd --set batch=50 --chains 10 --draws 1000"},
	}
}

func run(draws, seeds int) error {
	bench, err := lab.Open()
	if err != nil {
		return err
	}
	defer bench.Close()
	e := &experiment{Bench: bench}
	if err := e.writeData(); err != nil {
		return err
	}
	hmc := method{"HMC, another run", fmt.Sprintf("sample --sampler nuts --chains 4 --warmup %d --draws %[1]d", draws)}
	truth, _, err := e.predict(hmc, 1)
	if err != nil {
		return err
	}
	t := lab.Table{Columns: []string{"method", "processor s", "accuracy", "log likelihood", "agreement",
		"total variation", "agreement beyond the data", "total variation there"}}
	for _, m := range append([]method{hmc}, methods()...) {
		of := seeds
		if m == hmc {
			of = 1
		}
		var rows []row
		for seed := range of {
			at, cpu, err := e.predict(m, seed+2)
			if err != nil {
				return err
			}
			rows = append(rows, newRow(at, truth, cpu))
			log.Printf("%s, seed %d: %+v", m.name, seed+2, rows[seed])
		}
		mean := meanOf(rows)
		t.Add(m.name, mean.seconds, mean.accuracy, mean.logLik, mean.near.agreement, mean.near.variation,
			mean.far.agreement, mean.far.variation)
	}
	text := fmt.Sprintf(preface, lab.Machine())
	return lab.Section(filepath.Join(home, "RESULTS.md"), text, "Predictions", fmt.Sprintf(about, draws, seeds,
		t.String()))
}

// An experiment writes training rows, test rows from the same distribution, and test rows far from the data.
type experiment struct{ *lab.Bench }

// rows are inputs with class labels.
type rows struct {
	X     [][2]float64 `json:"x"`
	Label []int        `json:"label"`
}

func (e *experiment) writeData() error {
	r := rand.New(rand.NewPCG(20, 21))
	for _, part := range []struct {
		name string
		rows rows
	}{{"learned.json", spirals(r, learned)}, {"near.json", spirals(r, predicted)}, {"far.json", square(r, predicted)}} {
		if _, err := e.JSON(part.name, part.rows); err != nil {
			return err
		}
	}
	return nil
}

// spirals returns n points along three arms, one for each class, with normal noise of standard deviation .25 in both
// directions.
func spirals(r *rand.Rand, n int) (out rows) {
	for range n {
		k, along := r.IntN(3), r.Float64()
		angle, radius := 2*math.Pi*float64(k)/3+3.5*along, 0.3+2*along
		out.X = append(out.X, [2]float64{radius*math.Cos(angle) + 0.25*r.NormFloat64(),
			radius*math.Sin(angle) + 0.25*r.NormFloat64()})
		out.Label = append(out.Label, k)
	}
	return out
}

// square returns n points between −5 and 5, most of them far from the data. Their classes are not used.
func square(r *rand.Rand, n int) (out rows) {
	for range n {
		out.X = append(out.X, [2]float64{10*r.Float64() - 5, 10*r.Float64() - 5})
		out.Label = append(out.Label, 0)
	}
	return out
}

// predictions are predictive probabilities, averaged over draws.
type predictions struct {
	near, far [][]float64 // class probabilities by row
	labels    []int       // true classes of near
}

func (e *experiment) predict(m method, seed int) (p predictions, cpu time.Duration, err error) {
	dir, cpu, err := e.Fit(m.args, model, "learned.json", seed)
	if err != nil {
		return p, 0, err
	}
	if p.near, p.labels, err = e.probabilities(dir, "near.json"); err == nil {
		p.far, _, err = e.probabilities(dir, "far.json")
	}
	return p, cpu, err
}

func (e *experiment) probabilities(dir, at string) (all [][]float64, labels []int, err error) {
	text, _, err := e.Command("predict", dir, "--data", e.Path(at), "--csv", "--quiet")
	if err != nil {
		return nil, nil, err
	}
	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, nil, err
	}
	for _, line := range lines[1:] {
		var of []float64
		for _, cell := range line[1:] {
			x, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				return nil, nil, err
			}
			of = append(of, x)
		}
		labels, all = append(labels, int(of[0])), append(all, of[1:])
	}
	return all, labels, nil
}

// A row compares a method with the data and with the true predictions.
type row struct {
	seconds, accuracy, logLik float64
	near, far                 likeness
}

// A likeness compares two predictive distributions. agreement is the share of rows with the same most probable class.
// variation is the total variation distance, ½ Σ |p − q| over classes, averaged over rows.
type likeness struct{ agreement, variation float64 }

func newRow(p, truth predictions, cpu time.Duration) row {
	r := row{seconds: cpu.Seconds(), near: compare(p.near, truth.near), far: compare(p.far, truth.far)}
	for i, k := range p.labels {
		n := float64(len(p.labels))
		r.logLik += math.Log(p.near[i][k]) / n
		if most(p.near[i]) == k {
			r.accuracy += 1 / n
		}
	}
	return r
}

func compare(p, q [][]float64) (l likeness) {
	n := float64(len(p))
	for i := range p {
		if most(p[i]) == most(q[i]) {
			l.agreement += 1 / n
		}
		for k := range p[i] {
			l.variation += math.Abs(p[i][k]-q[i][k]) / (2 * n)
		}
	}
	return l
}

// most returns the most probable class.
func most(p []float64) (best int) {
	for k := range p {
		if p[k] > p[best] {
			best = k
		}
	}
	return best
}

func meanOf(rows []row) (m row) {
	n := float64(len(rows))
	for _, r := range rows {
		m.seconds += r.seconds / n
		m.accuracy += r.accuracy / n
		m.logLik += r.logLik / n
		m.near.agreement += r.near.agreement / n
		m.near.variation += r.near.variation / n
		m.far.agreement += r.far.agreement / n
		m.far.variation += r.far.variation / n
	}
	return m
}
