// Fashion-mnist repeats a table of the paper that introduced RENHD (Luo et al. 2020): methods that train or sample a
// network on Fashion-MNIST (Xiao, Rasul, Vollgraf 2017), with 0, 20 and 30 % of the training labels permuted. The score
// is on the test set with correct labels.
//
//	go run ./experiments/fashion-mnist [-network mlp|lstm] [-gradients 5000] [-draws 50] [-seeds 1] [-only Adam,sgld]
//		[-device cuda -minutes 7]
//
// The images are those of Debian's package dataset-fashion-mnist, or in the directory -images. Budgets are not in time,
// so that results do not depend on the machine: optimisers compute -gradients gradients of batches of 128 rows in
// total; samplers optimise with Adam first, and then keep -draws draws in total. Larger budgets suit a GPU (-device
// cuda). Results are appended to runs.jsonl, one JSON object per line, and runs in the file are not repeated: an
// interrupted command can continue, and -minutes fills the table in parts, with renhd first. Runs use one thread.
// RESULTS.md shows the cells that have results.
package main

import (
	"embed"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ppl/experiments/lab"
)

const home = "experiments/fashion-mnist"

//go:embed mlp.ppl lstm.ppl
var models embed.FS

func main() {
	log.SetFlags(0)
	e := &experiment{}
	flag.StringVar(&e.network, "network", "mlp", "mlp or lstm")
	flag.IntVar(&e.gradients, "gradients", 5000, "`N` gradients of a batch for each optimum or ensemble")
	flag.IntVar(&e.draws, "draws", 50, "keep `N` draws of each sampler")
	flag.StringVar(&e.ppl, "ppl", "", "`path` of the command to measure; built if empty")
	flag.StringVar(&e.device, "device", "", "`device` of ppl; the processor if empty")
	flag.StringVar(&e.images, "images", "/usr/share/datasets/fashion-mnist", "`directory` of the images")
	seeds := flag.Int("seeds", 1, "seeds 1 to `N`")
	only := flag.String("only", "", "methods, separated by commas; all if empty")
	flag.StringVar(&e.runs, "runs", filepath.Join(home, "runs.jsonl"), "`file` of the runs done")
	flag.StringVar(&e.page, "page", filepath.Join(home, "RESULTS.md"), "`file` of the tables")
	minutes := flag.Float64("minutes", math.Inf(1), "end after `N` minutes at most")
	flag.Parse()
	e.left = clock(time.Now(), *minutes)
	if err := e.fill(*only, *seeds); err != nil {
		log.Fatal(err)
	}
}

// A budget limits the work of a cell.
type budget struct {
	Gradients int `json:"gradients"`
	Draws     int `json:"draws"`
}

// A method has a function that returns the arguments of ppl for a budget, and the accuracies that the paper reports, in
// percent, with 0, 20 and 30 % of the labels permuted.
type method struct {
	name  string
	args  func(budget) string
	paper string
}

// chains is the size of an ensemble.
const chains = 4

// optimum returns the arguments of an optimisation with several starts, which share the budget.
func optimum(rule string, starts int) func(budget) string {
	return func(b budget) string {
		return fmt.Sprintf("optimize --method %s --batch 128 --starts %d --iterations %d", rule, starts,
			b.Gradients/starts)
	}
}

// sampler returns the arguments of a sampler with several chains, which share the draws.
func sampler(name string, chains int) func(budget) string {
	return func(b budget) string {
		return fmt.Sprintf("sample --sampler %s --set batch=128 --chains %d --draws %d", name, chains,
			(b.Draws+chains-1)/chains)
	}
}

func methods() []method {
	return []method{
		{"Adam", optimum("adam", 1), "88.56, 87.93, 87.22"},
		{"momentum SGD", optimum("sgd", 1), "88.83, 88.05, 87.58"},
		{"deep ensemble", optimum("adam", chains), ""},
		{"sgld", sampler("sgld", 1), "89.01, 88.25, 87.85"},
		{"reld", sampler("reld", 1), "89.05, 88.31, 87.92"},
		{"sghmc", sampler("sghmc", 1), "89.12, 88.23, 87.89"},
		{"sgnht", sampler("sgnht", 1), "89.33, 88.76, 88.04"},
		{"tacthmc", sampler("tacthmc", 1), "89.74, 88.83, 88.78"},
		{"csgld", sampler("csgld", 1), ""},
		{"csghmc", sampler("csghmc", 1), ""},
		{"renhd", sampler("renhd", chains), "90.87, 89.45, 89.06"},
		{"renhd-paper", sampler("renhd-paper", 1), "90.87, 89.45, 89.06"},
	}
}

// shares returns the shares of permuted labels, in percent.
func shares() []int { return []int{0, 20, 30} }

// A cell is the configuration of a run.
type cell struct {
	Network  string `json:"network"`
	Method   string `json:"method"`
	Permuted int    `json:"permuted"`
	Seed     int    `json:"seed"`
	budget
	Device string `json:"device,omitempty"` // "" for the processor
}

// A run is one line of the results file.
type run struct {
	cell
	Seeds       int     `json:"seeds,omitempty"`   // the figures are means over this many seeds from Seed on; 0 means 1
	Refused     string  `json:"refused,omitempty"` // message of ppl, if the run failed
	Accuracy    float64 `json:"accuracy"`
	Log         float64 `json:"log"` // mean log likelihood of a row
	Calibration float64 `json:"calibration"`
	Seconds     float64 `json:"seconds"` // processor time, or elapsed time on another device
}

// An experiment has the options of the program.
type experiment struct {
	network, ppl     string
	device, images   string
	gradients, draws int
	runs, page       string // files
	dir              string // temporary directory for models and runs
	// left returns the number of seconds until the command has to end
	left func() float64
}

// clock returns a function that returns how many seconds are left of a number of minutes.
func clock(began time.Time, minutes float64) func() float64 {
	return func() float64 { return 60*minutes - time.Since(began).Seconds() }
}

// covers reports whether a run has the figures of a cell.
func (r run) covers(c cell) bool {
	same := r.cell
	same.Seed = c.Seed
	return same == c && r.Seed <= c.Seed && c.Seed < r.Seed+r.seeds()
}

// seeds returns the number of seeds that the figures of a run are means over.
func (r run) seeds() int { return max(1, r.Seeds) }

// expected returns the longest time of earlier runs of a cell's method and network on its device, in seconds.
func expected(done []run, c cell) (longest float64) {
	for _, r := range done {
		if r.Method == c.Method && r.Network == c.Network && r.Device == c.Device {
			longest = max(longest, r.Seconds)
		}
	}
	return longest
}

func (e *experiment) fill(only string, seeds int) (err error) {
	if e.dir, err = os.MkdirTemp("", "ppl-fashion-mnist-"); err != nil {
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
	for _, c := range e.cells(seeds) {
		known := slices.ContainsFunc(done, func(r run) bool { return r.covers(c) })
		if known || only != "" && !slices.Contains(strings.Split(only, ","), c.Method) {
			continue
		}
		if e.left() < expected(done, c) {
			log.Printf("no time for %+v: start again to continue", c)
			return nil
		}
		r, err := e.run(c)
		if err == nil {
			err = lab.AddRun(e.runs, r)
		}
		if err != nil {
			return err
		}
		log.Printf("%+v", r)
		done = append(done, r)
		if err := os.WriteFile(e.page, []byte(page(done)), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// cells returns the cells in the order in which they are run: all cells of a seed before the next seed, and of a seed
// those of renhd first.
func (e *experiment) cells(seeds int) (all []cell) {
	for seed := range seeds {
		for _, share := range shares() {
			for _, m := range methods() {
				all = append(all, cell{e.network, m.name, share, seed + 1, budget{e.gradients, e.draws}, e.device})
			}
		}
	}
	rank := func(c cell) int {
		if c.Method == "renhd" {
			return 2 * c.Seed
		}
		return 2*c.Seed + 1
	}
	slices.SortStableFunc(all, func(a, b cell) int { return rank(a) - rank(b) })
	return all
}

// run fits a cell and scores it on the test set.
func (e *experiment) run(c cell) (run, error) {
	r := run{cell: c}
	model := filepath.Join(e.dir, c.Network+".ppl")
	text, err := models.ReadFile(c.Network + ".ppl")
	if err != nil {
		return r, err
	}
	if err := os.WriteFile(model, []byte(permuted(string(text), c)), 0o666); err != nil {
		return r, err
	}
	m := methods()[slices.IndexFunc(methods(), func(m method) bool { return m.name == c.Method })]
	dir, words := filepath.Join(e.dir, "run"), strings.Fields(m.args(c.budget))
	if err := os.RemoveAll(dir); err != nil {
		return r, err
	}
	words = append(words, "--seed", strconv.Itoa(c.Seed), "--out", dir, "--quiet", "--threads", "1")
	if c.Device != "" {
		words = append(words, "--device", c.Device)
	}
	began := time.Now()
	fit, err := lab.Command(e.ppl, append(e.data("train", words[0], model), words[1:]...)...)
	_, missing := os.Stat(dir)
	// optimize writes its result even if it did not converge
	if kept := words[0] == "optimize" && missing == nil; err != nil || fit.Exit != 0 && !kept {
		r.Refused = fit.Said
		return r, err
	}
	r.Seconds = fit.CPU.Seconds()
	if c.Device != "" {
		r.Seconds = time.Since(began).Seconds()
	}
	score, err := lab.Command(e.ppl, append(e.data("t10k", "predict", dir), "--json", "--quiet")...)
	if err != nil || score.Exit != 0 {
		r.Refused = score.Said
		return r, err
	}
	var s struct{ Accuracy, LogScore, CalibrationError float64 }
	err = json.Unmarshal(score.Printed, &s)
	r.Accuracy, r.Log, r.Calibration = s.Accuracy, s.LogScore, s.CalibrationError
	return r, err
}

// data appends arguments of ppl for the images and labels of a part of the data.
func (e *experiment) data(part string, args ...string) []string {
	return append(args, "--data", "image="+filepath.Join(e.images, part+"-images-idx3-ubyte.gz"), "--data",
		"label="+filepath.Join(e.images, part+"-labels-idx1-ubyte.gz"))
}

// permuted changes a model so that a share of its labels is permuted.
func permuted(model string, c cell) string {
	const labels = "label[N]: index(0..9)"
	if c.Permuted == 0 {
		return model
	}
	order := fmt.Sprintf(" permute %g seed %d", float64(c.Permuted)/100, c.Seed)
	return strings.Replace(model, labels, labels+order, 1)
}
