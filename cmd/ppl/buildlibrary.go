package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"ppl/app/callable"
	"ppl/app/devices"
	"ppl/app/fault"
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

// serveDensity answers requests on standard input until it ends.
func (c *console) serveDensity(ctx context.Context, q *pointQuery) error {
	ctx, release := process.Stoppable(ctx)
	defer release()
	if q.at != "" || q.gradient || q.asJSON || q.device == allDevices {
		return fault.Usagef("--serve reads points from standard input; --at, --gradient, --json and --device all are " +
			"for one point")
	}
	if q.device == "" {
		q.device = "auto"
	}
	if err := devices.Check(q.device); err != nil {
		return err
	}
	d, err := c.callableDensity(q.model, q.data)
	if err != nil {
		return err
	}
	on, err := devices.Open(ctx, q.device, c.notes(false).Note)
	if err != nil {
		return err
	}
	return callable.Serve(d, on, os.Stdin, c.out)
}
