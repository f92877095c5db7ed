// Whole times runs from the command to its end, by ppl and other systems, and writes bench/WHOLE.md: processor time,
// effective draws, the share of the time in compiled code, and memory; and gradients by the number of parameters.
//
//	go run ./bench/whole -ppl ./ppl -work DIR                                  ppl alone
//	go run ./bench/whole -ppl ./ppl -work DIR -python PEERS/bin/python         and the others
//	go run ./bench/whole … -systems "ppl renhd;nutpie" -targets "radon;item"    these again, the rest from DIR
//	go run ./bench/whole -work DIR -growth                                     gradients of 100 to 100,000 parameters
//
// DIR keeps what each run has shown. Rows of the table that it has nothing of, and the text below, stay as they are, so
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

// A bench is one call of the program.
type bench struct {
	ppl, work, python string
	limit             time.Duration // of a run
}

// systems returns the columns of comparisons, in the order of the table.
func systems() []string {
	return []string{"ppl renhd", "ppl nuts", "nutpie", "numpyro", "blackjax", "stan"}
}

func main() {
	b := bench{}
	flag.StringVar(&b.ppl, "ppl", "ppl", "the `program`")
	flag.StringVar(&b.work, "work", "bench/.whole", "the `folder` that keeps results")
	flag.StringVar(&b.python, "python", "",
		"a Python `program` with the packages of bench/peers/requirements.txt; none: ppl alone")
	flag.DurationVar(&b.limit, "limit", 10*time.Minute, "`time` after which a run is ended")
	seeds := flag.Int("seeds", 3, "`runs` of each")
	only := flag.String("systems", "", "`names` of systems to run, with semicolons between them; none: all")
	of := flag.String("targets", "", "`names` of targets, likewise")
	table := flag.String("table", "bench/WHOLE.md", "the `file` to write")
	growth := flag.Bool("growth", false, "time gradients of models with more and more parameters instead")
	flag.Parse()
	measure := func() error { return b.run(*seeds, *only, *of) }
	if *growth {
		measure = b.growth
	}
	work, err := filepath.Abs(b.work) // so that a cache there has an absolute path, without which it is not used
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

// wanted reports whether a name is in a list, separated by semicolons since names have commas, or the list is empty.
func wanted(list, name string) bool {
	return list == "" || slices.Contains(strings.Split(list, ";"), name)
}

// measure runs a system on a target, and keeps what it has shown. A run that fails is a row of the table.
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

// runs returns the results of a system's runs on a target, from earlier runs if there are any.
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
