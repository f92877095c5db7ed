package rundir

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
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

var nameForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// IsName reports whether a text can be the name of an array.
func IsName(text string) bool { return nameForm.MatchString(text) }

// DataPath splits a --data flag into what precedes the path, NAME= or nothing, and the path. What precedes the first =
// is a name only if it can be one: ./a=b.csv is a file.
func DataPath(flag string) (name, path string) {
	name, path, named := strings.Cut(flag, "=")
	if !named || !IsName(name) {
		return "", flag
	}
	return name + "=", path
}

// InputCopies gives, for each --data flag that names a file, the name of its copy in the run; other flags are as they
// were.
func InputCopies(flags []string) (copies []string) {
	for k, flag := range flags {
		name, path := DataPath(flag)
		if info, err := os.Stat(path); err != nil || info.IsDir() || strings.HasPrefix(path, runMark) {
			copies = append(copies, flag)
			continue
		}
		copies = append(copies, fmt.Sprintf("%s%s/%s/%d-%s", name, runMark, inputsFolder, k+1, filepath.Base(path)))
	}
	return copies
}

// InputsInRun gives --data flags in which copies in the run have their names, as options keep them.
func InputsInRun(dir string, flags []string) (all []string) {
	folder := inRun(dir, runMark+"/"+inputsFolder)
	for _, flag := range flags {
		if name, path := DataPath(flag); filepath.Dir(path) == folder {
			flag = name + runMark + "/" + inputsFolder + "/" + filepath.Base(path)
		}
		all = append(all, flag)
	}
	return all
}

// CopyInputs copies the data files that --data flags name into the directory.
func (d *Dir) CopyInputs(flags []string) error {
	if err := d.Disk.MkdirAll(filepath.Join(d.Path, inputsFolder), 0o777); err != nil {
		return err
	}
	for k, to := range InputCopies(flags) {
		_, from := DataPath(flags[k])
		if _, to = DataPath(to); to == from {
			continue
		}
		if err := copyFile(d.Disk, from, filepath.Join(d.Path, strings.TrimPrefix(to, runMark))); err != nil {
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
func (d *Dir) removeInputs() error {
	folder := filepath.Join(d.Path, inputsFolder)
	entries, err := d.Disk.ReadDir(folder)
	if err != nil {
		return nil // there are none
	}
	var paths []string
	for _, e := range entries {
		paths = append(paths, filepath.Join(folder, e.Name()))
	}
	if err := files.RemoveAny(d.Disk, paths...); err != nil {
		return err
	}
	return d.Disk.Remove(folder)
}

// locate replaces the paths of a run's model and data by those where they are now: copies in the run, files of the
// directory that the run was sampled in, and for a model that has gone the text that the run keeps.
func (o *Options) locate(dir string) {
	for k, flag := range o.Data {
		name, path := DataPath(flag)
		o.Data[k] = name + o.found(inRun(dir, path))
	}
	model := o.found(o.Model)
	if own := inRun(dir, runMark+"/"+store.ModelFile); !Exists(model) && Exists(own) {
		model = own
	}
	o.Model = model
}

// found is a path that is not there from here as one of the directory that the run was sampled in, if it is there.
func (o *Options) found(path string) string {
	if whole := o.Located(path); !Exists(path) && Exists(whole) {
		return whole
	}
	return path
}
