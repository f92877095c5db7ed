package rundir

import (
	"errors"
	"path/filepath"
	"strings"

	"ppl/app/fault"
	"ppl/lang/diag"
	"ppl/posterior/store"
)

// Open opens a run directory for reading. An error is of kind fault.Input, and suggests a run with a similar name.
func Open(dir string) (*store.Run, error) {
	run, err := store.Open(dir)
	if err != nil {
		return nil, Unreadable(dir, err)
	}
	return run, nil
}

// OpenPosterior opens a run whose draws are to be assessed. It returns an error if the run holds modes, not draws.
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
	return fault.Wrongf("%s holds points at which ppl optimize ended, not draws from a posterior; ppl sample "+
		"%s makes some", dir, o.Model)
}

// OpenPrior opens the prior draws of a run, from the directory prior; if that is empty, from the run's directory name
// with the ending .prior. It returns nil if there are none.
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

// Unreadable explains why a directory could not be read as a run, and names a run that may have been meant.
func Unreadable(dir string, err error) error {
	switch {
	case !Exists(dir):
		return NoRun(dir)
	case errors.As(err, new(store.ErrNotRun)):
		return fault.Wrongf("%w%s", err, instead(dir))
	}
	return fault.Wrong(err)
}

// NoRun returns the error for a path without a run, which suggests a run with a similar name.
func NoRun(dir string) error { return fault.Wrongf("there is no run in %s%s", dir, instead(dir)) }

// instead suggests the run of a model whose name was given, or the run with the most similar name.
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

// InsteadOfModel proposes the model, or the run, with the nearest name.
func InsteadOfModel(path string) string {
	near, ok := diag.NearestFile(path, func(p string) bool { return filepath.Ext(p) == ".ppl" || IsRun(p) })
	if !ok || Exists(path) {
		return ""
	}
	return "; " + diag.Meant("%s", near)
}
