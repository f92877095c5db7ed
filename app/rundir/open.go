package rundir

import (
	"errors"
	"path/filepath"
	"strings"

	"ppl/app/fault"
	"ppl/lang/diag"
	"ppl/posterior/store"
)

// Open opens a run directory for reading. The error is of kind fault.Input, and suggests a run with a similar name.
func Open(dir string) (*store.Run, error) {
	run, err := store.Open(dir)
	if err != nil {
		return nil, Unreadable(dir, err)
	}
	return run, nil
}

// OpenPosterior opens a run that contains posterior draws. It returns an error if the run contains modes.
func OpenPosterior(dir string) (*store.Run, error) {
	run, err := Open(dir)
	if err != nil {
		return nil, err
	}
	options, err := OptionsOf(run)
	if err != nil {
		return nil, fault.Wrong(err)
	}
	return run, options.RefuseSearch(dir)
}

// RefuseSearch returns an error if the run in a directory was a search for modes.
func (o Options) RefuseSearch(dir string) error {
	if o.Asked.Search == nil {
		return nil
	}
	return fault.Wrongf("%s holds the results of ppl optimize, not draws from a posterior; to draw some, run "+
		"ppl sample %s", dir, o.Model)
}

// OpenPrior opens a run that sampled the prior: the directory prior or, if that is empty, the run directory with the
// ending .prior. It returns nil if there is none.
func OpenPrior(dir, prior string) *store.Run {
	if prior == "" {
		prior = strings.TrimSuffix(strings.TrimRight(dir, "/"), ".run") + ".prior"
	}
	run, err := store.Open(prior)
	if err != nil {
		return nil
	}
	return run
}

// Unreadable explains why a directory could not be read as a run, and suggests a run that may have been meant.
func Unreadable(dir string, err error) error {
	switch {
	case !Exists(dir):
		return NoRun(dir)
	case errors.As(err, new(store.ErrNotRun)):
		return fault.Wrongf("%w%s", err, instead(dir))
	}
	return fault.Wrong(err)
}

// NoRun returns the error for a path without a run. It suggests a run with a similar name.
func NoRun(dir string) error { return fault.Wrongf("there is no run in %s%s", dir, instead(dir)) }

// instead suggests the run of a model whose name was given, or the run with the most similar name. It returns "" if
// there is none.
func instead(dir string) string {
	for _, name := range []string{strings.TrimSuffix(dir, ".ppl") + ".run", dir + ".prior"} {
		if name != dir && Exists(name) {
			return "; " + diag.Meant("%s", name)
		}
	}
	if near, ok := diag.NearestFile(dir, IsRun); ok {
		return "; " + diag.Meant("%s", near)
	}
	return ""
}

// InsteadOfModel suggests the model or run with the most similar name, or returns "" if the path exists or no name is
// similar.
func InsteadOfModel(path string) string {
	near, ok := diag.NearestFile(path, func(p string) bool { return filepath.Ext(p) == ".ppl" || IsRun(p) })
	if !ok || Exists(path) {
		return ""
	}
	return "; " + diag.Meant("%s", near)
}
