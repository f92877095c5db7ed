package images

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// much is more memory than the pictures of the tests take.
const much = 1 << 30

// pictureFolder writes files to a new folder and returns it; files maps paths to contents.
func pictureFolder(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "pictures")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for path, content := range files {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// grey returns a PNG with h rows of w pixels with the values from, from + 1, and so on.
func grey(t *testing.T, h, w int, from byte) []byte {
	m := image.NewGray(image.Rect(0, 0, w, h))
	for i := range m.Pix {
		m.Pix[i] = from + byte(i)
	}
	return pngOf(t, m)
}

func pngOf(t *testing.T, m image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, m); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Pictures without colours have no axis for channels. Classes are the names of the folders, or numbers if all names are
// numbers. Hidden files are ignored.
func TestPictures(t *testing.T) {
	dir := pictureFolder(t, map[string][]byte{"cat/b.png": grey(t, 2, 3, 10), "cat/a.png": grey(t, 2, 3, 0),
		"ant/z.png": grey(t, 2, 3, 100), "ant/.DS_Store": []byte("x")})
	f, err := ReadFolder(dir, much)
	if err != nil {
		t.Fatal(err)
	}
	x, label := f.Arrays["image"], f.Arrays["label"]
	want := []float64{100, 101, 102, 103, 104, 105, 0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15}
	if !slices.Equal(x.Shape, []int{3, 2, 3}) || !slices.Equal(x.Values.Doubles(), want) {
		t.Errorf("images %v %v", x.Shape, x.Values.Doubles())
	}
	if !slices.Equal(label.Labels, []string{"ant", "cat"}) ||
		!slices.Equal(label.Values.Doubles(), []float64{1, 2, 2}) {
		t.Errorf("labels %v %v", label.Labels, label.Values.Doubles())
	}
	numbered := pictureFolder(t, map[string][]byte{"0/a.png": grey(t, 1, 1, 7), "10/a.png": grey(t, 1, 1, 8)})
	if f, err = ReadFolder(numbered, much); err != nil {
		t.Fatal(err)
	}
	if l := f.Arrays["label"]; l.Labels != nil || !l.Int || !slices.Equal(l.Values.Doubles(), []float64{0, 10}) {
		t.Errorf("labels %v %v", l.Labels, l.Values.Doubles())
	}
	f, err = ReadFolder(pictureFolder(t, map[string][]byte{"a.png": grey(t, 1, 1, 7)}), much)
	if err != nil || len(f.Order) != 1 {
		t.Errorf("a folder without classes: %v, %v", f, err)
	}
}

// If one picture has colours, all have three channels, which are the last axis.
func TestColouredPictures(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 2, 1))
	m.Set(0, 0, color.RGBA{1, 2, 3, 255})
	m.Set(1, 0, color.RGBA{250, 0, 9, 255})
	plain := image.NewRGBA(image.Rect(0, 0, 2, 1))
	for i := range plain.Pix {
		plain.Pix[i] = 128
	}
	var lossy bytes.Buffer
	if err := jpeg.Encode(&lossy, plain, &jpeg.Options{Quality: 100}); err != nil {
		t.Fatal(err)
	}
	f, err := ReadFolder(pictureFolder(t, map[string][]byte{"a.png": pngOf(t, m), "b.png": grey(t, 1, 2, 40),
		"c.JPG": lossy.Bytes()}), much)
	if err != nil {
		t.Fatal(err)
	}
	x := f.Arrays["image"]
	got := x.Values.Doubles()
	if !slices.Equal(x.Shape, []int{3, 1, 2, 3}) || !slices.Equal(got[:12], []float64{1, 2, 3, 250, 0, 9, 40, 40, 40,
		41, 41, 41}) {
		t.Errorf("images %v %v", x.Shape, got)
	}
	for _, v := range got[12:] {
		if math.Abs(v-128) > 2 {
			t.Errorf("a pixel of 128 became %v", v)
		}
	}
}

func TestBadPictures(t *testing.T) {
	whole := grey(t, 2, 2, 0)
	broken := slices.Clone(whole)
	broken[len(broken)-20] ^= 1 // in the compressed pixels
	many := slices.Clone(whole)
	for i := range 3 {
		many[17+i], many[21+i] = 0xff, 0xff // sizes in the head
	}
	for name, test := range map[string]struct {
		files map[string][]byte
		want  string
	}{
		"none":       {nil, "the folder has no pictures (.png, .jpg, .jpeg)"},
		"sizes":      {map[string][]byte{"a.png": whole, "b.png": grey(t, 3, 2, 0)}, "b.png has 3 x 2 pixels"},
		"other file": {map[string][]byte{"a/a.png": whole, "a/b.txt": nil}, "b.txt is not a picture (.png"},
		"mixed": {map[string][]byte{"a/a.png": whole, "b.png": whole},
			"some pictures are in folders that name their class"},
		"cut off":   {map[string][]byte{"a.png": whole[:len(whole)-30]}, "a.png: "},
		"damaged":   {map[string][]byte{"a.png": broken}, "a.png: "},
		"no PNG":    {map[string][]byte{"a.png": []byte("text")}, "a.png: the file is not a picture in PNG or JPEG"},
		"too large": {map[string][]byte{"a.png": many}, "a.png: "},
	} {
		_, err := ReadFolder(pictureFolder(t, test.files), much)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
	dir := pictureFolder(t, map[string][]byte{"a.png": whole})
	if err := os.Symlink(filepath.Join(dir, "a.png"), filepath.Join(dir, "b.png")); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFolder(dir, much); err == nil || !strings.Contains(err.Error(), "b.png is not a regular file") {
		t.Errorf("a link: %v", err)
	}
	large := pictureFolder(t, map[string][]byte{"a.png": grey(t, 4000, 4000, 0)})
	_, err := ReadFolder(large, 1)
	if err == nil || !strings.Contains(err.Error(), "take more than the") {
		t.Errorf("too large for memory: %v", err)
	}
}
