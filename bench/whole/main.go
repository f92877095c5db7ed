// Whole measures entire runs of ppl and other systems, from command line to result, and writes bench/WHOLE.md:
// processor time, effective draws, the share of the time in compiled code, and memory. With -growth it measures
// gradients against the number of parameters.
//
//	go run ./bench/whole -ppl ./ppl -work DIR                                  only ppl
//	go run ./bench/whole -ppl ./ppl -work DIR -python PEERS/bin/python         other systems too
//	go run ./bench/whole … -systems "ppl renhd;nutpie" -targets "radon;item"    only these, the rest from DIR
//	go run ./bench/whole -work DIR -growth                                     gradients of 100 to 100,000 parameters
//
// DIR stores the results of runs. Table rows without results in DIR, and the text below the table, are not changed, so
// that parts of the table can be measured again.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A bench has the options of the program.
type bench struct {
	ppl, work, python string
	limit             time.Duration // time limit of a run
}

// systems returns the compared systems, in the order of the table.
func systems() []string {
	return []string{"ppl renhd", "ppl nuts", "nutpie", "numpyro", "blackjax", "stan"}
}

func main() {
	b := bench{}
	flag.StringVar(&b.ppl, "ppl", "ppl", "the `program`")
	flag.StringVar(&b.work, "work", "bench/.whole", "`folder` in which results are stored")
	flag.StringVar(&b.python, "python", "",
		"Python `program` with the packages of bench/peers/requirements.txt; empty: measure only ppl")
	flag.DurationVar(&b.limit, "limit", 10*time.Minute, "`time` after which a run is ended")
	seeds := flag.Int("seeds", 3, "`number` of runs of each system on each target")
	only := flag.String("systems", "", "semicolon-separated `names` of the systems to run; empty: all")
	of := flag.String("targets", "", "semicolon-separated `names` of the targets; empty: all")
	table := flag.String("table", "bench/WHOLE.md", "`file` to which the table is written")
	growth := flag.Bool("growth", false, "instead, time gradients against the number of parameters")
	flag.Parse()
	measure := func() error { return b.run(*seeds, *only, *of) }
	if *growth {
		measure = b.growth
	}
	work, err := filepath.Abs(b.work) // an absolute path, because ppl ignores a cache with a relative path
	b.work = work
	if err == nil {
		err = os.MkdirAll(b.work, 0o755)
	}
	if err == nil {
		err = measure()
	}
	if err == nil {
		err = b.write(*table)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "whole:", err)
		os.Exit(1)
	}
}

func (b *bench) run(seeds int, only, of string) error {
	for _, t := range targets() {
		if !wanted(of, t.Name) {
			continue
		}
		for _, system := range systems() {
			if !wanted(only, system) || b.python == "" && !strings.HasPrefix(system, "ppl") {
				continue
			}
			for seed := 1; seed <= seeds; seed++ {
				if err := b.measure(t, system, seed); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// wanted reports whether a list contains a name or is empty. Semicolons separate the list, because names contain
// commas.
func wanted(list, name string) bool {
	return list == "" || slices.Contains(strings.Split(list, ";"), name)
}

// measure runs a system on a target and stores the result. A failed run is a result, too.
func (b *bench) measure(t target, system string, seed int) error {
	data, err := b.writeData(t)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), b.limit)
	defer cancel()
	var shown result
	if name, ours := strings.CutPrefix(system, "ppl "); ours {
		shown, err = b.ours(ctx, t, name, data, seed)
	} else {
		shown, err = b.theirs(ctx, t, system, data, seed)
	}
	if err != nil {
		shown = result{Failed: err.Error()}
		if ctx.Err() != nil {
			shown.Failed = fmt.Sprintf("over %v", b.limit)
		}
	}
	fmt.Printf("%-18s%-10s %d  %.2f s, %.2f s of sampling, ess %.0f, %.0f %% compiled, %.0f MB %s\n", t.Name, system,
		seed, shown.Processor, shown.Sampling, shown.ESS, 100*shown.Compiled, shown.Memory/1e6, shown.Failed)
	text, err := json.Marshal(shown)
	if err != nil {
		return err
	}
	return os.WriteFile(b.kept(t, system, seed), text, 0o644)
}

func (b *bench) kept(t target, system string, seed int) string {
	plain := strings.NewReplacer(" ", "-", ",", "")
	return filepath.Join(b.work, fmt.Sprintf("%s.%s.%d.json", plain.Replace(t.Name), plain.Replace(system), seed))
}

// runs returns the stored results of a system on a target.
func (b *bench) runs(t target, system string) (all []result, err error) {
	for seed := 1; ; seed++ {
		text, err := os.ReadFile(b.kept(t, system, seed))
		if errors.Is(err, fs.ErrNotExist) {
			return all, nil
		}
		var r result
		if err == nil {
			err = json.Unmarshal(text, &r)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
}

func (b *bench) writeData(t target) (path string, err error) {
	text, err := json.Marshal(t.Data)
	if err != nil {
		return "", err
	}
	path = filepath.Join(b.work, fmt.Sprintf("%s-%d.data.json", t.Model, t.Size))
	return path, os.WriteFile(path, text, 0o644)
}
