// Posteriordb runs ppl at default settings on the posteriors of posteriordb (Magnusson et al. 2025), and compares the
// results with reference draws where these exist.
//
//	go run ./experiments/posteriordb -db PATH/posterior_database [-only NAME,…] [-seeds 1] [-limit 2m] [-ppl PATH]
//		[-stan]
//
// PATH is a clone of github.com/stan-dev/posteriordb. Models are models/MODEL.ppl, or those of compiler/testdata/stan,
// whose densities and gradients agree with Stan's. With -stan, models are the unchanged Stan programs of the database,
// of the posteriors with reference draws, and the table is written to STAN.md; otherwise to RESULTS.md. Results are
// appended to a file, one JSON object per line, and runs in the file are not repeated, so that an interrupted command
// can continue. With -peers, the program writes PEERS.md from the results of peers.py, which compares ppl with Stan and
// nutpie.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ppl/experiments/lab"
	"ppl/posterior/store"
)

const home = "experiments/posteriordb"

func main() {
	log.SetFlags(0)
	db := flag.String("db", "", "`directory` posterior_database of a clone of posteriordb")
	only := flag.String("only", "", "posteriors, separated by commas; all if empty")
	seeds := flag.Int("seeds", 1, "seeds 1 to `N`")
	limit := flag.Duration("limit", 2*time.Minute, "time limit of a run")
	ppl := flag.String("ppl", "", "`path` of the command to measure; built if empty")
	runs := flag.String("runs", filepath.Join(os.TempDir(), "posteriordb.jsonl"), "`file` of the runs done")
	peers := flag.String("peers", "", "`file` that peers.py wrote: judge its runs, and write PEERS.md")
	programs := flag.Bool("stan", false, "sample the programs of Stan")
	flag.Parse()
	e := experiment{db: *db, ppl: *ppl, limit: *limit, runs: *runs, modelFile: modelFile, page: "RESULTS.md",
		models: "Models are written in the language."}
	if *programs {
		e.page, e.modelFile, e.referenced = "STAN.md", e.program, true
		e.models, e.flags = "Models are the database's programs of Stan, as they are.", " -stan"
	}
	work := func() error { return e.measure(*only, *seeds) }
	if *peers != "" {
		work = func() error { return e.compare(*peers) }
	}
	if err := work(); err != nil {
		log.Fatal(err)
	}
}

// An experiment has the options of the program.
type experiment struct {
	db, ppl, runs string
	limit         time.Duration
	dir           string // temporary directory for data and runs
	page          string // file name of the table
	models, flags string // description of the models in the page, and the flags of this program
	referenced    bool   // only posteriors with reference draws
	modelFile     func(name string) (path string, err error)
}

// A posterior is a model with data.
type posterior struct {
	Name      string `json:"name"`
	Model     string `json:"model_name"`
	Data      string `json:"data_name"`
	Reference string `json:"reference_posterior_name"` // "" if there is none
}

// A run is one line of the results file.
type run struct {
	Posterior  string   `json:"posterior"`
	Seed       int      `json:"seed"`
	Exit       int      `json:"exit"` // exit status; −1: time limit exceeded
	Said       string   `json:"said,omitempty"`
	Parameters int      `json:"parameters"`
	RHat       float64  `json:"rhat"`
	ESS        float64  `json:"ess"` // minimum of bulk and tail ESS over all parameters
	Warnings   []string `json:"warnings,omitempty"`
	Gradients  int64    `json:"gradients"`
	Seconds    float64  `json:"seconds"` // processor time
	Compared   int      `json:"compared"`
	Wrong      string   `json:"wrong,omitempty"` // the quantity that is farthest from the reference, if it is wrong
	LogRatio   float64  `json:"sd_log_ratio"`    // largest log ratio of a standard deviation to that of the reference
}

// flagged reports whether the run warns that its draws are unreliable.
func (r run) flagged() bool { return r.RHat > 1.01 || len(r.Warnings) > 0 }

func (r run) verdict() string {
	out := "converged"
	switch {
	case r.Exit == -1:
		return "out of time"
	case r.Exit != 0:
		return "refused"
	case r.Wrong != "":
		out = "wrong"
	case r.Compared > 0:
		out = "right"
	}
	if r.flagged() {
		out += ", flagged"
	}
	return out
}

func (e *experiment) measure(only string, seeds int) (err error) {
	all, err := e.posteriors()
	if err != nil {
		return err
	}
	if e.referenced {
		all = slices.DeleteFunc(all, func(p posterior) bool { return p.Reference == "" })
	}
	if e.dir, err = os.MkdirTemp("", "ppl-posteriordb-"); err != nil {
		return err
	}
	defer os.RemoveAll(e.dir)
	if e.ppl, err = lab.Built(e.ppl, e.dir); err != nil {
		return err
	}
	done, err := lab.ReadRuns[run](e.runs)
	if err != nil {
		return err
	}
	for seed := 1; seed <= seeds; seed++ {
		for _, p := range all {
			known := slices.ContainsFunc(done, func(r run) bool { return r.Posterior == p.Name && r.Seed == seed })
			if known || only != "" && !slices.Contains(strings.Split(only, ","), p.Name) {
				continue
			}
			r, err := e.sample(p, seed)
			if errors.Is(err, os.ErrNotExist) {
				log.Printf("%s: left out: %v", p.Name, err)
				continue
			} else if err != nil {
				return err
			}
			log.Printf("%s %d: %s %s", p.Name, seed, r.verdict(), r.Wrong)
			if err := lab.AddRun(e.runs, r); err != nil {
				return err
			}
			done = append(done, r)
		}
	}
	return os.WriteFile(filepath.Join(home, e.page), []byte(page(all, done, e.models, e.flags)),
		0o666)
}

// posteriors lists the posteriors of the database. Those with reference draws come first.
func (e *experiment) posteriors() ([]posterior, error) {
	files, err := filepath.Glob(filepath.Join(e.db, "posteriors", "*.json"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("there are no posteriors in %q (-db): %w", e.db, errors.Join(err, os.ErrNotExist))
	}
	var with, without []posterior
	for _, f := range files {
		var p posterior
		text, err := os.ReadFile(f)
		if err == nil {
			err = json.Unmarshal(text, &p)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		if p.Reference != "" {
			with = append(with, p)
		} else {
			without = append(without, p)
		}
	}
	return append(with, without...), nil
}

// sameModel maps a model of the database to another with the same text.
var sameModel = map[string]string{"covid19imperial_v3": "covid19imperial_v2"}

// modelFile returns the path of a model in the language.
func modelFile(name string) (path string, err error) {
	if other, ok := sameModel[name]; ok {
		name = other
	}
	path = filepath.Join(home, "models", name+".ppl")
	if _, err = os.Stat(path); err != nil {
		path = filepath.Join("compiler/testdata/stan", name+".ppl")
		_, err = os.Stat(path)
	}
	return path, err
}

// program returns the path of the Stan program of a model.
func (e *experiment) program(name string) (path string, err error) {
	path = filepath.Join(e.db, "models", "stan", name+".stan")
	_, err = os.Stat(path)
	return path, err
}

// A summary is the part of the output of ppl sample --json that this program reads.
type summary struct {
	Gradients  int64           `json:"gradients"`
	Warnings   []store.Warning `json:"warnings"`
	Parameters []element       `json:"parameters"`
}

// An element is an element of a parameter. Its statistics are nil if it is constant.
type element struct {
	Name string   `json:"name"`
	Mean *float64 `json:"mean"`
	SD   *float64 `json:"sd"`
	MCSE *float64 `json:"mcse_mean"`
	Q5   *float64 `json:"q5"`
	Q50  *float64 `json:"q50"`
	Q95  *float64 `json:"q95"`
	Bulk *float64 `json:"ess_bulk"`
	Tail *float64 `json:"ess_tail"`
	RHat *float64 `json:"rhat"`
}

// constant reports whether an element lacks statistics, because all its draws are equal.
func (x element) constant() bool {
	return slices.Contains([]*float64{x.Mean, x.SD, x.MCSE, x.Q5, x.Q50, x.Q95, x.Bulk, x.Tail, x.RHat}, nil)
}

func (e *experiment) sample(p posterior, seed int) (run, error) {
	model, err := e.modelFile(p.Model)
	if err != nil {
		return run{}, err
	}
	text, err := unzipped(filepath.Join(e.db, "data/data", p.Data+".json.zip"))
	if err != nil {
		return run{}, err
	}
	data := filepath.Join(e.dir, "data.json")
	if err := os.WriteFile(data, text, 0o666); err != nil {
		return run{}, err
	}
	ref, err := e.reference(p)
	if err != nil {
		return run{}, err
	}
	out := filepath.Join(e.dir, "run")
	defer os.RemoveAll(out)
	ran, err := lab.Within(e.limit, e.ppl, "sample", model, "--data", data, "--json", "--quiet", "--threads", "1",
		"--seed", strconv.Itoa(seed), "--out", out)
	r := run{Posterior: p.Name, Seed: seed, Exit: ran.Exit, Said: ran.Said, Seconds: ran.CPU.Seconds()}
	if err != nil || r.Exit != 0 {
		return r, err
	}
	var s summary
	if err := json.Unmarshal(ran.Printed, &s); err != nil {
		return r, err
	}
	r.judge(s, ref)
	return r, nil
}
