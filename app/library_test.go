package app_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ppl/app"
	"ppl/app/analysis"
	"ppl/app/fault"
	"ppl/app/notes"
	"ppl/infer"
	"ppl/lang/diag"
	"ppl/posterior/diagnose"
	"ppl/posterior/summary"
)

// A program of about thirty lines outside of this package samples eight schools from a text and reads the draws. It
// writes no files to its working directory.
func TestProgram(t *testing.T) {
	program, dir := filepath.Join(t.TempDir(), "schools"), t.TempDir()
	if out, err := exec.Command("go", "build", "-o", program, "./testdata/eightschools").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(program)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var chains, draws int
	var mean float64
	if _, err := fmt.Sscanf(string(out), "%d chains of %d draws, mean of mu %g", &chains, &draws, &mean); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	// the mean of mu is 4.4 in posteriordb's reference draws of the same model; its error here is some 0.1
	if chains != 4 || draws < 1000 || math.Abs(mean-4.4) > .6 {
		t.Errorf("%s", out)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("files were written: %v, %v", entries, err)
	}
}

// heard records the reports of calls.
type heard struct {
	notes.None
	notes, phases []string
	diagnostics   []diag.Diagnostic
}

func (h *heard) Note(text string)                 { h.notes = append(h.notes, text) }
func (h *heard) Diagnostics(ds []diag.Diagnostic) { h.diagnostics = append(h.diagnostics, ds...) }
func (h *heard) Progress(p infer.Progress)        { h.phases = append(h.phases, p.Phase.String()) }

const line = "data x[N] = [1, 2, 3, 4], y[N] = [1.1, 1.9, 3.2, 3.9]\na, b ~ Normal(0, 10)\ns ~ HalfNormal(1)\n" +
	"y[i in N] ~ Normal(a + b * x[i], s)\n"

func lineRequest(draws int) app.Request {
	r := app.NewRequest("line.ppl")
	r.Text, r.Seed, r.Chains, r.Draws, r.Warmup, r.Device = line, 1, 2, draws, 200, "host"
	return r
}

// A run in memory has the same draws as one on disk, and can be summarised and queried in the same way. It writes
// nothing.
func TestMemoryAndDisk(t *testing.T) {
	t.Chdir(t.TempDir())
	h := &heard{}
	inMemory, err := app.Sample(t.Context(), lineRequest(300), h)
	if err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) > 0 {
		t.Fatalf("files were written: %v, %v", entries, err)
	}
	if len(h.phases) == 0 {
		t.Error("no progress was reported")
	}
	r := lineRequest(300)
	r.Dir = "line.run"
	onDisk, err := app.Sample(t.Context(), r, notes.None{})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range onDisk.Layout.Posterior {
		a, err := inMemory.Draws(v.Name)
		b, other := onDisk.Draws(v.Name)
		if err != nil || other != nil || fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("%s differs: %v, %v", v.Name, err, other)
		}
	}
	summary, err := diagnose.Summarize(inMemory, summary.View{})
	if err != nil || len(summary.Parameters) != 3 {
		t.Errorf("%d rows, %v", len(summary.Parameters), err)
	}
	run, err := analysis.Of(inMemory, notes.None{})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := run.Ask(t.Context(), "P(b > 0)", 0)
	if err != nil || answer.Size != 1 {
		t.Errorf("%+v, %v", answer, err)
	}
	if err := analysis.Replicate(t.Context(), inMemory, nil, notes.None{}); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) != 1 {
		t.Errorf("besides line.run there are: %v, %v", entries, err)
	}
}

// An extended run has the same draws as a run that was sampled at once.
func TestResume(t *testing.T) {
	t.Chdir(t.TempDir())
	r := lineRequest(50)
	r.Dir = "line.run"
	if _, err := app.Sample(t.Context(), r, notes.None{}); err != nil {
		t.Fatal(err)
	}
	again := app.Resume("line.run")
	again.Draws, again.Text = 120, line
	extended, err := app.Sample(t.Context(), again, notes.None{})
	if err != nil {
		t.Fatal(err)
	}
	atOnce, err := app.Sample(t.Context(), lineRequest(120), notes.None{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := extended.Draws("b")
	b, other := atOnce.Draws("b")
	if err != nil || other != nil || fmt.Sprint(a) != fmt.Sprint(b) || len(a[0]) != 120 {
		t.Errorf("%d draws, %v, %v", len(a[0]), err, other)
	}
}

// Errors have the kind of their cause: the model, an option, the machine, or cancellation by the caller. Draws sampled
// before the error are kept.
func TestErrorsHaveKinds(t *testing.T) {
	t.Chdir(t.TempDir())
	for want, change := range map[fault.Kind][]func(*app.Request){
		fault.Input: {
			func(r *app.Request) { r.Text = "a ~ Normal(0, s)\n" },
			func(r *app.Request) { r.Text, r.Model = "", "nothing.ppl" },
			func(r *app.Request) { r.Keep = []string{"nothing"} },
			func(r *app.Request) { r.Init = "nothing.json" },
		},
		fault.Usage: {
			func(r *app.Request) { r.Chains = 0 },
			func(r *app.Request) { r.Sampler = "nothing" },
			func(r *app.Request) { r.Settings = []string{"nothing=1"} },
			func(r *app.Request) { r.Device = "nothing" },
			func(r *app.Request) { r.Until = []string{"nothing=1"} },
			func(r *app.Request) { r.Data = []string{"x="} },
		},
		fault.Failure: {
			func(r *app.Request) { r.Dir = "/dev/null/line.run" },
		},
	} {
		for i, c := range change {
			r := lineRequest(10)
			c(&r)
			_, err := app.Sample(t.Context(), r, notes.None{})
			if got := fault.KindOf(err); err == nil || got != want {
				t.Errorf("%v %d: %v, %v", want, i, got, err)
			}
		}
	}
	_, err := app.Sample(t.Context(), func() app.Request {
		r := lineRequest(10)
		r.Text = "a ~ Normal(0, s)\n"
		return r
	}(), notes.None{})
	e := (*fault.Error)(nil)
	if !errors.As(err, &e) || len(e.Diagnostics) != 1 || e.Diagnostics[0].Code != "E10" ||
		!strings.Contains(err.Error(), "line.ppl:1") {
		t.Errorf("%v", err)
	}
}

// stopper cancels its context once a run has draws.
type stopper struct {
	notes.None
	cancel context.CancelFunc
}

func (s stopper) Progress(p infer.Progress) {
	if p.Phase == infer.Sampling && p.Done > 100 {
		s.cancel()
	}
}

// If the context is cancelled, the run keeps the draws so far.
func TestStop(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	run, err := app.Sample(ctx, lineRequest(100_000), stopper{cancel: cancel})
	if fault.KindOf(err) != fault.Interruption || run == nil || run.Info.Draws == 0 || run.Info.Draws >= 100_000 {
		t.Fatalf("%v, %v", run, err)
	}
}
