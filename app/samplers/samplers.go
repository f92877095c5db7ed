// Package samplers lists the samplers that a user can name, with the settings that each accepts:
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

// A Row describes a sampler.
type Row struct {
	Name   string
	Doc    string
	Sample infer.Sampler
	Takes  func(setting string) bool // reports whether the sampler has a setting with this name

	// Complete fills in settings that are not given and that warm-up does not choose.
	Complete func(t infer.Target, s infer.Settings) infer.Settings

	Independent bool // whether draws are independent, so that their number determines their quality
	Exchanges   bool // whether the sampler is replica exchange, or a preset of it
}

// All lists the samplers. The first is the default.
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

// Search returns a row for a search for modes, which has no settings.
func Search(method string, search infer.Sampler) Row {
	return Row{Name: method, Sample: search, Takes: func(string) bool { return false }, Complete: unchanged}
}

func unchanged(_ infer.Target, s infer.Settings) infer.Settings { return s }

// Settled returns the settings of a sampler for a target, by name, as numbers and words. A setting that is not given
// has its default, or "auto" if warm-up chooses it.
func (r Row) Settled(t infer.Target, s infer.Settings) map[string]any {
	return settings.Shown(r.Complete(t, s), r.Takes)
}

func ofNuts(_ infer.Target, s infer.Settings) infer.Settings { return nuts.Complete(s) }

// doublePrecision sets the precision in which approximations are fitted, unless it is given.
func doublePrecision(_ infer.Target, s infer.Settings) infer.Settings {
	s.Precision = cmp.Or(s.Precision, 64)
	return s
}

// only returns a function that reports whether a setting is among the given names. Every sampler accepts
// log_likelihood, which is a setting of the run.
func only(names ...string) func(string) bool {
	names = append(names, "log_likelihood")
	return func(name string) bool { return slices.Contains(names, name) }
}

func except(names ...string) func(string) bool {
	return func(name string) bool { return !slices.Contains(names, name) }
}

// Parse parses settings by name. A setting that the sampler does not have is an error.
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

// Find returns the sampler with the given name.
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

// Choose returns a sampler and its settings. The sampler is the one called name or, if name is empty, that of the
// model's infer statement. Settings are those of the infer statement, unless it names another sampler, overridden by
// given, which has the form option=value. A model without parameters always uses the sampler fixed. The error is of
// kind fault.Input if the infer statement is wrong, else fault.Usage.
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
		values = nil // these settings belong to another sampler
	}
	row, ok := Find(cmp.Or(name, inModel, All()[0].Name))
	if !ok {
		return row, none, fault.Usagef("there is no sampler %q; there are %s", name, names())
	}
	set, err := override(row, values, given)
	return row, set, err
}

// checkInfer returns an error with a position if the infer statement is wrong.
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

// override parses settings. Those in given replace those of the model.
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
