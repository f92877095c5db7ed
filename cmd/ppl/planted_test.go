package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// plant makes links in a run directory to a file of the user, as an attacker who made the run might: with the temporary
// name of each file, and in place of files and directories that later commands write. With more arguments, the named
// files of the run become links.
func plant(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: plant RUN FILE [NAME…]")
	}
	run, victim := ts.MkAbs(args[0]), ts.MkAbs(args[1])
	var at []string
	ts.Check(filepath.WalkDir(run, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasSuffix(path, ".partial") {
			at = append(at, path+".partial")
		}
		return err
	}))
	for _, name := range []string{"progress.json", "checkpoint", "checkpoint.before", "starts", "second", "adopting",
		"ladder_energies.npy", "ladder_hottest.npy", "posterior_predictive", "predictions", "prior", ".zattrs"} {
		at = append(at, filepath.Join(run, name), filepath.Join(run, name+".partial"))
	}
	for _, path := range at {
		if _, err := os.Lstat(path); err != nil {
			ts.Check(os.Symlink(victim, path))
		}
	}
	for _, name := range args[2:] {
		ts.Check(os.RemoveAll(filepath.Join(run, name)))
		ts.Check(os.Symlink(victim, filepath.Join(run, name)))
	}
}
