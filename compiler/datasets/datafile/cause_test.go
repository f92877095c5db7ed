package datafile

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// technical matches words of libraries and of Go that messages for users must not contain.
var technical = regexp.MustCompile(`slice bounds|index out of range|thrift|EOF|unmarshal|negative offset|flate:|gzip:|zip:|` +
	`png:|zstd|runtime error|decoding|lz4:|nil pointer|\[\]|%!`)

// saidOf returns the errors of reading a file into memory and, if its format supports it, by rows.
func saidOf(t *testing.T, rows RowCache, path string, text []byte) (all []string) {
	if _, err := Parse(path, text); err != nil {
		all = append(all, err.Error())
	}
	if strings.Contains(path, ".arrow") || strings.HasSuffix(path, ".feather") || strings.HasSuffix(path, ".npz") {
		return all
	}
	dir := t.TempDir()
	_, err := rows.ByRows(written(t, dir, path, string(text)))
	if err == nil || strings.Contains(err.Error(), "a file too large for memory is read row by row") {
		return all
	}
	return append(all, strings.TrimPrefix(err.Error(), dir+"/"))
}

// The errors of damaged and truncated files begin with the name of the file, are short, and do not contain technical
// words.
func TestMessagesOfLibraries(t *testing.T) {
	seen, rows := map[string]bool{}, RowCache{Memory: 1, Bound: 1 << 30, Dir: t.TempDir()}
	for _, path := range []string{"mixed.parquet", "packed1.parquet", "packed2.parquet", "lz4_one_byte.parquet",
		"mixed.arrow", "mixed.arrows", "mixed.feather", "several.npz", "table.csv.gz", "images-idx3-ubyte.gz",
		"row_major.npy"} {
		text, err := os.ReadFile("testdata/" + path)
		if err != nil {
			t.Fatal(err)
		}
		for i := 3; i < len(text); i += 1 + len(text)/150 {
			broken := append([]byte(nil), text...)
			broken[i] ^= 0x55
			for _, damaged := range [][]byte{text[:i], broken} {
				for _, said := range saidOf(t, rows, path, damaged) {
					if strings.HasPrefix(said, path) && !technical.MatchString(said) && len(said) <= 400 {
						continue
					}
					if key := regexp.MustCompile(`[0-9]+`).ReplaceAllString(said, "#"); !seen[key] {
						t.Errorf("byte %d: %s", i, said)
						seen[key] = true
					}
				}
			}
		}
	}
	if !technical.MatchString("x.parquet: slice bounds out of range [1260:416]") {
		t.Error("the planted fault is not found")
	}
}
