// Kills starts runs of ppl, kills them at random moments with SIGKILL, half of them in warmup, and resumes them until
// they are finished. Every file of draws must equal that of an uninterrupted run. Kills also prints the size of
// checkpoints:
//
//	go run ./bench/kills -ppl ./ppl -kills 100
//	hmc         13 kills, 6 in warm-up, 2 before the next checkpoint; 0 files differ of 96; checkpoint 18.6 kB
//	…
//	100 kills, 0 files differ
//
// With MPI launchers, every start uses one of them and a random number of ranks, and a kill ends the process of rank 0:
//
//	go run ./bench/kills -ppl ./ppl -kills 100 -mpi "mpiexec.mpich -np,mpiexec.openmpi --oversubscribe -np"
//
// Option -only rows limits the test to runs that read rows from a file.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A setting is a run to kill: a model of examples, or streamed, and flags.
type setting struct {
	name, model string
	flags       []string
}

// streamed is a model that reads its data row by row from the disk.
const streamed = "streamed"

// settings returns runs of about five to twenty seconds each, half of it in warmup.
func settings() []setting {
	return []setting{
		{"hmc", "seeds", []string{"--warmup", "30000", "--draws", "30000", "--set", "dynamics=hmc"}},
		{"growing ladder", "five_modes", []string{"--warmup", "20000", "--draws", "20000"}},
		{"minibatches", "challenger", []string{"--warmup", "40000", "--draws", "40000", "--set", "batch=8"}},
		{"rows by 8", streamed, []string{"--warmup", "600", "--draws", "600", "--set", "batch=8"}},
		{"rows by 32", streamed, []string{"--warmup", "600", "--draws", "600", "--set", "batch=32"}},
		{"rows by 256", streamed, []string{"--warmup", "300", "--draws", "300", "--set", "batch=256"}},
		{"nosehoover", "seeds", []string{"--warmup", "8000", "--draws", "8000", "--set", "dynamics=nosehoover",
			"--set", "noise=0.1"}},
		{"nuts", "radon", []string{"--warmup", "40000", "--draws", "40000", "--sampler", "nuts"}},
		{"flow", "eight_schools", []string{"--warmup", "12000", "--draws", "60000", "--sampler", "fullrank"}},
	}
}

func main() {
	ppl := flag.String("ppl", "ppl", "the `program`")
	kills := flag.Int("kills", 100, "total `number` of kills")
	seed := flag.Uint64("seed", 1, "`seed` of the times of the kills")
	examples := flag.String("examples", "examples", "`directory` of the models")
	launchers := flag.String("mpi", "",
		"comma-separated `commands` that start MPI ranks; the number of ranks is appended")
	only := flag.String("only", "", "the `settings` whose names match the pattern; empty: all")
	longest := flag.Duration("longest", 5*time.Second, "longest `time` from a start to a kill; with twice the "+
		"time between checkpoints, half of the kills come after a checkpoint")
	flag.Parse()
	k := killer{ppl: *ppl, longest: *longest, random: rand.New(rand.NewPCG(*seed, 0))}
	for _, l := range strings.Split(*launchers, ",") {
		if l != "" {
			k.launchers = append(k.launchers, strings.Fields(l))
		}
	}
	if err := k.killAll(*examples, *only, *kills); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (with killer) killAll(examples, only string, kills int) error {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "kills")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	differ := 0
	all := slices.DeleteFunc(settings(), func(s setting) bool { return !pattern.MatchString(s.name) })
	for i, s := range all {
		k := with
		model := filepath.Join(examples, s.model+".ppl")
		if s.model == streamed {
			if model, err = writeStreamed(dir); err != nil {
				return err
			}
			k.env = []string{"GOMEMLIMIT=2MiB", "XDG_CACHE_HOME=" + dir} // the file does not fit into this memory
		}
		k.args = append([]string{"sample", model, "--seed", "5", "--threads", "1", "--quiet"}, s.flags...)
		if err := k.run(dir, kills*(i+1)/len(all)-kills*i/len(all)); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		fmt.Printf("%-16s%3d kills, %d in warm-up, %d before the next checkpoint; %d files differ of %d; "+
			"checkpoint %.1f kB\n", s.name, k.kills, k.warmup, k.vain, k.differ, k.files, k.size/1e3)
		differ += k.differ
	}
	fmt.Printf("%d kills, %d files differ\n", kills, differ)
	if differ > 0 {
		return errors.New("a resumed run differs")
	}
	return nil
}

// streamedRows is large enough that minibatches of 32 rows use control variates.
const streamedRows = 30_000

// writeStreamed writes a logistic regression and its data.
func writeStreamed(dir string) (model string, err error) {
	text, random := []byte("x,y\n"), rand.New(rand.NewPCG(1, 1))
	for range streamedRows {
		x, y := random.NormFloat64(), 0
		if random.Float64() < 1/(1+math.Exp(1-2*x)) {
			y = 1
		}
		text = fmt.Appendf(text, "%.4f,%d\n", x, y)
	}
	model = filepath.Join(dir, "rows.ppl")
	source := "data x[N], y[N] from \"rows.csv\"\na, b ~ Normal(0, 5)\ny[i in N] ~ Bernoulli(logits = a + b * x[i])\n"
	return model, errors.Join(os.WriteFile(model, []byte(source), 0o666),
		os.WriteFile(filepath.Join(dir, "rows.csv"), text, 0o666))
}

// A killer kills the runs of a setting and counts the results.
type killer struct {
	ppl       string
	longest   time.Duration // longest time from a start to a kill
	args      []string
	env       []string   // in addition to the environment of this process
	launchers [][]string // commands that start MPI ranks; none: one process
	random    *rand.Rand

	kills, warmup, files, differ int
	vain                         int     // number of kills before a new checkpoint was written
	size                         float64 // size of the largest checkpoint
}

// run compares killed and resumed runs with an uninterrupted run, until the number of kills is reached.
func (k *killer) run(dir string, kills int) error {
	whole, killed := filepath.Join(dir, "whole"), filepath.Join(dir, "killed")
	if _, err := k.sample(whole, 0); err != nil {
		return err
	}
	for k.kills < kills {
		if err := k.toTheEnd(killed, kills); err != nil {
			return err
		}
		if err := k.compare(whole, killed); err != nil {
			return err
		}
		if err := os.RemoveAll(killed); err != nil {
			return err
		}
	}
	return os.RemoveAll(whole)
}

// toTheEnd samples a run, and kills and resumes it until it is finished.
func (k *killer) toTheEnd(dir string, kills int) error {
	var before []byte
	for {
		after := time.Duration(0)
		if k.kills < kills {
			after = 1 + time.Duration(k.random.Float64()*float64(k.longest))
		}
		if killed, err := k.sample(dir, after); !killed {
			return err
		}
		k.kills++
		if phase(dir) != "sampling" {
			k.warmup++
		}
		now, _ := os.ReadFile(filepath.Join(dir, "checkpoint")) // there is no file before the first checkpoint
		if bytes.Equal(now, before) {
			k.vain++
		}
		before = now
		k.size = max(k.size, float64(len(now)))
	}
}

// sample starts or resumes a run, and kills it after the given time, unless that is 0 or the run ends earlier. With MPI
// the kill ends rank 0, and the time counts from the moment at which the ranks have opened the run; the launcher then
// ends the other ranks.
func (k *killer) sample(dir string, after time.Duration) (killed bool, err error) {
	args := append(append([]string{k.ppl}, k.args...), "--out", dir, "--resume")
	onRanks := len(k.launchers) > 0 && after > 0
	if onRanks {
		const mostRanks = 5
		launcher := k.launchers[k.random.IntN(len(k.launchers))]
		args = slices.Concat(launcher, []string{fmt.Sprint(1 + k.random.IntN(mostRanks))}, args)
	}
	var said bytes.Buffer
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = append(os.Environ(), k.env...), &said, &said, time.Minute
	if err := cmd.Start(); err != nil {
		return false, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	pid := cmd.Process.Pid
	for onRanks && len(ended) == 0 {
		if rank0, found := processOf(dir); found {
			pid = rank0
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	var timer <-chan time.Time // nil: never fires
	if after > 0 {
		timer = time.After(after)
	}
	select {
	case err = <-ended:
	case <-timer:
		killed = syscall.Kill(pid, syscall.SIGKILL) == nil // false: it has just ended
		err = <-ended
	}
	if err != nil && !killed {
		return false, fmt.Errorf("%w\n%s", err, said.Bytes())
	}
	return killed, nil
}

// processOf returns the process that writes a run, if it still exists.
func processOf(dir string) (pid int, found bool) {
	var run struct {
		Process struct{ PID int } `json:"process"`
	}
	text, _ := os.ReadFile(filepath.Join(dir, "run.json")) // there is no file before the first start
	_ = json.Unmarshal(text, &run)
	pid = run.Process.PID
	command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // the number can be that of an earlier process
	return pid, pid > 0 && bytes.Contains(command, []byte(dir))
}

// phase returns the phase of a run, such as "sampling".
func phase(dir string) string {
	var p struct{ Phase string }
	text, err := os.ReadFile(filepath.Join(dir, "progress.json"))
	if err != nil || json.Unmarshal(text, &p) != nil {
		return "warm-up" // or not yet started
	}
	return p.Phase
}

// compare counts the arrays that differ between two runs.
func (k *killer) compare(whole, killed string) error {
	return filepath.WalkDir(whole, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Dir(path) == whole || e.Name() == ".zattrs" { // .zattrs contains a time
			return err
		}
		relative, err := filepath.Rel(whole, path)
		if err != nil {
			return err
		}
		a, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		b, err := os.ReadFile(filepath.Join(killed, relative))
		k.files++
		if err != nil || !bytes.Equal(a, b) {
			k.differ++
			fmt.Println("differs:", relative)
		}
		return nil
	})
}
