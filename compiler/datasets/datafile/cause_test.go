package datafile

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The words of libraries and of this program, which say nothing to a user.
var technical = regexp.MustCompile(`slice bounds|index out of range|thrift|EOF|unmarshal|flate:|gzip:|zip:|png:|zstd|` +
	`runtime error|decoding|lz4:|nil pointer|\[\]|%!`)

// A file that is cut off or damaged is named first, and what is wrong is said in words that are not those of libraries.
func TestMessagesOfLibraries(t *testing.T) {
	seen := map[string]bool{}
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
				_, err := Parse(path, damaged)
				if err == nil {
					continue
				}
				said := err.Error()
				if !strings.HasPrefix(said, path) || technical.MatchString(said) || len(said) > 400 {
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
