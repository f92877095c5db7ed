// Fivemodes repeats and extends the paper's synthetic experiment: a mixture of five normals in the plane, with noise of
// variance .25 in gradients and potentials, three geometries, and every sampler of the paper with the same number of
// gradients.
//
//	go run ./experiments/fivemodes [-work 5e6] [-seeds 2] [-parts geo0,geo1,geo2,cost]
//
// It writes experiments/fivemodes/RESULTS.md and a figure of histograms for each geometry.
package main

import (
	"flag"
	"fmt"
	"log"
	"path/filepath"
	"slices"
	"strings"

	"ppl/experiments/lab"
)

const home = "experiments/fivemodes"

// A contender is a sampler with its settings.
type contender struct{ name, settings string }

// The reference settings: noise; ε = .01, c = .1, N = 50 in the target's coordinates; seven rungs, τ = 1.5. Samplers
// with one temperature record only every 200 steps, because they take more steps.
const (
	noisy  = "--sampler %s --set noise=.25"
	walker = noisy + " --warmup 250 --set step_size=.1 --set friction=.1 --set metric=identity"
	ladder = walker + " --set steps=50 --set replicas=7 --set ratio=1.5 --set path=energy"
	alone  = walker + " --set steps=200"
)

func contenders() []contender {
	return []contender{
		{"renhd", fmt.Sprintf(noisy, "renhd")},
		{"renhd R2", fmt.Sprintf(ladder, "renhd")},
		{"renhd R1", fmt.Sprintf(ladder, "renhd") + " --set exchange=barker"},
		{"renhd-paper", fmt.Sprintf(ladder, "renhd-paper")},
		{"tacthmc", fmt.Sprintf(walker, "tacthmc") + " --set steps=50"},
		{"reld", fmt.Sprintf(ladder, "reld")},
		{"reld-paper", fmt.Sprintf(ladder, "reld") + " --set dynamics=reld-paper"},
		{"sgnht", fmt.Sprintf(alone, "sgnht")},
		{"sghmc", fmt.Sprintf(alone, "sghmc")},
		{"sgld", fmt.Sprintf(alone, "sgld")},
		{"csghmc", fmt.Sprintf(alone, "csghmc")},
		{"flow", "--sampler flow"},
	}
}

// A result is one run of a contender.
type result struct {
	score
	lab.Spent
}

func main() {
	log.SetFlags(0)
	work := flag.Float64("work", 5e6, "gradients of a run after warm-up")
	seeds := flag.Int("seeds", 2, "seeds 1 to `N`")
	parts := flag.String("parts", "geo0,geo1,geo2,cost", "what to do")
	flag.Parse()
	if err := run(*work, *seeds, strings.Split(*parts, ",")); err != nil {
		log.Fatal(err)
	}
}

func run(work float64, seeds int, parts []string) error {
	bench, err := lab.Open()
	if err != nil {
		return err
	}
	defer bench.Close()
	for _, part := range parts {
		heading, body := "Cost of a step", ""
		if part == "cost" {
			body, err = costs(bench)
		} else {
			heading = part
			body, err = geometry(bench, part, work, seeds)
		}
		if err != nil {
			return err
		}
		if err := lab.Section(filepath.Join(home, "RESULTS.md"), fmt.Sprintf(preface, work, seeds, lab.Machine()),
			heading, body); err != nil {
			return err
		}
	}
	return nil
}

// geometry compares all contenders on one mixture.
func geometry(bench *lab.Bench, name string, work float64, seeds int) (string, error) {
	at := slices.IndexFunc(mixtures(), func(m mixture) bool { return m.name == name })
	if at < 0 {
		return "", fmt.Errorf("there is no part %q", name)
	}
	m, results := mixtures()[at], map[string][]result{}
	for seed := 1; seed <= seeds; seed++ { // samplers take turns, so that other load on the machine affects all of them
		for _, c := range contenders() {
			r, err := measure(bench, m, c, work, seed)
			if err != nil {
				return "", err
			}
			results[c.name] = append(results[c.name], r)
			log.Printf("%s, seed %d, %s: weights off by %.3f, ESS %.0f", m.name, seed, c.name, r.weight, r.ess)
		}
	}
	return fmt.Sprintf("%s\n%s\n![histograms](%s.png)\n", table(results), comparison(results), m.name),
		figure(m, results)
}

// costs compares the time of a step of one walker on geo0. Runs have long trajectories of 28 walkers, to measure only
// steps; samplers take turns.
func costs(bench *lab.Bench) (string, error) {
	const long = " --warmup 0 --set noise=.25 --set steps=1000 --set step_size=.01 --set friction=.1 --set " +
		"metric=identity"
	alone, together := long+" --chains 28", long+" --set replicas=7 --set ratio=1.5 --set path=energy"
	rows := []contender{{"renhd-paper", "--sampler renhd-paper" + together}, {"renhd R2", "--sampler renhd" + together},
		{"sgnht", "--sampler sgnht" + alone}, {"tacthmc", "--sampler tacthmc" + alone}}
	prices := map[string][]float64{}
	for range 3 {
		for _, c := range rows {
			p, err := bench.Price(3e6, "experiments/multimodal/models/geo0.ppl", strings.Fields(c.settings)...)
			if err != nil {
				return "", err
			}
			prices[c.name] = append(prices[c.name], p)
			log.Printf("%s: %.0f ns", c.name, p)
		}
	}
	t := lab.Table{Columns: []string{"sampler", "CPU ns a step of one walker", "over tacthmc"}}
	for _, c := range rows {
		t.Add(c.name, lab.Median(prices[c.name]), lab.Median(prices[c.name])/lab.Median(prices["tacthmc"]))
	}
	return fmt.Sprintf(aboutCosts, t.String()), nil
}

func measure(bench *lab.Bench, m mixture, c contender, work float64, seed int) (result, error) {
	r, spent, err := bench.SampleFor(work, "experiments/multimodal/models/"+m.name+".ppl", seed,
		strings.Fields(c.settings)...)
	if err != nil {
		return result{}, err
	}
	chains, err := r.Draws("x")
	if err != nil {
		return result{}, err
	}
	return result{m.rate(chains), spent}, r.Discard()
}

// figure shows the true histogram and that of each sampler with the first seed.
func figure(m mixture, results map[string][]result) error {
	panels := []lab.Panel{panel("truth", m.truth())}
	most := 0.0
	for _, column := range panels[0].Mass {
		for _, p := range column {
			most = max(most, p)
		}
	}
	for _, c := range contenders() {
		panels = append(panels, panel(c.name, results[c.name][0].mass))
	}
	return lab.Panels(filepath.Join(home, m.name+".png"), most, 5, panels...)
}
