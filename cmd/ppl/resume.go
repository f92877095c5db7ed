package main

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"ppl/autodiff"
	"ppl/compiler"
	"ppl/compiler/lower"
	"ppl/infer"
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
	Init      string         `json:"init,omitempty"`      // where chains began, as --init named it
	KeepsRows bool           `json:"keeps_rows"`          // the log likelihood of each row
	Directory string         `json:"directory,omitempty"` // where the command ran: model and data are relative to it
	Asked     askedOptions   `json:"asked"`
	Digests   digests        `json:"digests"`
}

// askedOptions are those of the command line as they were given.
type askedOptions struct {
	Sampler  string   `json:"sampler,omitempty"`
	Device   string   `json:"device,omitempty"`
	Settings []string `json:"set,omitempty"`
	Until    []string `json:"until,omitempty"`
	GoesOn   bool     `json:"goes_on,omitempty"` // while its draws are not good enough
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
		without.Buffers[i].Init = nil
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
	writeNumbers(to, []float64{float64(n)})
	for k := range p.Streams() {
		_, width := p.StreamInput(k, 1)
		values := make([]float64, width*len(rows))
		if err := p.ReadRows(k, rows, values); err != nil {
			return err
		}
		writeNumbers(to, values)
	}
	return nil
}

func writeNumbers(to io.Writer, xs []float64) {
	for _, x := range xs {
		to.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
	}
}

// takeOver fills in what the command line leaves open from the run that is to go on. Of a run named by its directory
// it takes model and data too.
func (s *sampling) takeOver(from *resolvedOptions, flags *pflag.FlagSet, byDirectory bool) {
	o := &s.options
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
			name, path, named := strings.Cut(d, "=")
			if !named || !nameForm.MatchString(name) {
				s.data = append(s.data, under(from.Directory, d))
				continue
			}
			s.data = append(s.data, name+"="+under(from.Directory, path))
		}
	}
}

func under(dir, path string) string {
	if here, err := os.Getwd(); filepath.IsAbs(path) || dir == "" || err == nil && here == dir {
		return path
	}
	return filepath.Join(dir, path)
}

// differences names what decides the numbers and is not as it was, with the value then and now.
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
	if o.Sampler == now.Sampler && o.Settings != now.Settings {
		all = append(all, fmt.Sprintf("the settings are %+v, and were %+v", now.Settings, o.Settings))
	}
	if o.Digests.Starts != now.Digests.Starts {
		all = append(all, "the starting values of --init are not those of the run")
	}
	switch {
	case o.Digests.Data != now.Digests.Data:
		all = append(all, "the model's data are not those of the run")
	case o.Digests.Program != now.Digests.Program:
		all = append(all, "the model is not that of the run, or another version of ppl compiles it in another way")
	}
	return all
}

// checkSame refuses to go on with a run that would be another one.
func (d *runDir) checkSame(now resolvedOptions) error {
	if d.before == nil {
		return nil
	}
	if all := d.before.differences(now); len(all) > 0 {
		return usagef("the run in %s cannot go on: %s", d.path, strings.Join(all, "; "))
	}
	if now.Draws < d.info.Draws {
		return usagef("--draws %d: the run in %s has %d draws per chain already", now.Draws, d.path, d.info.Draws)
	}
	return nil
}
