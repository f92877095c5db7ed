package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ppl/posterior/store"
	"ppl/runtime/sys/files"
)

// A run that is sampled with --copy-inputs has copies of its data files, so that it can be moved, and asked for
// predictions, after the files have gone. Its options name a copy as {run}/inputs/1-growth.csv, whatever the directory
// is called.
const (
	inputsFolder = "inputs"
	runMark      = "{run}"
)

// dataPath splits a --data flag into what is before the path, NAME= or nothing, and the path.
func dataPath(flag string) (name, path string) {
	name, path, named := strings.Cut(flag, "=")
	if !named || !nameForm.MatchString(name) {
		return "", flag
	}
	return name + "=", path
}

// inputCopies gives, for each --data flag that names a file, the name of its copy in the run; other flags are as they
// were.
func inputCopies(flags []string) (copies []string) {
	for k, flag := range flags {
		name, path := dataPath(flag)
		if info, err := os.Stat(path); err != nil || info.IsDir() || strings.HasPrefix(path, runMark) {
			copies = append(copies, flag)
			continue
		}
		copies = append(copies, fmt.Sprintf("%s%s/%s/%d-%s", name, runMark, inputsFolder, k+1, filepath.Base(path)))
	}
	return copies
}

// inputsInRun gives --data flags in which copies in the run have their names, as options keep them.
func inputsInRun(dir string, flags []string) (all []string) {
	folder := inRun(dir, runMark+"/"+inputsFolder)
	for _, flag := range flags {
		if name, path := dataPath(flag); filepath.Dir(path) == folder {
			flag = name + runMark + "/" + inputsFolder + "/" + filepath.Base(path)
		}
		all = append(all, flag)
	}
	return all
}

// keepInputs copies the data files into the directory of a new run.
func (run *posteriorRun) keepInputs() error {
	if !run.copyInputs {
		return nil
	}
	disk := run.dir.disk
	if err := disk.MkdirAll(filepath.Join(run.dir.path, inputsFolder), 0o777); err != nil {
		return err
	}
	for k, to := range inputCopies(run.data) {
		_, from := dataPath(run.data[k])
		if _, to = dataPath(to); to == from {
			continue
		}
		if err := copyFile(disk, from, inRun(run.dir.path, to)); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(disk files.System, from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	return files.WriteBy(disk, to, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
}

// inRun is where a path that begins with the mark of the run is.
func inRun(dir, path string) string {
	if rest, ok := strings.CutPrefix(path, runMark); ok {
		if whole, err := filepath.Abs(dir); err == nil {
			dir = whole
		}
		return filepath.Join(dir, filepath.FromSlash(rest))
	}
	return path
}

// removeInputs makes room for a new run.
func removeInputs(disk files.System, dir string) error {
	folder := filepath.Join(dir, inputsFolder)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil // there are none
	}
	var paths []string
	for _, e := range entries {
		paths = append(paths, filepath.Join(folder, e.Name()))
	}
	if err := files.RemoveAny(disk, paths...); err != nil {
		return err
	}
	return disk.Remove(folder)
}

// locate replaces the paths of a run's model and data by those where they are now: copies in the run, files of the
// directory that the run was sampled in, and for a model that has gone the text that the run keeps.
func (o *resolvedOptions) locate(dir string) {
	for k, flag := range o.Data {
		name, path := dataPath(flag)
		o.Data[k] = name + o.found(inRun(dir, path))
	}
	model := o.found(o.Model)
	if own := inRun(dir, runMark+"/"+store.ModelFile); !exists(model) && exists(own) {
		model = own
	}
	o.Model = model
}

// found is a path that is not there from here as one of the directory that the run was sampled in, if it is there.
func (o *resolvedOptions) found(path string) string {
	if whole := under(o.Directory, path); !exists(path) && exists(whole) {
		return whole
	}
	return path
}
