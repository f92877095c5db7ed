package main

import (
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
)

func sortBy[T any](all []T, key func(T) string) {
	slices.SortStableFunc(all, func(a, b T) int { return cmp.Compare(key(a), key(b)) })
}

// inBytes changes a file of any format: it replaces a number of one, two, four or eight bytes, most often near the
// start or end of the file, where headers and footers are; or it cuts, repeats or removes a piece.
func inBytes(r *rand.Rand, text []byte) ([]byte, string) {
	out := slices.Clone(text)
	if len(out) < 2 {
		return append(out, 1, 2, 3), "bytes added"
	}
	at := pick(r, r.IntN(len(out)), r.IntN(min(len(out), 64)), len(out)-1-r.IntN(min(len(out), 1024)))
	switch r.IntN(9) {
	case 0:
		return out[:at], fmt.Sprintf("cut at %d", at)
	case 1:
		n := min(1+r.IntN(64), len(out)-at)
		return slices.Delete(out, at, at+n), fmt.Sprintf("%d bytes removed at %d", n, at)
	case 2:
		n := min(1+r.IntN(64), len(out)-at)
		return slices.Insert(out, at, slices.Clone(out[at:at+n])...), fmt.Sprintf("%d bytes repeated at %d", n, at)
	case 3:
		return append(out, out[at:]...), fmt.Sprintf("the end from %d repeated", at)
	case 4:
		n := min(1+r.IntN(256), len(out)-at)
		for i := range n {
			out[at+i] = 0
		}
		return out, fmt.Sprintf("%d zeros at %d", n, at)
	}
	return out, changeNumber(r, out, at)
}

// changeNumber replaces a number. Its offset is usually a multiple of its size.
func changeNumber(r *rand.Rand, text []byte, at int) string {
	width := pick(r, 1, 2, 4, 8)
	if r.IntN(3) > 0 {
		at -= at % width
	}
	if at+width > len(text) {
		width, at = 1, min(at, len(text)-1)
	}
	order := pick[binary.ByteOrder](r, binary.LittleEndian, binary.LittleEndian, binary.BigEndian)
	var raw [8]byte
	copy(raw[:], text[at:at+width])
	old := binary.LittleEndian.Uint64(raw[:])
	if order == binary.ByteOrder(binary.BigEndian) {
		old = binary.BigEndian.Uint64(raw[:]) >> (64 - 8*width)
	}
	now := pick(r, 0, 1, old+1, old-1, old*2, old*1000, old<<16, uint64(len(text)), uint64(len(text))+1,
		math.MaxUint64, math.MaxInt64, math.MaxInt32, math.MaxUint32, 1<<31, 1<<40, 0x80, 0x7f, r.Uint64())
	for i := range width {
		shift := 8 * i
		if order == binary.ByteOrder(binary.BigEndian) {
			shift = 8 * (width - 1 - i)
		}
		text[at+i] = byte(now >> shift)
	}
	return fmt.Sprintf("%d bytes at %d are %#x", width, at, now)
}

// inGzip changes the content of a compressed file, or makes it much longer. The checksums are correct.
func inGzip(r *rand.Rand, text []byte, inside string) ([]byte, string) {
	in, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return inBytes(r, text)
	}
	held, err := io.ReadAll(io.LimitReader(in, 1<<24))
	if err != nil {
		return inBytes(r, text)
	}
	how := ""
	if r.IntN(5) == 0 && len(held) > 0 {
		held, how = bytes.Repeat(held, min(1<<20, 1+(1<<pick(r, 10, 20, 26))/len(held))), "repeated"
	} else {
		held, how = changedFile(r, inside, held)
	}
	return gzipped(held), how + ", compressed"
}

func gzipped(held []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(held); err != nil {
		panic(err)
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// inZip changes an entry of an archive. The checksums are correct.
func inZip(r *rand.Rand, text []byte) ([]byte, string) {
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil || len(z.File) == 0 {
		return inBytes(r, text)
	}
	var b bytes.Buffer
	out, how, changed := zip.NewWriter(&b), "", r.IntN(len(z.File))
	for i, entry := range z.File {
		in, err := entry.Open()
		if err != nil {
			return inBytes(r, text)
		}
		held, err := io.ReadAll(io.LimitReader(in, 1<<24))
		if err != nil {
			return inBytes(r, text)
		}
		name := entry.Name
		if i == changed {
			switch r.IntN(6) {
			case 0:
				name, how = pick(r, "", "../x.npy", "x", "x.npy", "a/b.npy", "x.txt"), "entry named otherwise"
			case 1:
				held, how = append(held, make([]byte, 1<<pick(r, 10, 20, 26))...), "zeros added"
			default:
				held, how = inNumpyHeader(r, held)
			}
		}
		w, err := out.Create(name)
		if err == nil {
			_, err = w.Write(held)
		}
		if err != nil {
			return inBytes(r, text)
		}
	}
	if out.Close() != nil {
		return inBytes(r, text)
	}
	return b.Bytes(), how + " in the archive"
}

var (
	numpyShape = regexp.MustCompile(`'shape': \([^)]*\)`)
	numpyType  = regexp.MustCompile(`'descr': '[^']*'`)
	numpyOrder = regexp.MustCompile(`'fortran_order': \w+`)
)

// inNumpyHeader changes the shape, type or order in the header of a NumPy file.
func inNumpyHeader(r *rand.Rand, text []byte) ([]byte, string) {
	const start = 10
	if len(text) < start || !bytes.HasPrefix(text, []byte("\x93NUMPY")) {
		return inBytes(r, text)
	}
	end := min(len(text), start+int(binary.LittleEndian.Uint16(text[8:])))
	header, how := text[start:end], ""
	replace := func(part *regexp.Regexp, by string) {
		header, how = part.ReplaceAllLiteral(header, []byte(by)), by
	}
	switch r.IntN(5) {
	case 0, 1:
		replace(numpyShape, "'shape': ("+pick(r, "", "0,", "-1,", "6,", "2, 3,", "3, 2", "99999999999999999999,",
			"2147483648, 2147483648", "4294967296, 4294967296", "9223372036854775807,", "1, 1, 1, 1, 1, 1, 6",
			"0, 9999999999",
			"x,", "2.5,")+")")
	case 2:
		replace(numpyType, "'descr': '"+pick(r, "<f8", "<f4", ">f8", "<f2", "<f16", "|b1", "|i1", "|u1", "<i8", "<u8",
			"|O",
			"<U4", "|S8", "<c16", "<M8[ns]", "f99999999999999", "")+"'")
	case 3:
		replace(numpyOrder, "'fortran_order': "+pick(r, "True", "False", "Perhaps"))
	default:
		return inBytes(r, text)
	}
	out := slices.Clone(text[:start])
	binary.LittleEndian.PutUint16(out[8:], uint16(len(header)))
	return append(append(out, header...), text[end:]...), how
}

// inPNG changes the header of a picture. The checksum is correct.
func inPNG(r *rand.Rand, text []byte) ([]byte, string) {
	const at, size = 12, 17 // the IHDR chunk: its name and its content
	if len(text) < at+size+4 {
		return inBytes(r, text)
	}
	out := slices.Clone(text)
	how := changeNumber(r, out[at+4:at+size], r.IntN(size-4))
	binary.BigEndian.PutUint32(out[at+size:], crc32.ChecksumIEEE(out[at:at+size]))
	return out, "head of the picture: " + how
}
