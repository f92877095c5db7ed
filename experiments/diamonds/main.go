// Diamonds compares a Bayesian network with linear regression and gradient boosting on the log prices of 5,000
// diamonds.
//
//	go run ./experiments/diamonds -data diamonds.json -python venv/bin/python
//
// The file is posteriordb's data set "diamonds"; Python needs scikit-learn. Diamonds writes
// experiments/diamonds/RESULTS.md.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"

	"ppl/experiments/lab"
)

const (
	home    = "experiments/diamonds"
	model   = home + "/network.ppl"
	learned = 4000
)

func main() {
	log.SetFlags(0)
	data := flag.String("data", "", "posteriordb's diamonds.json")
	python := flag.String("python", "python3", "a Python that has scikit-learn")
	flag.Parse()
	if *data == "" {
		log.Print("nothing to do: -data names posteriordb's diamonds.json")
		return
	}
	if err := run(*data, *python); err != nil {
		log.Fatal(err)
	}
}

// A score measures predictions of new rows. The JSON names are those in the output of others.py.
type score struct {
	Name       string  `json:"name"`
	RMSE       float64 `json:"rmse"`
	LogScore   float64 `json:"log_score"`
	LogError   float64 `json:"log_score_error"`
	Covered50  float64 `json:"covered_50"`
	Covered90  float64 `json:"covered_90"`
	processorS float64
}

// networks returns names and arguments for fitting the network. Model, data, seed and directory are added to the
// arguments.
func networks() [][2]string {
	return [][2]string{
		{"network, renhd, 10 chains of 100 draws", "sample --set batch=100 --chains 10 --draws 100"},
		{"network, renhd, 10 chains of 1,000 draws", "sample --set batch=100 --chains 10 --draws 1000"},
	}
}

func run(data, python string) error {
	bench, err := lab.Open()
	if err != nil {
		return err
	}
	defer bench.Close()
	old, sd, err := divide(bench, data)
	if err != nil {
		return err
	}
	others, err := exec.Command(python, filepath.Join(home, "others.py"), bench.Path("learned.json"),
		bench.Path("new.json")).Output()
	if err != nil {
		return err
	}
	var all []score
	if err := json.Unmarshal(others, &all); err != nil {
		return err
	}
	for _, n := range networks() {
		s, err := network(bench, n[0], n[1])
		if err != nil {
			return err
		}
		log.Printf("%+v", s)
		all = append(all, s)
	}
	t := lab.Table{Columns: []string{"method", "RMSE of log price", "log score", "in 50 % intervals",
		"in 90 % intervals", "processor s"}}
	for _, s := range all {
		seconds := any("–")
		if s.processorS > 0 {
			seconds = s.processorS
		}
		// converts densities of the standardised outcome to those of the log price
		t.Add(s.Name, s.RMSE*sd, fmt.Sprintf("%.3f ± %.3f", s.LogScore-math.Log(sd), s.LogError),
			fmt.Sprintf("%.3f", s.Covered50), fmt.Sprintf("%.3f", s.Covered90), seconds)
	}
	return lab.Section(filepath.Join(home, "RESULTS.md"), fmt.Sprintf(preface, lab.Machine()), "Predictions",
		fmt.Sprintf(about, learned, old-learned, t.String()))
}

// network fits the network and scores its predictions.
func network(bench *lab.Bench, name, args string) (score, error) {
	run, cpu, err := bench.Fit(args, model, "learned.json", 1)
	if err != nil {
		return score{}, err
	}
	text, _, err := bench.Command("predict", run, "--data", bench.Path("new.json"), "--json", "--quiet")
	if err != nil {
		return score{}, err
	}
	var of struct{ RMSE, LogScore, LogScoreError, Covered50, Covered90 float64 }
	err = json.Unmarshal(text, &of)
	return score{name, of.RMSE, of.LogScore, of.LogScoreError, of.Covered50, of.Covered90, cpu.Seconds()}, err
}

// A table has predictors and outcomes.
type table struct {
	X [][]float64 `json:"x"`
	Y []float64   `json:"y"`
}

// divide standardises the data by the mean and standard deviation of the training rows, and writes training and test
// rows to files. It returns the number of all rows and the standard deviation of the outcome.
func divide(bench *lab.Bench, data string) (rows int, sd float64, err error) {
	text, err := os.ReadFile(data)
	if err != nil {
		return 0, 0, err
	}
	var all struct {
		X [][]float64
		Y []float64
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return 0, 0, err
	}
	var t table
	for _, i := range rand.New(rand.NewPCG(1, 0)).Perm(len(all.Y)) {
		// without the first predictor, which is the constant 1
		t.X, t.Y = append(t.X, all.X[i][1:]), append(t.Y, all.Y[i])
	}
	sd = t.standardise(learned)
	for name, part := range map[string]table{"learned.json": {t.X[:learned], t.Y[:learned]},
		"new.json": {t.X[learned:], t.Y[learned:]}} {
		if _, err := bench.JSON(name, part); err != nil {
			return 0, 0, err
		}
	}
	return len(t.Y), sd, nil
}

// standardise shifts and scales columns so that their first n rows have mean 0 and standard deviation 1. It returns the
// previous standard deviation of the outcome.
func (t *table) standardise(n int) (sd float64) {
	for k := range t.X[0] {
		column := make([]float64, len(t.X))
		for i := range column {
			column[i] = t.X[i][k]
		}
		scale(column, n)
		for i := range column {
			t.X[i][k] = column[i]
		}
	}
	return scale(t.Y, n)
}

// scale standardises one column.
func scale(xs []float64, n int) (sd float64) {
	mean := 0.0
	for _, x := range xs[:n] {
		mean += x / float64(n)
	}
	for _, x := range xs[:n] {
		sd += (x - mean) * (x - mean) / float64(n)
	}
	sd = math.Sqrt(sd)
	for i := range xs {
		xs[i] = (xs[i] - mean) / sd
	}
	return sd
}
