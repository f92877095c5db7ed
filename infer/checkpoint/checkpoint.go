// Package checkpoint stores the state of a run in its directory, so that a run that was killed can continue.
//
//	err := checkpoint.Write(disk, "m.run", head, state)         the previous one is now m.run/checkpoint.before
//	head, rest, note, err := checkpoint.Read("m.run", usable)   the newest one that is complete and usable
//	err = rest.Decode(&state)
//
// A checkpoint is written to a temporary name, synced and renamed, and the previous one is kept until the new one is
// complete. So after a crash at any time there is a readable checkpoint. The file has a line with its format, a
// sequence of CBOR values (RFC 8949, RFC 8742) with sorted maps, and the SHA-256 of these values: equal states give
// equal bytes. A large state is a Sequence, so that only one value at a time is copied in memory.
package checkpoint

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"ppl/runtime/sys/files"
	"ppl/runtime/sys/memory"
)

// Names of files in a run directory.
const (
	File    = "checkpoint"
	before  = File + ".before"
	partial = File + ".partial"
)

// ErrNone means that a directory has no checkpoint.
var ErrNone = errors.New("there is no checkpoint")

const head = "ppl checkpoint 2\n"

// Write replaces the checkpoint of a directory by states, which are written in order.
func Write(disk files.System, dir string, states ...any) error {
	disk = disk.Below(dir)
	path := filepath.Join(dir, File)
	err := files.Place(disk, path, func(partial string) error {
		write := func(to io.Writer) error { return writeAll(to, states) }
		if err := files.WriteBy(disk, partial, write); err != nil {
			return err
		}
		if err := disk.Rename(path, filepath.Join(dir, before)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
	if err != nil {
		return err
	}
	return disk.Sync(dir)
}

func writeAll(to io.Writer, states []any) error {
	out, sum := bufio.NewWriter(to), sha256.New()
	_, err := out.WriteString(head)
	for _, state := range states {
		if err == nil {
			err = encode(io.MultiWriter(out, sum), state)
		}
	}
	if err == nil {
		_, err = out.Write(sum.Sum(nil))
	}
	if err != nil {
		return err
	}
	return out.Flush()
}

// A Rest is the part of a checkpoint after the first value.
type Rest struct {
	disk      files.System
	path      string
	from, end int64
}

// Decode reads the rest into a state.
func (r Rest) Decode(state any) error {
	f, err := r.disk.Open(r.path)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	if err := decode(io.NewSectionReader(f, r.from, r.end-r.from), state); err != nil {
		return unreadable(r.path, err)
	}
	return nil
}

// unreadable returns the error for values that this version cannot read although the checksum is correct.
func unreadable(path string, err error) error {
	return notUsable(path, fmt.Errorf("cannot be read by this version of ppl; continue with the version that wrote "+
		"it%w", silent{err}))
}

// An ErrUnusable means that a checkpoint is damaged, or does not belong to the run in whose directory it is.
type ErrUnusable struct {
	Path  string
	Cause error
}

func (e ErrUnusable) Error() string { return e.Path + " " + e.Cause.Error() }

// Unwrap returns the cause.
func (e ErrUnusable) Unwrap() error { return e.Cause }

// notUsable returns an ErrUnusable, unless the cause is an error of the disk.
func notUsable(path string, err error) error {
	if errors.As(err, new(*fs.PathError)) {
		return err
	}
	return ErrUnusable{path, err}
}

// silent is an error without text, because the text before it describes the error.
type silent struct{ error }

func (silent) Error() string   { return "" }
func (s silent) Unwrap() error { return s.error }

// Read decodes the first value of the newest checkpoint of a directory. If that checkpoint is damaged, or usable
// returns an error for its first value, Read uses the previous one instead, and note says so. It returns ErrNone if the
// directory has no checkpoint.
func Read[S any](disk files.System, dir string, usable func(S) error) (state S, rest Rest, note string, err error) {
	state, rest, first := read(disk, filepath.Join(dir, File), usable)
	if first == nil {
		return state, rest, "", nil
	}
	state, rest, second := read(disk, filepath.Join(dir, before), usable)
	switch {
	case second == nil && errors.Is(first, fs.ErrNotExist):
		return state, rest, "", nil // the run was killed between two renames
	case second == nil:
		return state, rest, fmt.Sprintf("%v; the run continues from the previous checkpoint", first), nil
	case errors.Is(first, fs.ErrNotExist) && errors.Is(second, fs.ErrNotExist):
		return state, rest, "", ErrNone
	case errors.Is(first, fs.ErrNotExist):
		return state, rest, "", second
	}
	return state, rest, "", first
}

func read[S any](disk files.System, path string, usable func(S) error) (state S, rest Rest, err error) {
	f, err := disk.Open(path)
	if err != nil {
		return state, rest, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	end, err := endOfValues(f)
	if err != nil {
		return state, rest, notUsable(path, err)
	}
	values := newDecoder(io.NewSectionReader(f, int64(len(head)), end-int64(len(head))))
	if err := values.Decode(&state); err != nil {
		return state, rest, unreadable(path, err)
	}
	if err := usable(state); err != nil {
		return state, rest, notUsable(path, err)
	}
	return state, Rest{disk, path, int64(len(head) + values.NumBytesRead()), end}, nil
}

// endOfValues returns the offset at which the values of a file end. It returns an error if the file is damaged, has
// another format, or does not fit into memory.
func endOfValues(f files.File) (end int64, err error) {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, err
	}
	if most := memory.ForReading(); size > most {
		return 0, fmt.Errorf("has %d bytes, and its values do not fit into the %d bytes of available memory; "+
			"--max-memory SIZE sets this limit", size, most)
	}
	line := make([]byte, min(int64(len(head)), size))
	if _, err := f.ReadAt(line, 0); err != nil {
		return 0, err
	}
	if string(line) != head {
		line, _, _ = bytes.Cut(line, []byte("\n"))
		return 0, fmt.Errorf("has another format: it begins with %q, but this version of ppl reads %q; continue with "+
			"the version that wrote it", line, head[:len(head)-1])
	}
	end = size - sha256.Size
	if end < int64(len(head)) {
		return 0, errors.New("is damaged: its end is missing")
	}
	is, want := sha256.New(), make([]byte, sha256.Size)
	if _, err := io.Copy(is, io.NewSectionReader(f, int64(len(head)), end-int64(len(head)))); err != nil {
		return 0, err
	}
	if _, err := f.ReadAt(want, end); err != nil {
		return 0, err
	}
	if !bytes.Equal(is.Sum(nil), want) {
		return 0, errors.New("is damaged: its checksum is wrong")
	}
	return end, nil
}

// Remove deletes the checkpoints of a directory.
func Remove(disk files.System, dir string) error {
	disk = disk.Below(dir)
	return files.RemoveAny(disk, filepath.Join(dir, File), filepath.Join(dir, before), filepath.Join(dir, partial))
}
