package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// runs changes run directories: files are removed, cut, changed, exchanged with those of other runs, or replaced by
// links, pipes and directories.
type runs struct {
	dirs []string // seed runs
}

func (u *runs) name() string { return "runs" }

// A runSeed is a run to change.
type runSeed struct {
	name, model string
	flags       []string
}

func runSeeds() []runSeed {
	const line = "data x[N] = [1, 2, 3, 4], y[N] = [1.2, 1.9, 3.2, 3.8], g[N]: index(G) = [1, 2, 1, 2], G = 2\n" +
		"a, b ~ Normal(0, 2)\nu[G] ~ Normal(0, 1)\ns ~ HalfNormal(1)\n" +
		"y[i in N] ~ Normal(a + b * x[i] + u[g[i]], s)\ngenerate at = a + b\n"
	const coins = "data k[N] = [1, 0, 1, 1, 0]\np[J in 1..2] ~ Beta(2, 2)\nz[i in N] ~ Bernoulli(0.5)\n" +
		"k[i in N] ~ Bernoulli(z[i] == 1 ? p[1] : p[2])\n"
	const table = "data y[N], x[N] from \"table.csv\"\na, b ~ Normal(0, 2)\ny[i in N] ~ Normal(a + b * x[i], 1)\n"
	return []runSeed{
		{"renhd", line, nil}, {"twin", line, nil}, // both have the same shape, so their parts can be exchanged
		{"nuts", line, []string{"--sampler", "nuts"}},
		{"flow", line, []string{"--sampler", "fullrank"}},
		{"latent", coins, nil},
		{"table", table, []string{"--set", "batch=4"}},
		{"copied", table, []string{"--copy-inputs"}},
	}
}

// prepare samples the seed runs and predicts with each.
func (u *runs) prepare(ppl, dir string) error {
	table := "y,x\n"
	for i := range 12 {
		table += fmt.Sprintf("%.1f,%d\n", float64(i)*1.5, i)
	}
	if err := os.WriteFile(filepath.Join(dir, "table.csv"), []byte(table), 0o644); err != nil {
		return err
	}
	for k, s := range runSeeds() {
		model, run := s.name+".ppl", s.name+".run"
		if err := os.WriteFile(filepath.Join(dir, model), []byte(s.model), 0o644); err != nil {
			return err
		}
		sample := append([]string{"sample", model, "--device", "host", "--draws", "20", "--warmup", "40", "--chains",
			"2", "--quiet", "--seed", fmt.Sprint(k), "--out", run}, s.flags...)
		for _, args := range [][]string{sample, {"predict", run}} {
			cmd := exec.Command(ppl, args...)
			cmd.Dir = dir
			if text, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("ppl %s: %w\n%s", strings.Join(args, " "), err, text)
			}
		}
		u.dirs = append(u.dirs, filepath.Join(dir, run))
	}
	return nil
}

// change copies a run and makes one to three changes of the copy.
func (u *runs) change(r *rand.Rand, dir string, number int) (scene, error) {
	from := u.dirs[r.IntN(len(u.dirs))]
	other := u.dirs[r.IntN(len(u.dirs))]
	run := caseName(number) + ".run"
	to := filepath.Join(dir, run)
	if err := copyAll(from, to); err != nil {
		return scene{}, err
	}
	what := filepath.Base(from)
	for range 1 + r.IntN(3) {
		how, err := changeRun(r, to, other)
		if err != nil {
			return scene{}, err
		}
		what += ", " + how
	}
	name := "a"
	if filepath.Base(from) == "latent.run" {
		name = "p[1]"
	}
	all := [][]string{{"summary", run}, {"summary", run, "--json"}, {"query", run, name}, {"query", run, name + " + 1"},
		{"sample", run, "--resume", "--draws", "24", "--quiet", "--max-time", "4s"},
		{"sample", run, "--resume", "--quiet", "--max-time", "4s"}, {"report", run, "--out",
			caseName(number) + ".html"},
		{"list", run}, {"export", run, "--format", "csv", "--out", caseName(number) + ".csv"},
		{"export", run, "--format", "netcdf", "--out", caseName(number) + ".nc"}, {"diagnose", run}, {"loo", run},
		{"predict", run}, {"compare", run, other}, {"evidence", run}, {"sensitivity", run},
		{"plot", run, pick(r, "trace", "rank", "pairs", "energy", "ppc", "prior"), "--out", caseName(number) + ".svg"}}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return scene{what: what, names: caseName(number), commands: all[:3]}, nil
}

// changeRun changes one file or directory of a run.
func changeRun(r *rand.Rand, run, other string) (string, error) {
	path, err := entryOf(r, run)
	if err != nil || path == "" {
		return "nothing", err
	}
	below, err := filepath.Rel(run, path)
	if err != nil {
		return "", err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || r.IntN(3) == 0 {
		how, err := changeEntry(r, path, filepath.Join(other, below))
		return below + " " + how, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return below + " unreadable", nil
	}
	text, how := changedPart(r, below, text)
	return below + ": " + how, os.WriteFile(path, text, 0o644)
}

// entryOf returns a random file or directory of a run. Half of the choices are at the top level.
func entryOf(r *rand.Rand, run string) (string, error) {
	var top, deep []string
	err := filepath.WalkDir(run, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || path == run:
		case filepath.Dir(path) == run:
			top = append(top, path)
		default:
			deep = append(deep, path)
		}
		return nil
	})
	if r.IntN(2) == 0 || len(deep) == 0 {
		deep = top
	}
	path, _ := any1(r, deep)
	return path, err
}

// changeEntry replaces a file or a directory by something else.
func changeEntry(r *rand.Rand, path, other string) (how string, err error) {
	switch how = pick(r, "removed", "that of another run", "a link to itself", "a link to another run", "a pipe",
		"a directory", "a link to a device", "empty", "a link to a file outside", "closed", "a copy next to it"); how {
	case "a copy next to it":
		return how, copyAll(path, path+"1")
	case "closed":
		// links are excluded, because they may be broken
		if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink == 0 {
			return how, os.Chmod(path, 0)
		}
		return "as it was", nil
	case "that of another run":
		if _, err := os.Stat(other); err != nil {
			return "as it was", nil
		}
	}
	if err := removeAll(path); err != nil {
		return "", err
	}
	switch how {
	case "that of another run":
		err = copyAll(other, path)
	case "a link to itself":
		err = os.Symlink(filepath.Base(path), path)
	case "a link to another run":
		err = os.Symlink(other, path)
	case "a pipe":
		err = syscall.Mkfifo(path, 0o644)
	case "a directory":
		err = os.Mkdir(path, 0o755)
	case "a link to a device":
		err = os.Symlink(pick(r, "/dev/zero", "/dev/null", "/dev/full"), path)
	case "empty":
		err = os.WriteFile(path, nil, 0o644)
	case "a link to a file outside":
		err = os.Symlink("/etc/hostname", path)
	}
	return how, err
}

// changedPart changes the content of a file in a way that suits its format.
func changedPart(r *rand.Rand, below string, text []byte) ([]byte, string) {
	switch {
	case r.IntN(4) == 0:
		return inBytes(r, text)
	case bytes.HasPrefix(text, []byte("{")):
		return inJSON(r, text)
	case bytes.HasPrefix(text, []byte("\x1f\x8b")):
		return inGzip(r, text, below)
	case strings.HasSuffix(below, ".csv"):
		return inTable(r, text)
	}
	return inBytes(r, text)
}
