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

// A DataFlag is a --data flag in its parts: PATH, NAME=PATH or NAME=PATH#KEY.
type DataFlag struct {
	Name string // of an array; empty if the file gives arrays by their names
	Path string // of a file, or a number
	Key  string // of the entry or column of the file; empty for that of the name
}

// ParseData splits a --data flag. What precedes the first = is a name only if it can be one: ./a=b.csv is a file. What
// follows the last # is a key only if there is no file whose name has it.
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

// At returns the flag with another path for the same data.
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

// InputCopies gives, for each --data flag that names a file, the name of its copy in the run; other flags are as they
// were.
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

// InputsInRun returns --data flags in which the paths of copies begin with the mark {run}, as the options store them.
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

// CopyInputs copies the data files that --data flags name into the directory.
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

// removeInputs removes the copies of data files of an earlier run.
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

// locate replaces the paths of a run's model and data by paths that exist now: copies in the run, or files relative to
// the directory in which the run was sampled. If the model's file no longer exists, it is the text that the run keeps.
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

// found returns the path of a file: if it does not exist relative to the current directory, relative to the directory
// in which the run was sampled.
func (o *Options) found(path string) string {
	if whole := o.Located(path); !Exists(path) && Exists(whole) {
		return whole
	}
	return path
}
