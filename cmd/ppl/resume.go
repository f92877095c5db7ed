package main

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"ppl/autodiff"
	"ppl/compiler"
	"ppl/compiler/backend/lower"
	"ppl/infer"
	"ppl/infer/settings"
	"ppl/numbers"
	"ppl/posterior/store"
	"ppl/runtime/native"
)

// resolvedOptions are kept with the draws: enough to repeat the run, or to go on with it.
type resolvedOptions struct {
	Model     string         `json:"model"`
	Data      []string       `json:"data"`
	Sampler   string         `json:"sampler"`
	Chains    int            `json:"chains"`
	Draws     int            `json:"draws"`
	Warmup    int            `json:"warmup"`
	Seed      uint64         `json:"seed"`
	Device    string         `json:"device"`
	Settings  infer.Settings `json:"settings"`
	Keep      []string       `json:"keep,omitempty"`      // names and patterns of what is kept of a draw
	Init      string         `json:"init,omitempty"`      // where chains began, as --init named it
	Again     *attempt       `json:"again,omitempty"`     // nil: the first attempt
	KeepsRows bool           `json:"keeps_rows"`          // the log likelihood of each row
	Directory string         `json:"directory,omitempty"` // where the command ran: model and data are relative to it
	Asked     askedOptions   `json:"asked"`
	Digests   digests        `json:"digests"`
	Made      maker          `json:"made_by"`
}

// readOptions are those of the run in a directory.
func readOptions(dir string) (o resolvedOptions, err error) {
	_, err = store.ReadOptions(dir, &o)
	o.locate(dir)
	return o, err
}

// A maker is what computed a run, to be found again where numbers differ.
type maker struct {
	Ppl      string `json:"ppl"` // version and commit
	System   string `json:"system"`
	Compiler string `json:"c_compiler,omitempty"` // of compiled code
}

// makerOn describes this program with a device.
func makerOn(device string) maker {
	m := maker{Ppl: version + revision(), System: runtime.GOOS + "/" + runtime.GOARCH}
	if device == "native" {
		m.Compiler = native.CompilerVersion()
	}
	return m
}

// askedOptions are those of the command line as they were given.
type askedOptions struct {
	Sampler  string   `json:"sampler,omitempty"`
	Device   string   `json:"device,omitempty"`
	Settings []string `json:"set,omitempty"`
	Until    []string `json:"until,omitempty"`
	GoesOn   bool     `json:"goes_on,omitempty"` // while its draws are not good enough

	// of ppl optimize: its flags, by name; nil for runs of samplers
	Search map[string]string `json:"search,omitzero"`
}

// asAsked are the options of a sampler as they were given.
func (s *sampling) asAsked() askedOptions {
	return askedOptions{Sampler: s.sampler, Device: s.device, Settings: s.settings, Until: s.until, GoesOn: s.goesOn}
}

// digests are fingerprints of what decides the numbers of a run.
type digests struct {
	Program string `json:"program"` // what the compiler makes of the model, without its data
	Data    string `json:"data"`
	Starts  string `json:"starts,omitempty"` // the points at which chains begin, if they were given
}

// digestsOf takes the fingerprints of the program that computes the log density and what is saved.
func digestsOf(p *compiler.Program) (digests, error) {
	program, err := lower.Program([]lower.Entry{{Name: "density", Assign: assignments(p)}})
	if err != nil {
		return digests{}, err
	}
	data, text, without := sha256.New(), sha256.New(), *program
	without.Buffers = slices.Clone(program.Buffers)
	for i, b := range program.Buffers {
		writeNumbers(data, b.Init)
		without.Buffers[i].Init = numbers.List{}
	}
	if err := writeRows(data, p); err != nil {
		return digests{}, err
	}
	io.WriteString(text, without.String())
	if slices.Contains(p.Deterministic(), false) { // what is drawn after `generate` is not in the program
		io.WriteString(text, p.Model().Source.Text)
	}
	return digests{Program: fmt.Sprintf("%x", text.Sum(nil)), Data: fmt.Sprintf("%x", data.Sum(nil))}, nil
}

// assignments are log density and saved values; of data in files, the density of one row.
func assignments(p *compiler.Program) []lower.Assign {
	g := autodiff.New()
	theta := g.Input("theta", p.Dim())
	out := []lower.Assign{{Name: "values", Value: p.Values(theta)}}
	if p.Streams() > 0 {
		logPrior, whole, terms := p.Split(theta, g.Input("rows", 1))
		return append(out, lower.Assign{Name: "log_prior", Value: logPrior}, lower.Assign{Name: "whole", Value: whole},
			lower.Assign{Name: "terms", Value: terms})
	}
	logPrior, logLik := p.Density(theta)
	return append(out, lower.Assign{Name: "log_prior", Value: logPrior}, lower.Assign{Name: "log_lik", Value: logLik})
}

// writeRows adds the number of rows in files, and the first thousand.
func writeRows(to io.Writer, p *compiler.Program) error {
	if p.Streams() == 0 {
		return nil
	}
	n, err := p.Rows()
	if err != nil {
		return err
	}
	rows := make([]float64, min(n, 1000))
	for i := range rows {
		rows[i] = float64(i)
	}
	writeNumbers(to, numbers.Of(float64(n)))
	for k := range p.Streams() {
		_, width := p.StreamInput(k, 1)
		values := make([]float64, width*len(rows))
		if err := p.ReadRows(k, rows, values); err != nil {
			return err
		}
		writeNumbers(to, numbers.Of(values...))
	}
	return nil
}

func writeNumbers(to io.Writer, xs numbers.List) {
	block := make([]byte, 0, 1<<15)
	for _, x := range xs.All() {
		if len(block) == cap(block) {
			to.Write(block)
			block = block[:0]
		}
		block = binary.LittleEndian.AppendUint64(block, math.Float64bits(x))
	}
	to.Write(block)
}

// takeOver fills in what the command line leaves open from the run that is to go on. Of a run named by its directory
// it takes model and data too.
func (s *sampling) takeOver(from *resolvedOptions, flags *pflag.FlagSet, byDirectory bool) {
	o := &s.options
	s.again = from.Again
	for name, take := range map[string]func(){
		"seed":    func() { s.seed, o.Seed = from.Seed, from.Seed },
		"chains":  func() { o.Chains = from.Chains },
		"draws":   func() { o.Draws = from.Draws },
		"warmup":  func() { o.Warmup = from.Warmup },
		"sampler": func() { s.sampler = from.Asked.Sampler },
		"set":     func() { s.settings = from.Asked.Settings },
		"device":  func() { s.device = firstOf(from.Asked.Device, "auto") },
		"data":    func() { s.data = nil },
		"until":   func() { s.until = from.Asked.Until },
		"keep":    func() { s.keep = from.Keep },
	} {
		if !flags.Changed(name) {
			take()
		}
	}
	if byDirectory {
		s.model = under(from.Directory, from.Model)
	}
	if byDirectory && !flags.Changed("data") {
		for _, d := range from.Data {
			name, path := dataPath(d)
			if _, err := strconv.ParseFloat(path, 64); name == "" || err != nil {
				path = under(from.Directory, path)
			}
			s.data = append(s.data, name+path)
		}
	}
}

func under(dir, path string) string {
	if here, err := os.Getwd(); filepath.IsAbs(path) || dir == "" || err == nil && here == dir {
		return path
	}
	return filepath.Join(dir, path)
}

// differences names what decides the numbers and is not as it was, with the value then and now; model and data are
// compared by their digests alone.
func (o resolvedOptions) differences(now resolvedOptions) (all []string) {
	add := func(what string, then, now any) {
		if then != now {
			all = append(all, fmt.Sprintf("%s is %v, and was %v", what, now, then))
		}
	}
	add("--seed", o.Seed, now.Seed)
	add("--chains", o.Chains, now.Chains)
	add("--warmup", o.Warmup, now.Warmup)
	add("--sampler", o.Sampler, now.Sampler)
	add("--keep", strings.Join(o.Keep, ","), strings.Join(now.Keep, ","))
	if o.Sampler == now.Sampler {
		all = append(all, settings.Differences(o.Settings, now.Settings)...)
	}
	if o.Digests.Starts != now.Digests.Starts {
		all = append(all, "the starting values of --init are not those of the run")
	}
	return all
}

// changedModel says in what model and data differ from those of the run; empty if they do not.
func (run *posteriorRun) changedModel() (all []string, err error) {
	then, now := run.dir.before.Digests, run.digests
	if then.Data == now.Data && then.Program == now.Program {
		return nil, nil
	}
	if old, err := store.Open(run.dir.path); err == nil { // else there are no draws yet, nor their data
		if all, err = changedData(old, *run.dir.before, run.program); err != nil {
			return nil, failed(err)
		}
	}
	if then.Data != now.Data && len(all) == 0 {
		all = append(all, "the model's data are not those of the run")
	}
	text, err := store.ReadModel(run.dir.path)
	if err != nil {
		return nil, failed(err)
	}
	source := run.program.Model().Source.Text
	switch line := changedLine(string(text), source); {
	case line != "":
		all = append(all, line)
	case len(all) == 0:
		all = append(all, fmt.Sprintf("ppl %s compiles the model in another way than ppl %s, which began the run",
			version, run.dir.info.Version))
	}
	return all, nil
}

// changedLine says which line of a model is the first that is not as it was; empty if none.
func changedLine(then, now string) string {
	old, lines := strings.Split(then, "\n"), strings.Split(now, "\n")
	at := func(all []string, i int) string {
		if i < len(all) {
			return strings.TrimSpace(all[i])
		}
		return ""
	}
	for i := range max(len(old), len(lines)) {
		if a, b := at(old, i), at(lines, i); a != b {
			return fmt.Sprintf("line %d of the model is `%s`, and was `%s`", i+1, b, a)
		}
	}
	return ""
}

// checkSame refuses to go on with a run that would be another one.
func (run *posteriorRun) checkSame() error {
	d := run.dir
	if d.before == nil {
		return nil
	}
	now := run.resolved()
	changed, err := run.changedModel()
	if err != nil {
		return err
	}
	if all := append(d.before.differences(now), changed...); len(all) > 0 {
		return usagef("the run in %s cannot go on: %s", d.path, strings.Join(all, "; "))
	}
	if now.Draws < d.info.Draws {
		return usagef("--draws %d: the run in %s has %d draws per chain already", now.Draws, d.path, d.info.Draws)
	}
	return nil
}
