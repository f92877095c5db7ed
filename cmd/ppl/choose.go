package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ppl/compiler"
	"ppl/infer"
	"ppl/infer/flow"
	"ppl/infer/nuts"
	"ppl/infer/renhd"
	"ppl/infer/settings"
	"ppl/lang/diag"
	"ppl/lang/source"
)

// A samplerRow names a sampler.
type samplerRow struct {
	name   string
	doc    string
	sample infer.Sampler
	takes  func(setting string) bool

	independent bool // its draws are, so that their number says how good they are
	exchanges   bool // it is replica exchange, or a rule of it
}

// samplers that can be named; the first is the default.
func samplers() []samplerRow {
	var rows []samplerRow
	for _, p := range renhd.Presets() {
		rows = append(rows, samplerRow{p.Name, p.Doc, p.Sample, except("max_depth", "max_energy_error"), false,
			true})
	}
	return append(rows,
		samplerRow{"nuts", "the No-U-Turn sampler as in Stan: multinomial, with windowed adaptation",
			nuts.Searching(renhd.Missed),
			only("accept", "max_depth", "max_energy_error", "metric", "precision", "step_size"), false, false},
		samplerRow{"advi", "an approximation by independent normals, fitted", flow.MeanField,
			only("precision", "step_size"), true, false},
		samplerRow{"fullrank", "an approximation by one normal with correlations, fitted", flow.FullRank,
			only("precision", "step_size"), true, false},
		samplerRow{"planar", "an approximation by planar flows of normals, fitted", flow.Planar,
			only("precision", "step_size"), true, false},
		samplerRow{"flow", "an approximation by coupling flows of normals, fitted", flow.Coupling,
			only("precision", "step_size"), true, false})
}

// only are the settings of a sampler that has few of its own; what a run keeps is not the sampler's.
func only(names ...string) func(string) bool {
	names = append(names, "log_likelihood")
	return func(name string) bool { return slices.Contains(names, name) }
}

func except(names ...string) func(string) bool {
	return func(name string) bool { return !slices.Contains(names, name) }
}

// parse reads the settings of a sampler, and refuses those that are another's.
func (r samplerRow) parse(values map[string]string) (infer.Settings, error) {
	set, err := settings.Parse(values)
	if err != nil {
		return set, err
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !r.takes(name) {
			own := slices.DeleteFunc(settings.Names(), func(n string) bool { return !r.takes(n) })
			return set, fmt.Errorf("`%s` is no setting of %s, which has %s", name, r.name, strings.Join(own, ", "))
		}
	}
	return set, nil
}

func findSampler(name string) (samplerRow, bool) {
	i := slices.IndexFunc(samplers(), func(r samplerRow) bool { return r.name == name })
	if i < 0 {
		return samplerRow{}, false
	}
	return samplers()[i], true
}

func samplerNames() string {
	var names []string
	for _, r := range samplers() {
		names = append(names, r.name)
	}
	return strings.Join(names, ", ")
}

// chooseSampler settles the sampler and its settings: those of the model's infer statement, unless flags say otherwise.
func (c *console) chooseSampler(p *compiler.Program, s *sampling) (samplerRow, error) {
	if err := c.refuseRandom(p, noPosterior); err != nil {
		return samplerRow{}, err
	}
	inModel, values := p.Infer()
	if s.sampler == "" || s.sampler == inModel {
		if err := c.checkInfer(p, inModel, values, s.settings); err != nil {
			return samplerRow{}, err
		}
	} else {
		values = nil // they are another sampler's
	}
	s.sampler = firstOf(s.sampler, inModel, samplers()[0].name)
	row, ok := findSampler(s.sampler)
	if !ok {
		return row, usagef("there is no sampler %q; there are %s", s.sampler, samplerNames())
	}
	settings, err := override(row, values, s.settings)
	row, s.options.Settings = s.again.inPlaceOf(row, settings)
	return row, err
}

func firstOf(names ...string) string {
	return names[slices.IndexFunc(names, func(n string) bool { return n != "" })]
}

// checkInfer says what is wrong with the model's infer statement, at its place.
func (c *console) checkInfer(p *compiler.Program, name string, values map[string]string, flags []string) error {
	row, ok := findSampler(firstOf(name, samplers()[0].name))
	if !ok {
		return c.diagnose([]diag.Diagnostic{{Span: inferPlace(p, name), Message: "there is no sampler `" + name + "`",
			Help: "there are " + samplerNames()}})
	}
	set, err := row.parse(values)
	if err != nil {
		return c.diagnose([]diag.Diagnostic{{Span: inferPlace(p, name), Message: err.Error()}})
	}
	replaced := slices.ContainsFunc(flags, func(f string) bool { return strings.HasPrefix(f, "batch=") })
	if n, err := p.Rows(); err == nil && set.Batch > n && !replaced {
		return c.diagnose([]diag.Diagnostic{{Span: inferPlace(p, name),
			Message: fmt.Sprintf("batch = %d, but the data have %d rows", set.Batch, n),
			Help:    "leave `batch` out to use them all"}})
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

// override parses settings, those of --set flags before those of the model.
func override(row samplerRow, values map[string]string, flags []string) (infer.Settings, error) {
	all := map[string]string{}
	for name, v := range values {
		all[name] = v
	}
	for _, f := range flags {
		name, v, ok := strings.Cut(f, "=")
		if !ok || name == "" || v == "" {
			return infer.Settings{}, usagef("--set %q: write --set option=value", f)
		}
		all[name] = v
	}
	settings, err := row.parse(all)
	if err != nil {
		return settings, usagef("--set: %w", err)
	}
	return settings, nil
}
