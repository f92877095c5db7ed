// Package checkpoint keeps the state of a run in its directory, so that a run that was killed can go on.
//
//	err := checkpoint.Write(disk, "m.run", state)   m.run/checkpoint; the one before is now m.run/checkpoint.before
//	state, note, err := checkpoint.Read("m.run", usable)   the newest one that is whole, and usable
//
// A checkpoint is written to a temporary name, synced and renamed, and the one before is kept until the new one is
// complete. So a crash at any moment leaves one that can be read. The file has a line with its format, the SHA-256 of
// the rest, and the state in CBOR (RFC 8949), whose maps are sorted: equal states give equal bytes.
package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"github.com/fxamacker/cbor/v2"

	"ppl/runtime/files"
)

// Files of a run directory.
const (
	File    = "checkpoint"
	before  = File + ".before"
	partial = File + ".partial"
)

// ErrNone says that a directory has no checkpoint.
var ErrNone = errors.New("there is no checkpoint")

const head = "ppl checkpoint 1\n"

// Write replaces the checkpoint of a directory.
func Write(disk files.System, dir string, state any) error {
	payload, err := Encode(state)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(payload)
	path := filepath.Join(dir, File)
	err = files.Place(disk, path, func(partial string) error {
		if err := files.Write(disk, partial, []byte(head), sum[:], payload); err != nil {
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

// Encode is a state as a checkpoint holds it. Numbers take the fewest bytes that hold them exactly: those of networks
// are of single precision.
func Encode(state any) ([]byte, error) {
	mode, err := cbor.EncOptions{Sort: cbor.SortBytewiseLexical, ShortestFloat: cbor.ShortestFloat16,
		NaNConvert: cbor.NaNConvertNone, InfConvert: cbor.InfConvertNone}.UserBufferEncMode()
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer // of its own: Marshal copies what it gives from one that it keeps, and both may be large
	err = mode.MarshalToBuffer(state, &text)
	return text.Bytes(), err
}

// Decode reads what Encode gave. What the state has no field for is an error: another version of ppl wrote it.
func Decode(payload []byte, state any) error {
	mode, err := cbor.DecOptions{MaxArrayElements: math.MaxInt32, MaxMapPairs: math.MaxInt32,
		ExtraReturnErrors: cbor.ExtraDecErrorUnknownField}.DecMode()
	if err != nil {
		return err
	}
	return mode.Unmarshal(payload, state)
}

// Read decodes the newest checkpoint of a directory. Where that is damaged, or usable has an error for it, it is the
// one before, and note says so. ErrNone where there is none.
func Read[S any](dir string, usable func(S) error) (state S, note string, err error) {
	state, first := read(filepath.Join(dir, File), usable)
	if first == nil {
		return state, "", nil
	}
	state, second := read(filepath.Join(dir, before), usable)
	switch {
	case second == nil && errors.Is(first, fs.ErrNotExist):
		return state, "", nil // the run was killed between two renames
	case second == nil:
		return state, fmt.Sprintf("%v; the run goes on from the checkpoint before", first), nil
	case errors.Is(first, fs.ErrNotExist) && errors.Is(second, fs.ErrNotExist):
		return state, "", ErrNone
	case errors.Is(first, fs.ErrNotExist):
		return state, "", second
	}
	return state, "", first
}

func read[S any](path string, usable func(S) error) (state S, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return state, err
	}
	line, rest, _ := bytes.Cut(text, []byte("\n"))
	if string(line)+"\n" != head {
		return state, fmt.Errorf("%s has another format: %.40q", path, line)
	}
	if len(rest) < sha256.Size {
		return state, fmt.Errorf("%s is cut short", path)
	}
	sum, payload := rest[:sha256.Size], rest[sha256.Size:]
	if now := sha256.Sum256(payload); !bytes.Equal(sum, now[:]) {
		return state, fmt.Errorf("%s is damaged: its checksum is wrong", path)
	}
	if err := Decode(payload, &state); err != nil {
		return state, fmt.Errorf("%s: %w", path, err)
	}
	if err := usable(state); err != nil {
		return state, fmt.Errorf("%s %w", path, err)
	}
	return state, nil
}

// Remove deletes the checkpoints of a directory.
func Remove(disk files.System, dir string) error {
	return files.RemoveAny(disk, filepath.Join(dir, File), filepath.Join(dir, before), filepath.Join(dir, partial))
}
