package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ppl/cmd/ppl/terminal"
	"ppl/posterior/store"
)

// A pairStep is a command on a run, in a directory with a model and new data.
type pairStep struct {
	name string
	args []string // RUN is the run
	does effect
}

// An effect is the effect of a command on a run.
type effect int

const (
	nothing  effect = iota
	stores          // something next to the draws
	predicts        // replicates of the data, which loo and plots read
	extends         // the draws, and takes away what was predicted from fewer
)

// A state is the result of the commands so far on a run.
type state struct{ extended, predicted bool }

func (s state) after(e effect) state {
	return state{s.extended || e == extends, s.predicted && e != extends || e == predicts}
}

// pairSteps lists the commands that write into a run, and those that read these files.
func pairSteps() []pairStep {
	return []pairStep{
		{"resume", []string{"sample", "RUN", "--resume", "--quiet"}, stores},
		{"extend", []string{"sample", "RUN", "--resume", "--draws", "40", "--quiet"}, extends},
		{"predict", []string{"predict", "RUN", "--seed", "1"}, predicts},
		{"predict at new data", []string{"predict", "RUN", "--data", "new.json", "--seed", "1"}, stores},
		{"loo", []string{"loo", "RUN"}, stores},
		{"evidence", []string{"evidence", "RUN"}, stores},
		{"sensitivity", []string{"sensitivity", "RUN"}, nothing},
		{"query", []string{"query", "RUN", "a + b"}, nothing},
		{"report", []string{"report", "RUN", "--out", "RUN.html"}, nothing},
		{"export", []string{"export", "RUN", "--format", "netcdf", "--out", "RUN.nc"}, nothing},
		{"plot", []string{"plot", "RUN", "trace", "--out", "RUN.svg"}, nothing},
		{"diagnose", []string{"diagnose", "RUN"}, nothing},
	}
}

// pairs makes runs, and carries out commands on copies of them.
type pairs struct {
	dir   string
	count int
}

const pairModel = "data x[N] = [0, 1, 2, 3, 4, 5], y[N] = [0.1, 1.3, 1.8, 3.2, 3.9, 5.2]\n" +
	"a, b ~ Normal(0, 5)\ns ~ HalfNormal(1)\ny[i in N] ~ Normal(a + b * x[i], s)\n"

func newPairs(t *testing.T) *pairs {
	t.Helper()
	p := &pairs{dir: t.TempDir()}
	write(t, filepath.Join(p.dir, "m.ppl"), pairModel)
	write(t, filepath.Join(p.dir, "new.json"), `{"x": [6, 7], "y": [6, 7]}`)
	return p
}

// sample runs `ppl sample` on m.ppl, which stores the run under a name. The test fails if the command fails.
func (p *pairs) sample(t *testing.T, name, draws string, flags ...string) {
	t.Helper()
	args := append([]string{"sample", "m.ppl", "--device", "host", "--draws", draws, "--warmup", "50", "--seed", "1",
		"--quiet", "--out", name}, flags...)
	if code, _, said := p.do(args, ""); code != terminal.CodeDone {
		t.Fatal(said)
	}
}

// do carries out a command, with paths in the directory of the pairs, and returns its output.
func (p *pairs) do(args []string, run string) (code int, out, said string) {
	full := make([]string, len(args))
	for i, arg := range args {
		full[i] = strings.ReplaceAll(arg, "RUN", filepath.Join(p.dir, run))
		switch arg {
		case "m.ppl", "new.json", "base", "whole", "kept":
			full[i] = filepath.Join(p.dir, arg)
		}
	}
	var results, lines bytes.Buffer
	code = runOn(&results, &lines, full...)
	return code, results.String(), lines.String()
}

// copyOf copies a run to a unique name of fixed length.
func (p *pairs) copyOf(t *testing.T, run string) string {
	t.Helper()
	p.count++
	name := fmt.Sprintf("copy%05d", p.count)
	if err := os.CopyFS(filepath.Join(p.dir, name), os.DirFS(filepath.Join(p.dir, run))); err != nil {
		t.Fatal(err)
	}
	return name
}

var varying = regexp.MustCompile(`copy\d+|in [\d.]+ s|[0-9a-f]{16,}|\d{4}-\d\d-\d\d[T ][\d:.]+Z?|started_at.*`)

// plain returns the output of a command without the parts that vary between runs of it.
func plain(text string) string { return varying.ReplaceAllString(text, "…") }

// draws returns the posterior draws of a run as text.
func (p *pairs) draws(t *testing.T, run string) string {
	t.Helper()
	r, err := store.Open(filepath.Join(p.dir, run))
	if err != nil {
		t.Fatalf("%s: %v", run, err)
	}
	if r.Info.Status != store.Finished {
		t.Errorf("the run is %s", r.Info.Status)
	}
	var b strings.Builder
	for _, v := range r.Layout.Posterior {
		chains, err := r.Draws(v.Name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %v\n", v.Name, chains)
	}
	return b.String()
}

// check carries out commands on a run, one after another. Each must succeed and print the same as on a run on which
// nothing else was done and that has the same draws. The draws must be those of a run that was sampled at once.
func (p *pairs) check(t *testing.T, base string, alone map[pairKey]string, steps ...pairStep) {
	t.Helper()
	run, is, did := p.copyOf(t, base), state{}, ""
	for _, s := range steps {
		did += ", " + s.name
		code, out, said := p.do(s.args, run)
		if code != terminal.CodeDone && !(code == terminal.CodeFailed && s.name == "diagnose") {
			t.Errorf("%s%s: exit code %d\n%s", base, did, code, said)
			return
		}
		is = is.after(s.does)
		if key := (pairKey{s.name, is}); alone != nil && alone[key] != "" && plain(out) != alone[key] {
			t.Errorf("%s%s prints\n%s\nand alone\n%s", base, did, plain(out), alone[key])
		}
	}
	want := base
	if is.extended {
		want = "whole"
		if base == "kept" {
			want = ""
		}
	}
	if want != "" && p.draws(t, run) != p.draws(t, want) {
		t.Errorf("%s%s: the draws are others than those of a run that was sampled at once", base, did)
	}
	for _, ending := range []string{"", ".html", ".nc", ".svg"} {
		if err := os.RemoveAll(filepath.Join(p.dir, run+ending)); err != nil {
			t.Fatal(err)
		}
	}
}

// A pairKey is a command with the state of the run after it.
type pairKey struct {
	name string
	is   state
}

// alone returns the output of each command on a run on which nothing else was done, and on one with replicates of the
// data, before and after the run is extended.
func (p *pairs) alone(t *testing.T) map[pairKey]string {
	t.Helper()
	all := map[pairKey]string{}
	for base, is := range map[string]state{"base": {}, "whole": {extended: true}} {
		for _, s := range pairSteps() {
			if s.does == extends || s.name == "resume" { // they print how the run was sampled
				continue
			}
			_, out, _ := p.do(s.args, p.copyOf(t, base))
			all[pairKey{s.name, is.after(s.does)}] = plain(out)
			run := p.copyOf(t, base)
			_, _, _ = p.do([]string{"predict", "RUN", "--seed", "1"}, run)
			_, out, _ = p.do(s.args, run)
			all[pairKey{s.name, is.after(predicts).after(s.does)}] = plain(out)
		}
	}
	return all
}

// Files that a command writes into a run do not change the results of later commands. The test covers all pairs, and
// triples around an extension, which replaces the files of predict and loo. Once, a run that was extended after
// predictions was marked as failed.
func TestPairsOfCommands(t *testing.T) {
	p := newPairs(t)
	p.sample(t, "base", "20")
	p.sample(t, "whole", "40")
	alone, steps := p.alone(t), pairSteps()
	byName := map[string]pairStep{}
	for _, s := range steps {
		byName[s.name] = s
	}
	if testing.Short() {
		p.check(t, "base", alone, byName["predict"], byName["extend"])
		p.check(t, "base", alone, byName["predict at new data"], byName["predict"])
		return
	}
	for _, first := range steps {
		if first.does == nothing {
			continue
		}
		for _, second := range steps {
			p.check(t, "base", alone, first, second)
		}
		if first.does != extends {
			p.check(t, "base", alone, first, byName["extend"], first)
			p.check(t, "base", alone, byName["predict"], byName["extend"], first)
		}
	}
	if loo := alone[pairKey{"loo", state{}}]; loo == "" || loo == alone[pairKey{"loo", state{extended: true}}] {
		t.Error("what is printed of twice as many draws is the same: the test sees no difference")
	}
}

// Runs that store only some arrays, and runs of a search for modes, are extended and used in the same way.
func TestPairsOfKeptRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	p := newPairs(t)
	p.sample(t, "kept", "20", "--keep", "a,b")
	p.sample(t, "whole", "40")
	byName := map[string]pairStep{}
	for _, s := range pairSteps() {
		byName[s.name] = s
	}
	for _, first := range []string{"resume", "extend", "query", "export"} {
		for _, second := range []string{"resume", "extend", "query", "export", "diagnose"} {
			p.check(t, "kept", nil, byName[first], byName[second])
		}
	}
	run := p.copyOf(t, "kept")
	code, _, said := p.do(byName["predict"].args, run)
	if code != terminal.CodeWrong || !strings.Contains(said, "--keep") {
		t.Errorf("predict: exit code %d, %s", code, said)
	}
	// what was refused has done no harm
	if code, _, said := p.do(byName["extend"].args, run); code != terminal.CodeDone {
		t.Errorf("predict and extend: exit code %d, %s", code, said)
	}
	modes := []string{"optimize", "m.ppl", "--device", "host", "--seed", "1", "--out", "RUN"}
	again := []string{"optimize", "RUN", "--resume"}
	for k, args := range [][]string{modes, again, {"query", "RUN", "a"}, again, {"summary", "RUN"}} {
		if code, _, said := p.do(args, "modes"); code != terminal.CodeDone {
			t.Errorf("command %d on modes: exit code %d, %s", k, code, said)
		}
	}
	for _, s := range []string{"resume", "extend"} { // draws of a sampler are not added to modes
		if code, _, said := p.do(byName[s].args, "modes"); code != terminal.CodeUsage {
			t.Errorf("%s of modes: exit code %d, %s", s, code, said)
		}
	}
}
