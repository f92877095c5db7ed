package main

import (
	"context"
	"path/filepath"
	"strings"

	"ppl/app/callable"
	"ppl/runtime/sys/process"
)

// callableDensity loads the density of a model for other programs.
func (c *console) callableDensity(model string, data []string) (callable.Density, error) {
	p, err := c.loaded(model, data)
	if err != nil {
		return callable.Density{}, err
	}
	return callable.Of(p)
}

// buildLibrary writes the log density of a model as a shared library, by default next to the model.
func (c *console) buildLibrary(ctx context.Context, model string, data []string, path string) error {
	ctx, release := process.Stoppable(ctx)
	defer release()
	d, err := c.callableDensity(model, data)
	if err != nil {
		return err
	}
	if path == "" {
		path = strings.TrimSuffix(filepath.Base(model), filepath.Ext(model)) + ".so"
	}
	return callable.Build(ctx, d, path)
}
