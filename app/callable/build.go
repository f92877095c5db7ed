package callable

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"ppl/app/fault"
	"ppl/compiler/backend/library"
	"ppl/compiler/backend/lower"
	"ppl/runtime/native"
	"ppl/runtime/sys/files"
)

// Build writes the shared library to path, completely or not at all, and its header next to it.
func Build(ctx context.Context, d Density, path string) error {
	p, err := lower.Program(d.Entries)
	if err != nil {
		return fault.Of(err)
	}
	l := library.Library{Program: p, Description: d.Description.json(), Dimension: d.Description.Dimension,
		Values: d.Description.Values}
	work, err := os.MkdirTemp("", "ppl-library-")
	if err != nil {
		return fault.Of(err)
	}
	defer os.RemoveAll(work)
	blob := filepath.Join(work, "data")
	if err := files.WriteBy(files.Disk{}, blob, l.WriteBlob); err != nil {
		return fault.Of(err)
	}
	text, err := l.Text(blob)
	if err != nil {
		return fault.Of(err)
	}
	made := func(partial string) error { return native.CompileLibrary(ctx, text, partial) }
	if err := files.Place(files.Disk{}, path, made); err != nil {
		return fault.Of(err)
	}
	header := strings.TrimSuffix(path, filepath.Ext(path)) + ".h"
	if err := files.Replace(files.Disk{}, header, []byte(library.Header)); err != nil {
		return fault.Of(err)
	}
	return nil
}
