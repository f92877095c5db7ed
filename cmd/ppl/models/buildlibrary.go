package models

import (
	"context"
	"path/filepath"
	"strings"

	"ppl/app/callable"
	"ppl/cmd/ppl/terminal"
	"ppl/runtime/sys/process"
)

// callableDensity loads the density of a model in a form that other programs can call.
func callableDensity(c *terminal.Console, model string, data []string) (callable.Density, error) {
	p, err := load(c, model, data)
	if err != nil {
		return callable.Density{}, err
	}
	return callable.Of(p)
}

// buildLibrary writes the log density of a model as a shared library, by default to the current directory.
func buildLibrary(ctx context.Context, c *terminal.Console, model string, data []string, path string) error {
	ctx, release := process.Stoppable(ctx)
	defer release()
	d, err := callableDensity(c, model, data)
	if err != nil {
		return err
	}
	if path == "" {
		path = strings.TrimSuffix(filepath.Base(model), filepath.Ext(model)) + ".so"
	}
	return callable.Build(ctx, d, path)
}
