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

// Create starts a run in dir, which it creates if needed. It returns ErrExists if dir contains a run and o.Overwrite is
// not set, ErrNotRun if dir contains other files (which are kept), else errors of the operating system with the file's
// name.
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
	layout.Observed, layout.Constant = inSingle(layout.Observed), inSingle(layout.Constant)
	// run.json is written first, since it marks the directory as a run.
	if err := writeJSON(disk, w.file(runFile), w.info); err != nil {
		return nil, err
	}
	if err := w.writeHead(layout, o); err != nil {
		return nil, err
	}
	return w, w.checkpoint()
}

// clear removes the run in dir, if there is one and overwrite is set. It returns ErrExists if there is one and
// overwrite is not set, and ErrNotRun if there are only other files.
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

// remove deletes the parts of a run, its Zarr groups and files, but keeps other files. It also keeps run.json and the
// stored options, which the new run replaces, so that the directory is recognised as a run even if the process is
// killed.
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

// belongs reports whether an entry is part of a run. A group may lack its .zgroup if the disk was full when it was
// created.
func belongs(disk files.System, dir string, e fs.DirEntry) bool {
	switch strings.TrimSuffix(e.Name(), ".partial") {
	case layoutFile, progressFile, energiesFile, hottestFile, ".zgroup", ".zattrs", ".zmetadata", posterior,
		sampleStats, observed, constantData, logPrior, logLikelihood, predictive, prior, priorPredictive, predictions,
		predictedAt:
		return true
	}
	return e.IsDir() && files.Exists(disk, filepath.Join(dir, e.Name(), ".zgroup"))
}

// ReadInfo reads run.json. It returns ErrNotRun if the directory is not a run, which the format in run.json decides.
func ReadInfo(dir string) (Info, error) { return ReadInfoOn(files.Disk{}, dir) }

// ReadInfoOn is ReadInfo for a run on the given file system.
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
	_, inMemory := disk.(*files.Memory) // a run in memory ends with its process, so it cannot be abandoned
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
	switch first := info.Format == firstFormat; {
	case first && info.ID != "":
		return info, damaged(dir, runFile, fmt.Errorf("it has an \"id\", which the format %q does not "+
			"have", info.Format))
	case !first && info.ID == "" && len(info.Written) > 0:
		return info, damaged(dir, runFile, fmt.Errorf("it has no \"id\", which the format %q needs", info.Format))
	}
	return info, nil
}

// writtenBy returns a clause with the version of ppl that wrote a run, or "" if it is unknown.
func writtenBy(version string) string {
	if version == "" {
		return ""
	}
	return "; ppl " + version + " wrote it"
}
