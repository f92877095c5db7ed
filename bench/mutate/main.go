// Mutate changes the meaning of models, data files and run directories, and runs ppl on them as a user would. Each may
// be rejected, but ppl must not fail:
//
//	go run ./bench/mutate -ppl ./ppl -for 10m
//	runs, seed 1, case 203: chunk posterior/mu/0.0 is a named pipe: ppl query: more than 20 s
//	…
//	models: 1,203 cases, 3,911 commands, exit codes 0: 2,310, 1: 1,590, 130: 11; 0 failures
//
// Bench/fuzzmodels changes tokens, which mostly tests the parser. Mutate changes and prints the syntax tree of a model,
// so that most models reach later stages; it changes sizes and counts in the headers of binary files; and it exchanges
// files of two runs. Function demands (judge.go) lists the rules that every command must satisfy.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ppl/bench/limited"
)

func main() {
	ppl := flag.String("ppl", "ppl", "the `program`")
	lasting := flag.Duration("for", 10*time.Minute, "`time` to run")
	cases := flag.Int("cases", 0, "`number` of cases; 0: no limit")
	seed := flag.Uint64("seed", 1, "`seed` of all random choices")
	only := flag.String("only", "", "the only `kind` of input to change: models, data or runs; empty: all")
	examples := flag.String("examples", "examples", "`directory` of the models that are changed")
	files := flag.String("files", "compiler/datasets/datafile/testdata",
		"`directory` of the data files that are changed")
	keep := flag.String("keep", "", "`directory` in which failing cases are stored; empty: none")
	said := flag.String("said", "", "`file` to which the message of each rejected case is written")
	flag.Parse()
	m := &mutator{keep: *keep, seed: *seed, cases: *cases}
	err := m.open(*ppl, *examples, *files, *only, *said)
	if err == nil {
		ctx, stop := limited.Context(*lasting)
		err = m.run(ctx)
		stop()
	}
	if err = cmp.Or(err, m.close()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A scene is a test case in a directory: command lines to run there in order.
type scene struct {
	what     string     // description of the change, for readers
	names    string     // name that messages of rejected commands must contain; empty for models
	commands [][]string // run in order
	stop     bool       // skip the remaining commands if one exits with a code other than 0
}

// A generator makes scenes in its directory, after prepare has written the seeds there.
type generator interface {
	name() string
	prepare(ppl, dir string) error
	change(r *rand.Rand, dir string, number int) (scene, error)
}

// A mutator runs the commands of scenes.
type mutator struct {
	ppl, keep  string
	seed       uint64
	cases      int
	dir        string
	generators []generator
	tallies    []*tally
	said       *os.File
}

func (m *mutator) open(ppl, examples, data, only, said string) (err error) {
	if m.ppl, err = filepath.Abs(ppl); err != nil {
		return err
	}
	if m.dir, err = os.MkdirTemp("", "mutate-*"); err != nil {
		return err
	}
	if said != "" {
		if m.said, err = os.Create(said); err != nil {
			return err
		}
	}
	for _, g := range []generator{&models{from: examples}, &dataFiles{from: data}, &runs{}} {
		if only != "" && only != g.name() {
			continue
		}
		dir := filepath.Join(m.dir, g.name())
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
		if err := g.prepare(m.ppl, dir); err != nil {
			return fmt.Errorf("%s: %w", g.name(), err)
		}
		m.generators, m.tallies = append(m.generators, g), append(m.tallies, &tally{codes: map[int]int{}})
	}
	if len(m.generators) == 0 {
		return fmt.Errorf("-only: unknown kind %q; available: models, data, runs", only)
	}
	return nil
}

func (m *mutator) close() error {
	if m.said != nil {
		m.said.Close()
	}
	return os.RemoveAll(m.dir)
}

// run tries scenes until the context ends. It returns an error if ppl failed.
func (m *mutator) run(ctx context.Context) error {
	for k := 0; ctx.Err() == nil && (m.cases == 0 || k < m.cases); k++ {
		i := k % len(m.generators)
		if err := m.try(ctx, m.generators[i], m.tallies[i], k); err != nil {
			return err
		}
	}
	failed := 0
	for i, g := range m.generators {
		fmt.Printf("%s: %s\n", g.name(), m.tallies[i])
		failed += m.tallies[i].failures
	}
	if failed > 0 {
		return fmt.Errorf("ppl failed %d times", failed)
	}
	return nil
}

// try makes one scene and runs its commands.
func (m *mutator) try(ctx context.Context, g generator, t *tally, number int) error {
	dir := filepath.Join(m.dir, g.name())
	s, err := g.change(rand.New(rand.NewPCG(m.seed, uint64(number))), dir, number)
	if err != nil {
		return fmt.Errorf("%s, seed %d, case %d: %w", g.name(), m.seed, number, err)
	}
	t.cases++
	for _, args := range s.commands {
		o := carryOut(ctx, m.ppl, dir, args)
		if ctx.Err() != nil { // a stopped command is not a failure
			return nil
		}
		t.add(o)
		m.note(s, o)
		if wrong := judge(s, o); wrong != "" {
			t.failures++
			fmt.Printf("%s, seed %d, case %d: %s: ppl %s: %s\n%s\n", g.name(), m.seed, number, s.what,
				strings.Join(args, " "), wrong, indented(o.said))
			if err := m.keepScene(dir, number); err != nil {
				return err
			}
			break
		}
		if s.stop && o.code != 0 {
			break
		}
	}
	return clear(dir, caseName(number))
}

// note writes the main line of the message of a rejected command to the file of flag said.
func (m *mutator) note(s scene, o outcome) {
	if m.said == nil || o.code == 0 {
		return
	}
	lines := strings.Split(strings.TrimSpace(o.said), "\n")
	at := max(0, slices.IndexFunc(lines, func(line string) bool {
		return strings.Contains(line, "error[") || strings.HasPrefix(line, "ppl ")
	}))
	fmt.Fprintf(m.said, "%d\t%s\t%s\t%s\n", o.code, o.args[0], s.what, lines[at])
}

// keepScene copies the files of a case to the directory of flag keep.
func (m *mutator) keepScene(dir string, number int) error {
	if m.keep == "" {
		return nil
	}
	all, err := filepath.Glob(filepath.Join(dir, caseName(number)+"*"))
	for _, path := range all {
		to := filepath.Join(m.keep, filepath.Base(path))
		if err == nil {
			_ = removeAll(to) // from an earlier search
			err = copyAll(path, to)
		}
	}
	return err
}

// caseName returns the common prefix of the file names of a case.
func caseName(number int) string { return fmt.Sprintf("case%d", number) }

// clear removes the files of a case.
func clear(dir, prefix string) error {
	all, err := filepath.Glob(filepath.Join(dir, prefix+"[._]*"))
	for _, path := range all {
		if e := removeAll(path); err == nil {
			err = e
		}
	}
	return err
}

// A tally counts cases, commands and results.
type tally struct {
	cases, commands, failures int
	codes                     map[int]int
	memory                    int64
	longest                   time.Duration
}

func (t *tally) add(o outcome) {
	t.commands++
	t.codes[o.code]++
	t.memory, t.longest = max(t.memory, o.memory), max(t.longest, o.processor)
}

func (t *tally) String() string {
	var codes []string
	for _, code := range []int{0, 1, 2, 3, 130} {
		if n := t.codes[code]; n > 0 {
			codes = append(codes, fmt.Sprintf("%d: %d", code, n))
		}
	}
	return fmt.Sprintf("%d cases, %d commands, exit codes %s; at most %d MB and %.1f s of processor time; %d failures",
		t.cases, t.commands, strings.Join(codes, ", "), t.memory>>20, t.longest.Seconds(), t.failures)
}

func indented(text string) string {
	const most = 3000
	return "    " + strings.ReplaceAll(strings.TrimSpace(text[:min(most, len(text))]), "\n", "\n    ")
}
