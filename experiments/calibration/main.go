// Calibration checks draws of the examples by simulation: parameters are drawn from the prior, data given them, and
// `ppl sample` draws from the posterior given these data at default settings. The rank of the parameters among the
// draws is uniform if draws are right (Talts, Betancourt, Simpson, Vehtari, Gelman 2018), and so is that of the log
// likelihood, which sees more (Modrák et al. 2023).
//
//	go run ./experiments/calibration [-replicates 100] [-only NAME,…] [-samplers NAME,…] [-runs FILE]
//	go run ./experiments/calibration -random 300 [-planted] [-first 0] [-replicates 20] [-samplers NAME,…]
//	    [-runs FILE]
//
// It writes experiments/calibration/RESULTS.md; with -random, of that many random hierarchical models instead of
// the examples, RANDOM.md (random.go). With -planted their posteriors are sampled with a scale that is half as wide,
// which has to show, and a table is printed. Runs are appended to a file, a JSON object a line, and those that are in
// it already are not repeated, so that an interrupted command continues where it was.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ppl/experiments/lab"
)

const home = "experiments/calibration"

// A run is one line of the file of runs: a data set from the prior, and what one sampler made of it.
type run struct {
	Model     string             `json:"model"`
	Sampler   string             `json:"sampler"`
	Replicate int                `json:"replicate"`
	Ranks     map[string]float64 `json:"ranks"` // by element, as a share of the draws; none where a run failed
	Warnings  []string           `json:"warnings"`
	RHat      float64            `json:"rhat"`
	Seconds   float64            `json:"seconds"` // of a processor
	Said      string             `json:"said,omitempty"`
	Overtime  bool               `json:"overtime,omitempty"` // it was stopped at the limit of processor time
}

func main() {
	log.SetFlags(0)
	replicates := flag.Int("replicates", 100, "data sets of each model")
	first := flag.Int("first", 0, "`number` of the data set to begin with, where earlier ones were run elsewhere")
	only := flag.String("only", "", "models, separated by commas; all if empty")
	file := flag.String("runs", filepath.Join(os.TempDir(), "calibration.jsonl"), "`file` of the runs done")
	random := flag.Int("random", 0, "`number` of random models; 0: the examples")
	planted := flag.Bool("planted", false, "sample random models with a wrong density")
	by := flag.String("samplers", "", "samplers, separated by commas; all if empty")
	limit := flag.Duration("limit", 5*time.Minute, "processor time of a run, at which it is stopped and counted")
	flag.Parse()
	q := request{*first, *replicates, chosen(*only), chosen(*by), *random, *planted, *file, *limit}
	if err := q.measure(); err != nil {
		log.Fatal(err)
	}
}

// A request is what is to be measured.
type request struct {
	first      int // of the data sets
	replicates int
	models     func(name string) bool
	samplers   func(name string) bool
	random     int
	planted    bool
	file       string // of the runs
	limit      time.Duration
}

// chosen reports which names are among those of a list; all if it is empty.
func chosen(list string) func(name string) bool {
	return func(name string) bool { return list == "" || slices.Contains(strings.Split(list, ","), name) }
}

// measure makes the runs that are missing, one data set of every model after another, and writes the table.
func (q request) measure() error {
	bench, err := lab.Open()
	if err != nil {
		return err
	}
	defer bench.Close()
	models := examples()
	if q.random > 0 {
		if models, err = randomModels(bench, q.random, q.planted); err != nil {
			return err
		}
	}
	done, err := q.run(experiment{bench, q.limit, map[string]prior{}}, models)
	switch {
	case err != nil:
		return err
	case q.random > 0:
		return writeRandom(done, q.planted)
	}
	return write(done)
}

// run makes the runs that are missing and gives all.
func (q request) run(e experiment, models []model) ([]run, error) {
	done, err := lab.ReadRuns[run](q.file)
	if err != nil {
		return nil, err
	}
	for replicate := q.first; replicate < q.replicates; replicate++ {
		for _, m := range models {
			for _, s := range samplers() {
				same := func(r run) bool {
					return r.Model == m.name && r.Sampler == s.name && r.Replicate == replicate
				}
				if !q.models(m.name) || !q.samplers(s.name) || !s.takes(m) || slices.ContainsFunc(done, same) {
					continue
				}
				r, err := e.sample(m, s, replicate)
				if err != nil {
					return nil, fmt.Errorf("%s by %s, data set %d: %w", m.name, s.name, replicate, err)
				}
				if err := lab.AddRun(q.file, r); err != nil {
					return nil, err
				}
				done = append(done, r)
				log.Printf("%s by %s, data set %d: %.1f s %v", m.name, s.name, replicate, r.Seconds, r.Warnings)
			}
		}
	}
	return done, nil
}

// write makes the page.
func write(done []run) error {
	t := lab.Table{Columns: []string{"model", "sampler", "data sets", "failed", "flagged", "numbers", "least p",
		"of", "p of the least", "processor s"}}
	least := 1.0
	for _, m := range examples() {
		for _, s := range samplers() {
			of := slices.DeleteFunc(slices.Clone(done), func(r run) bool {
				return r.Model != m.name || r.Sampler != s.name
			})
			if len(of) == 0 {
				continue
			}
			c := calibrated(of)
			t.Add(m.name, s.name, len(of), c.failed, c.flagged, c.numbers, c.p, "`"+c.worst+"`", c.adjusted(),
				c.seconds)
			least = min(least, c.adjusted())
		}
	}
	return lab.Section(filepath.Join(home, "RESULTS.md"), fmt.Sprintf(preface, lab.Machine()), "Ranks",
		fmt.Sprintf(about, bins, bins-1, t.String(), least))
}

// A calibration is what ranks say of a model and a sampler.
type calibration struct {
	failed, flagged int     // runs
	numbers         int     // whose ranks were looked at
	p               float64 // the least over them, of χ²
	worst           string
	seconds         float64 // the median of a run
}

const bins = 10

// adjusted returns the chance that the least p of that many is as small (Bonferroni's bound).
func (c calibration) adjusted() float64 { return min(1, c.p*float64(c.numbers)) }

func calibrated(runs []run) calibration {
	c := calibration{p: 1}
	counts, seconds := map[string][]float64{}, []float64{}
	for _, r := range runs {
		seconds = append(seconds, r.Seconds)
		switch {
		case r.Ranks == nil:
			c.failed++
		case r.RHat > 1.01 || len(r.Warnings) > 0:
			c.flagged++
		}
		for name, rank := range r.Ranks {
			if counts[name] == nil {
				counts[name] = make([]float64, bins)
			}
			counts[name][min(int(rank*bins), bins-1)]++
		}
	}
	c.numbers, c.seconds = len(counts), lab.Median(seconds)
	for name, n := range counts {
		if _, p := lab.Uniform(n); p < c.p || p == c.p && name < c.worst {
			c.p, c.worst = p, name
		}
	}
	return c
}

// rank returns where a true value lies among draws, as a share of them, at random among those that are equal to it.
func rank(truth float64, draws []float64, r *rand.Rand) (float64, error) {
	if math.IsNaN(truth) || len(draws) == 0 {
		return 0, errors.New("no value to rank, or nothing to rank it among")
	}
	below, equal := 0, 0
	for _, x := range draws {
		switch {
		case x < truth:
			below++
		case x == truth:
			equal++
		}
	}
	place := below + r.IntN(equal+1)
	return (float64(place) + r.Float64()) / float64(len(draws)+1), nil
}
