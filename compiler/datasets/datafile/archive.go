package datafile

import (
	"archive/zip"
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"path"
	"strings"
)

// readArchive reads a ZIP archive: of NumPy's arrays, or of one data file, as pandas writes it and sites offer it.
func readArchive(name, text string, s RowCache) (*File, error) {
	z, err := zip.NewReader(strings.NewReader(text), int64(len(text)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, cause(err))
	}
	files := filesOf(z)
	for _, f := range files {
		if strings.HasSuffix(f.Name, ".npy") {
			return readNPZ(name, z, s)
		}
	}
	if len(files) != 1 {
		return nil, fmt.Errorf("%s: the archive holds %d files; unpack it, and name one of them", name, len(files))
	}
	return s.readOnly(name, files[0])
}

// filesOf lists the files of an archive, without folders and without what macOS adds.
func filesOf(z *zip.Reader) (files []*zip.File) {
	for _, f := range z.File {
		base := path.Base(f.Name)
		if !strings.HasSuffix(f.Name, "/") && !strings.HasPrefix(f.Name, "__MACOSX/") && base != ".DS_Store" {
			files = append(files, f)
		}
	}
	return files
}

// readOnly reads the only file of an archive. It is decompressed twice: what it holds is counted before there is memory
// for it. Archives in archives are refused: each could be a thousand times larger than the one around it.
func (s RowCache) readOnly(name string, entry *zip.File) (*File, error) {
	kind := path.Base(entry.Name)
	if path.Ext(kind) == "" { // pandas leaves it out of the name of the archive
		return nil, fmt.Errorf("%s: the name of %s in it has no ending that shows the format, such as .csv; unpack "+
			"it, and give it one", name, kind)
	}
	if err := s.entryFits(name, entry); err != nil {
		return nil, err
	}
	inside := name + "#" + entry.Name
	text, _, err := s.archiveEntry(name, inside, entry, s.memory())
	if err != nil {
		return nil, err
	}
	f, err := s.parsePlain(inside, kind, []byte(text))
	if err == nil {
		f.Path = name
	}
	return f, err
}

// entryFits returns an error for an entry that takes more memory than there is, or is compressed itself.
func (s RowCache) entryFits(name string, entry *zip.File) error {
	r, err := entry.Open()
	if err != nil {
		return fmt.Errorf("%s: %w", name, cause(err))
	}
	defer r.Close()
	in := bufio.NewReaderSize(r, 1<<16)
	start, _ := in.Peek(1 << 16) // an entry may well be shorter
	if bytes.HasPrefix(start, []byte(zipMagic)) || bytes.HasPrefix(start, []byte(gzipMagic)) {
		return fmt.Errorf("%s: %s in it is compressed again; unpack the archive", name, entry.Name)
	}
	return s.fits(name, costOf(path.Base(entry.Name), start), in)
}

// mostDeflated is more than the number of bytes that one byte of a compressed entry represents.
const mostDeflated = 1040

// archiveEntry returns the text of an entry, and how many bytes of memory reading it takes; an error if that is more
// than are left. An entry that is longer than the archive declares is refused by package zip.
func (s RowCache) archiveEntry(archive, name string, entry *zip.File, left int64) (string, int64, error) {
	r, err := entry.Open()
	if err != nil {
		return "", 0, fmt.Errorf("%s: %w", name, cause(err))
	}
	defer r.Close()
	in := bufio.NewReaderSize(r, 1<<16)
	start, _ := in.Peek(1 << 16) // an entry may well be shorter
	each := costOf(name, start).each
	if entry.UncompressedSize64 > uint64(left/each) {
		return "", 0, s.expands(archive, int64(min(entry.UncompressedSize64, math.MaxInt64)))
	}
	if entry.UncompressedSize64/mostDeflated > entry.CompressedSize64 {
		return "", 0, fmt.Errorf("%s: the file is damaged: %d compressed bytes cannot hold the %d that it declares",
			name, entry.CompressedSize64, entry.UncompressedSize64)
	}
	var text strings.Builder
	text.Grow(int(entry.UncompressedSize64))
	if _, err = io.Copy(&text, in); err != nil {
		return "", 0, fmt.Errorf("%s: %w", name, cause(err))
	}
	return text.String(), each * int64(text.Len()), nil
}
