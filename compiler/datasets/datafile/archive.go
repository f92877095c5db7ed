package datafile

import (
	"archive/zip"
	"bufio"
	"bytes"
	"fmt"
	"path"
	"strings"

	"ppl/compiler/datasets/datafile/budget"
	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/datafile/damage"
	"ppl/compiler/datasets/datafile/numpy"
)

// readArchive reads a ZIP archive of NumPy arrays or of one data file. The text is the archive.
func readArchive(name, text string, memory budget.Memory) (*content.File, error) {
	z, err := zip.NewReader(strings.NewReader(text), int64(len(text)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, damage.Cause(err))
	}
	files := filesOf(z)
	for _, f := range files {
		if strings.HasSuffix(f.Name, ".npy") {
			return numpy.ReadArchive(name, z, memory)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: the archive has no files", name)
	} else if len(files) > 1 {
		return nil, fmt.Errorf("%s: the archive has %d files; unpack it and name one of them", name, len(files))
	}
	return readEntry(name, files[0], memory)
}

// filesOf lists the files of an archive, without folders and without the files that macOS adds.
func filesOf(z *zip.Reader) (files []*zip.File) {
	for _, f := range z.File {
		base := path.Base(f.Name)
		if !strings.HasSuffix(f.Name, "/") && !strings.HasPrefix(f.Name, "__MACOSX/") && base != ".DS_Store" {
			files = append(files, f)
		}
	}
	return files
}

// readEntry reads the only file of an archive. It decompresses the file twice: the first time it computes the memory
// that reading takes, before it allocates memory. It returns an error for archives in archives, because each could be a
// thousand times larger than the one around it.
func readEntry(name string, entry *zip.File, memory budget.Memory) (*content.File, error) {
	kind := path.Base(entry.Name)
	if path.Ext(kind) == "" { // pandas omits the ending of the file if the name of the archive has one
		return nil, fmt.Errorf("%s: the name of its file, %s, has no ending that shows the format, such as .csv; "+
			"unpack the file and rename it", name, kind)
	}
	if err := entryFits(name, entry, memory); err != nil {
		return nil, err
	}
	inside := name + "#" + entry.Name
	text, _, err := memory.Entry(entry, name, inside, int64(memory), func(start []byte) budget.Cost {
		return costOf(inside, start)
	})
	if err != nil {
		return nil, err
	}
	f, err := parseUnpacked(inside, kind, []byte(text), memory)
	if err == nil {
		f.Path = name
	}
	return f, err
}

// entryFits returns an error for an entry that takes more memory than allowed, or is compressed itself.
func entryFits(name string, entry *zip.File, memory budget.Memory) error {
	r, err := entry.Open()
	if err != nil {
		return fmt.Errorf("%s: %w", name, damage.Cause(err))
	}
	defer r.Close()
	in := bufio.NewReaderSize(r, 1<<16)
	start, _ := in.Peek(1 << 16) // an entry may well be shorter
	if bytes.HasPrefix(start, []byte(zipMagic)) || bytes.HasPrefix(start, []byte(gzipMagic)) {
		return fmt.Errorf("%s: its file %s is compressed itself; unpack the archive", name, entry.Name)
	}
	return memory.Fits(name, costOf(path.Base(entry.Name), start), in)
}
