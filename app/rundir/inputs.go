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

// A run sampled with --copy-inputs contains copies of its data files, so that it can be moved, and used for
// predictions, after the originals are gone. Its options name a copy as {run}/inputs/1-growth.csv, independent of the
// directory's name.
const (
	inputsFolder = "inputs"
	runMark      = "{run}"
)

var nameForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// IsName reports whether a text is a valid name of an array.
func IsName(text string) bool { return nameForm.MatchString(text) }

// A DataFlag is a parsed --data flag: PATH, NAME=PATH or NAME=PATH#KEY.
type DataFlag struct {
	Name string // name of the array; empty if the file names its arrays
	Path string // path of a file, or a number
	Key  string // entry or column of the file; empty for the one called Name
}

// ParseData parses a --data flag. The text before the first = is a name only if it is a valid one, so ./a=b.csv is a
// file. The text after the last # is a key only if no file has the complete name.
func ParseData(flag string) DataFlag {
	name, path, named := strings.Cut(flag, "=")
	if !named || !IsName(name) {
		return DataFlag{Path: flag}
	}
	if at := strings.LastIndexByte(path, '#'); at > 0 && !Exists(path) {
		return DataFlag{name, path[:at], path[at+1:]}
	}
	return DataFlag{Name: name, Path: path}
}

// At returns the flag with the path replaced.
func (d DataFlag) At(path string) string {
	d.Path = path
	return d.String()
}

func (d DataFlag) String() string {
	text := d.Path
	if d.Name != "" {
		text = d.Name + "=" + text
	}
	if d.Key != "" {
		text += "#" + d.Key
	}
	return text
}

// InputCopies returns the flags with each file's path replaced by that of its copy in the run. Other flags are
// unchanged.
func InputCopies(flags []string) (copies []string) {
	for k, flag := range flags {
		d := ParseData(flag)
		if info, err := os.Stat(d.Path); err != nil || info.IsDir() || strings.HasPrefix(d.Path, runMark) {
			copies = append(copies, flag)
			continue
		}
		copies = append(copies, d.At(fmt.Sprintf("%s/%s/%d-%s", runMark, inputsFolder, k+1, filepath.Base(d.Path))))
	}
	return copies
}

// InputsInRun returns the flags with paths of copies in the run abbreviated by the mark {run}, as stored in the
// options.
func InputsInRun(dir string, flags []string) (all []string) {
	folder := inRun(dir, runMark+"/"+inputsFolder)
	for _, flag := range flags {
		if d := ParseData(flag); filepath.Dir(d.Path) == folder {
			flag = d.At(runMark + "/" + inputsFolder + "/" + filepath.Base(d.Path))
		}
		all = append(all, flag)
	}
	return all
}

// CopyInputs copies the data files named by --data flags to the directory.
func (d *Dir) CopyInputs(flags []string) error {
	if err := d.Disk.MkdirAll(filepath.Join(d.Path, inputsFolder), 0o777); err != nil {
		return err
	}
	for k, to := range InputCopies(flags) {
		from := ParseData(flags[k]).Path
		to = ParseData(to).Path
		if to == from {
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

// inRun replaces the mark {run} at the beginning of a path by the run's directory.
func inRun(dir, path string) string {
	if rest, ok := strings.CutPrefix(path, runMark); ok {
		if whole, err := filepath.Abs(dir); err == nil {
			dir = whole
		}
		return filepath.Join(dir, filepath.FromSlash(rest))
	}
	return path
}

// removeInputs removes the copied data files of an earlier run.
func (d *Dir) removeInputs() error {
	folder := filepath.Join(d.Path, inputsFolder)
	entries, err := d.Disk.ReadDir(folder)
	if err != nil {
		return nil // there are no copies
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

// locate replaces the paths of model and data by paths that exist: copies in the run, or files relative to the
// directory in which the run was sampled. If the model's file no longer exists, the model is the copy in the run.
func (o *Options) locate(dir string) {
	for k, flag := range o.Data {
		d := ParseData(flag)
		o.Data[k] = d.At(o.found(inRun(dir, d.Path)))
	}
	model := o.found(o.Model)
	if own := inRun(dir, runMark+"/"+store.ModelFile); !Exists(model) && Exists(own) {
		model = own
	}
	o.Model = model
}

// found returns a path that exists: the path itself, or the path relative to the directory in which the run was
// sampled.
func (o *Options) found(path string) string {
	if whole := o.Located(path); !Exists(path) && Exists(whole) {
		return whole
	}
	return path
}
