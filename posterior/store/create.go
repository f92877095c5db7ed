package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"ppl/runtime/sys/files"
)

// Options go with a new run.
type Options struct {
	Overwrite bool   // replace a run that is in the directory; never other files
	Model     string // the model as the user called it
	Source    []byte // its text, kept as model.ppl
	Resolved  any    // the options in force, kept as options.json
	Sampler   string
	Device    string
	Seed      uint64
	Draws     int      // of each chain, that the run is asked for; 0 where nobody knows
	Version   string   // of ppl
	Keep      []string // names and patterns of what is kept of a draw; all if there are none
	Decides   any      // what decides the draws besides: equal values, written as JSON, give equal draws
}

// ErrExists says that the directory has a run already; it has been left as it was.
type ErrExists struct {
	Dir    string
	Status Status
	Draws  int // draws of every chain it holds
}

func (e ErrExists) Error() string {
	return fmt.Sprintf("%s already has a run (%s, %d draws per chain): choose another directory, or remove it", e.Dir,
		e.Status, e.Draws)
}

// ErrNotRun says that a directory, or file, is none of ours.
type ErrNotRun struct {
	Dir    string
	Reason string
}

func (e ErrNotRun) Error() string { return fmt.Sprintf("%s is not a ppl run: %s", e.Dir, e.Reason) }

// Create begins a run in dir on a disk. The directory is made where it is not there. It gives ErrExists where dir holds
// a run and o.Overwrite is not set, ErrNotRun where it holds other files (they stay), else what the operating system
// says, with the file named.
func Create(disk files.System, dir string, layout Layout, o Options) (*Writer, error) {
	if err := layout.check(); err != nil {
		panic("internal error: layout of draws: " + err.Error())
	}
	disk = disk.Below(dir)
	if err := clear(disk, dir, o.Overwrite); err != nil {
		return nil, err
	}
	if err := disk.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	w := newWriter(disk, dir, layout, o)
	var err error
	if w.info.ID, err = o.identify(layout); err != nil {
		return nil, err
	}
	// run.json comes first: from here on the directory is known as ours.
	if err := writeJSON(disk, w.file(runFile), w.info); err != nil {
		return nil, err
	}
	if err := w.writeHead(layout, o); err != nil {
		return nil, err
	}
	return w, w.checkpoint()
}

// Files of a run, besides the groups.
const (
	ModelFile   = "model.ppl" // the text of the model
	runFile     = "run.json"
	layoutFile  = "layout.json"
	optionsFile = "options.json"
)

// clear makes room in dir for a new run.
func clear(disk files.System, dir string, overwrite bool) error {
	entries, err := disk.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.Name() == LockFile })
	if len(entries) == 0 {
		return nil
	}
	info, err := ReadInfoOn(disk, dir)
	if err != nil {
		return err
	}
	if !overwrite {
		return ErrExists{dir, info.Status, info.Draws}
	}
	return remove(disk, dir, entries)
}

// remove deletes what belongs to a run, the Zarr groups and our own files, and leaves whatever else the user put there.
// run.json and what the run was asked for stay, to be replaced: whenever we are killed, the directory is known for a
// run.
func remove(disk files.System, dir string, entries []fs.DirEntry) error {
	for _, e := range entries {
		if !belongs(disk, dir, e) {
			continue
		}
		if err := disk.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// belongs reports whether an entry is part of a run. A group whose disk was full when it was made has no .zgroup.
func belongs(disk files.System, dir string, e fs.DirEntry) bool {
	switch strings.TrimSuffix(e.Name(), ".partial") {
	case layoutFile, progressFile, energiesFile, hottestFile, ".zgroup", ".zattrs", ".zmetadata", posterior,
		sampleStats, observed, constantData, logPrior, logLikelihood, predictive, prior, priorPredictive, predictions,
		predictedAt:
		return true
	}
	return e.IsDir() && files.Exists(disk, filepath.Join(dir, e.Name(), ".zgroup"))
}

// ReadInfo reads run.json, whose format is what makes a directory a run; ErrNotRun where the directory is none.
func ReadInfo(dir string) (Info, error) { return ReadInfoOn(files.Disk{}, dir) }

// ReadInfoOn is ReadInfo of a run on another system than the disk of the machine.
func ReadInfoOn(disk files.System, dir string) (info Info, err error) {
	text, err := readDocument(disk, dir, runFile, mostInfo)
	if errors.Is(err, fs.ErrNotExist) {
		return info, ErrNotRun{dir, "it has no " + runFile}
	}
	if err != nil {
		return info, err
	}
	if info, err = parseInfo(dir, text); err != nil {
		return info, err
	}
	_, inMemory := disk.(*files.Memory) // it would have gone with its process
	if info.Status == Running && !inMemory && abandoned(dir, info.Updated) {
		info.Status = Killed
	}
	return info, nil
}

func parseInfo(dir string, text []byte) (info Info, err error) {
	if err := json.Unmarshal(text, &info); err != nil {
		return info, ErrNotRun{dir, runFile + ": " + jsonError(err).Error()}
	}
	if info.Format != format && info.Format != firstFormat {
		return info, ErrNotRun{dir, fmt.Sprintf("%s says its format is %q, and this version of ppl reads %q and %q%s",
			runFile, info.Format, firstFormat, format, writtenBy(info.Version))}
	}
	if (info.ID == "") != (info.Format == firstFormat) && (info.ID != "" || len(info.Written) > 0) {
		return info, damaged(dir, runFile, errors.New("its identity does not belong to its format"))
	}
	return info, nil
}

// writtenBy names the version of ppl that wrote a run, if it is known.
func writtenBy(version string) string {
	if version == "" {
		return ""
	}
	return "; ppl " + version + " wrote it"
}
