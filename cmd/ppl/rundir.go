package main

import (
	"errors"
	"fmt"
	"os"

	"ppl/infer/draws"
)

// clearWay makes the run directory, so that what is wrong with it is known before warm-up and not after. It refuses one
// that holds draws, or files of another kind. A run that ended before its first draw is worth nothing and may be
// replaced.
func clearWay(dir string) (replace bool, err error) {
	r, err := draws.Open(dir)
	var notRun draws.ErrNotRun
	switch {
	case errors.Is(err, os.ErrNotExist):
		return false, failedIf(os.MkdirAll(dir, 0o777))
	case errors.As(err, &notRun) && isEmpty(dir):
		return false, nil
	case err != nil:
		return false, failed(err)
	case r.Info.Draws == 0 && r.Info.Status != draws.Running:
		return true, nil
	}
	return false, failed(fmt.Errorf("%s holds a run already (%s, %d draws per chain); choose another directory with "+
		"--out DIR, or remove it: rm -r %s",
		dir, r.Info.Status, r.Info.Draws, dir))
}

func failedIf(err error) error {
	if err != nil {
		return failed(err)
	}
	return nil
}

func isEmpty(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) == 0
}
