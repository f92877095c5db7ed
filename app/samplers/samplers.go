// Package samplers has the samplers that can be named, with the settings that each takes:
//
//	sampler, ok := samplers.Find("nuts")
//	settings, err := sampler.Parse(map[string]string{"max_depth": "12"})
//	report, err := sampler.Sample(ctx, target, options, recorder)
package samplers

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ppl/app/fault"
	"ppl/compiler"
	"ppl/infer"
	"ppl/infer/fixed"
	"ppl/infer/flow"
	"ppl/infer/nuts"
	"ppl/infer/pathfinder"
	"ppl/infer/renhd"
	"ppl/infer/settings"
	"ppl/lang/diag"
	"ppl/lang/source"
)

// A Row is a sampler that can be named.
type Row struct {
	Name   string
	Doc    string
	Sample infer.Sampler
	Takes  func(setting string) bool // reports whether the sampler has a setting of that name

	// Complete fills in the settings that are left open and that warm-up does not choose.
	Complete func(t infer.Target, s infer.Settings) infer.Settings

	Independent bool // draws are independent, so that their number says how good they are
	Exchanges   bool // the sampler is replica exchange, or a rule of it
}

// All lists the samplers; the first is the default.
func All() []Row {
	var rows []Row
	for _, p := range renhd.Presets() {
		rows = append(rows, Row{p.Name, p.Doc, p.Sample, except("max_depth", "max_energy_error"), p.Complete,
			false, true})
	}
	return append(rows,
		Row{"nuts", "the No-U-Turn sampler as in Stan: multinomial, with windowed adaptation",
			nuts.Searching(renhd.Missed),
			only("accept", "max_depth", "max_energy_error", "metric", "precision", "step_size"), ofNuts, false, false},
		Row{"pathfinder", "an approximation by normals fitted on the way to each mode, and importance resampling",
			pathfinder.Sampler(renhd.Explore), only("precision"), doublePrecision, true, false},
		Row{"advi", "an approximation by independent normals, fitted",
			flow.Sampler(flow.MeanField, renhd.Explore),
			only("precision", "step_size"), doublePrecision, true, false},
		Row{"fullrank", "an approximation by one normal with correlations, fitted",
			flow.Sampler(flow.FullRank, renhd.Explore),
			only("precision", "step_size"), doublePrecision, true, false},
		Row{"planar", "an approximation by planar flows of normals, fitted",
			flow.Sampler(flow.Planar, renhd.Explore),
			only("precision", "step_size"), doublePrecision, true, false},
		Row{"flow", "an approximation by coupling flows of normals, fitted",
			flow.Sampler(flow.Coupling, renhd.Explore),
			only("precision", "step_size"), doublePrecision, true, false},
		Row{fixed.Name, "draws of what a model without parameters generates, for which it is always taken",
			fixed.Sample, only(), unchanged, true, false})
}

// Search returns a search for modes instead of a sampler, of which it has no settings.
func Search(method string, search infer.Sampler) Row {
	return Row{Name: method, Sample: search, Takes: func(string) bool { return false }, Complete: unchanged}
}

func unchanged(_ infer.Target, s infer.Settings) infer.Settings { return s }

// Settled lists the settings of a sampler for a target by name, as numbers and words: what is given, else the default,
// else auto, which warm-up chooses.
func (r Row) Settled(t infer.Target, s infer.Settings) map[string]any {
	return settings.Shown(r.Complete(t, s), r.Takes)
}

func ofNuts(_ infer.Target, s infer.Settings) infer.Settings { return nuts.Complete(s) }

// doublePrecision returns what approximations are fitted in.
func doublePrecision(_ infer.Target, s infer.Settings) infer.Settings {
	s.Precision = cmp.Or(s.Precision, 64)
	return s
}

// only returns a function that reports whether a sampler with few settings takes one of that name. Every sampler takes
// log_likelihood, which is a setting of the run.
func only(names ...string) func(string) bool {
	names = append(names, "log_likelihood")
	return func(name string) bool { return slices.Contains(names, name) }
}

func except(names ...string) func(string) bool {
	return func(name string) bool { return !slices.Contains(names, name) }
}

// Parse reads settings by name, and refuses those that the sampler does not have.
func (r Row) Parse(values map[string]string) (infer.Settings, error) {
	set, err := settings.Parse(values)
	if err != nil {
		return set, err
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !r.Takes(name) {
			own := slices.DeleteFunc(settings.Names(), func(n string) bool { return !r.Takes(n) })
			return set, fmt.Errorf("%s has no setting `%s`; available: %s", r.Name, name, strings.Join(own, ", "))
		}
	}
	return set, nil
}

// Find returns the sampler of a name.
func Find(name string) (Row, bool) {
	i := slices.IndexFunc(All(), func(r Row) bool { return r.Name == name })
	if i < 0 {
		return Row{}, false
	}
	return All()[i], true
}

func names() string {
	var names []string
	for _, r := range All() {
		names = append(names, r.Name)
	}
	return strings.Join(names, ", ")
}

// Choose returns the sampler of a name, or that of the model's infer statement if name is empty, with its settings:
// those of the infer statement, unless it names another sampler, and those in given, as option=value, which come first.
// A model without parameters is for fixed alone, whatever sampler was named. An error is of kind fault.Input if the
// infer statement is wrong, else fault.Usage.
func Choose(p *compiler.Program, name string, given []string) (Row, infer.Settings, error) {
	var none infer.Settings
	if err := RefuseRandom(p, NoPosterior); err != nil {
		return Row{}, none, err
	}
	inModel, values := p.Infer()
	switch {
	case p.Dim() == 0:
		name, values = fixed.Name, nil
	case cmp.Or(name, inModel) == fixed.Name:
		return Row{}, none, fault.Usagef("the sampler %s is for models without parameters, and this one has some",
			fixed.Name)
	}
	if name == "" || name == inModel {
		if err := checkInfer(p, inModel, values, given); err != nil {
			return Row{}, none, err
		}
	} else {
		values = nil // they are another sampler's
	}
	row, ok := Find(cmp.Or(name, inModel, All()[0].Name))
	if !ok {
		return row, none, fault.Usagef("there is no sampler %q; there are %s", name, names())
	}
	set, err := override(row, values, given)
	return row, set, err
}

// checkInfer returns an error for an infer statement that is wrong, at its place.
func checkInfer(p *compiler.Program, name string, values map[string]string, given []string) error {
	refuse := func(message, help string) error {
		return fault.Diagnosed([]diag.Diagnostic{{Span: inferPlace(p, name), Message: message, Help: help}})
	}
	row, ok := Find(cmp.Or(name, All()[0].Name))
	if !ok {
		return refuse("there is no sampler `"+name+"`", "there are "+names())
	}
	set, err := row.Parse(values)
	if err != nil {
		return refuse(err.Error(), "")
	}
	replaced := slices.ContainsFunc(given, func(f string) bool { return strings.HasPrefix(f, "batch=") })
	if n, err := p.Rows(); err == nil && set.Batch > n && !replaced {
		return refuse(fmt.Sprintf("batch = %d, but the data have %d rows", set.Batch, n),
			"leave `batch` out to use them all")
	}
	return nil
}

func inferPlace(p *compiler.Program, name string) source.Span {
	for _, call := range p.Model().Infer {
		if call.Name == name {
			return call.At
		}
	}
	return source.Span{}
}

// override parses settings; those that are given replace those of the model.
func override(row Row, values map[string]string, given []string) (infer.Settings, error) {
	all := map[string]string{}
	for name, v := range values {
		all[name] = v
	}
	for _, f := range given {
		name, v, ok := strings.Cut(f, "=")
		if !ok || name == "" || v == "" {
			return infer.Settings{}, fault.Usagef("--set %q: write --set option=value", f)
		}
		all[name] = v
	}
	settings, err := row.Parse(all)
	if err != nil {
		return settings, fault.Usagef("--set: %w", err)
	}
	return settings, nil
}
