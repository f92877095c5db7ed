package datafile

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // so that image.Decode reads it
	_ "image/png"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ppl/lang/source"
	"ppl/numbers"
)

// A folder of pictures has a folder for each class:
//
//	digits/seven/1.png     image [N, H, W], or [N, H, W, 3] where a picture has colours: bytes, 0 to 255
//	digits/three/1.png     label [N]: the names of the folders, or numbers where all names are
//
// Pictures that lie in the folder itself have no label. They are in the order of their names, by class.

// A picture is a file of such a folder.
type picture struct{ path, class string }

// readImages reads a folder of pictures into memory.
func (s RowCache) readImages(dir string) (*File, error) {
	all, err := picturesIn(dir)
	if err != nil {
		return nil, err
	}
	first, channels, err := s.formOf(dir, all)
	if err != nil {
		return nil, err
	}
	pixels := make([]byte, 0, len(all)*first.X*first.Y*channels)
	for _, p := range all {
		if pixels, err = appendPixels(pixels, p.path, first, channels); err != nil {
			return nil, err
		}
	}
	f := newFile(dir, false)
	shape := []int{len(all), first.Y, first.X}
	if channels > 1 {
		shape = append(shape, channels)
	}
	f.add(&Array{Name: "image", Origin: dir, Int: true, Shape: shape, Values: numbers.OfBytes(pixels)})
	if all[0].class != "" {
		f.add(classesOf(dir, all))
	}
	return f, nil
}

// picturesIn lists the pictures of a folder.
func picturesIn(dir string) (all []picture, err error) {
	entries, err := entriesOf(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if !e.IsDir() {
			all = append(all, picture{path, ""})
			continue
		}
		inside, err := entriesOf(path)
		if err != nil {
			return nil, err
		}
		for _, i := range inside {
			all = append(all, picture{filepath.Join(path, i.Name()), e.Name()})
		}
	}
	for _, p := range all {
		if ending := strings.ToLower(filepath.Ext(p.path)); !slices.Contains(pictureEndings(), ending) {
			return nil, fmt.Errorf("%s is not a picture (%s); a folder of data has pictures, in a folder for each "+
				"class", p.path, strings.Join(pictureEndings(), ", "))
		}
		if (p.class == "") != (all[0].class == "") {
			return nil, fmt.Errorf("%s: some pictures are in folders that name their class, and others, such as %s, "+
				"are not", dir, p.path)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: the folder has no pictures (%s)", dir, strings.Join(pictureEndings(), ", "))
	}
	return all, nil
}

func pictureEndings() []string { return []string{".png", ".jpg", ".jpeg"} }

// entriesOf returns the files and folders in a folder, by name. Hidden ones, which systems leave there, do not count.
// Links are refused: a model may be kept to its own folder.
func entriesOf(dir string) ([]os.DirEntry, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot read data: %w", err)
	}
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") })
	for _, e := range entries {
		if !e.IsDir() && !e.Type().IsRegular() {
			return nil, fmt.Errorf("%s is not a regular file: links and the like are not read in a folder of pictures",
				filepath.Join(dir, e.Name()))
		}
	}
	return entries, nil
}

// formOf returns the size of the first picture and the number of channels: three where one has colours. Pictures that
// would not fit into memory are refused.
func (s RowCache) formOf(dir string, all []picture) (size image.Point, channels int, err error) {
	channels = 1
	for i, p := range all {
		c, err := decoded(p.path, configOf)
		if err != nil {
			return size, 0, err
		}
		if c.ColorModel != color.GrayModel && c.ColorModel != color.Gray16Model {
			channels = 3
		}
		at := image.Pt(c.Width, c.Height)
		if i == 0 {
			size = at
		}
		if at != size {
			return size, 0, fmt.Errorf("%s has %d x %d pixels, and %s has %d x %d: pictures of a folder have one size",
				p.path, at.Y, at.X, all[0].path, size.Y, size.X)
		}
	}
	// A picture takes 8 bytes a pixel while it is decoded.
	takes := (float64(keptCost*channels*len(all)) + 8) * float64(size.X) * float64(size.Y)
	if takes > float64(s.memory()) {
		return size, 0, fmt.Errorf("%s: %d pictures of %d x %d pixels take more than the %s of memory that there are",
			dir, len(all), size.Y, size.X, source.Bytes(s.memory()))
	}
	return size, channels, nil
}

// mostPixels is more than the number of pixels that a byte of a picture represents: PNG packs eight into a byte, and
// compresses that.
const mostPixels = 8 * mostDeflated

// configOf reads the head of a picture. What it declares has to fit into its file.
func configOf(f *os.File) (image.Config, error) {
	c, _, err := image.DecodeConfig(f)
	if err != nil {
		return c, err
	}
	info, err := f.Stat()
	if err == nil && float64(c.Width)*float64(c.Height) > mostPixels*float64(info.Size()) {
		err = errNoPixels
	}
	return c, err
}

var errNoPixels = errors.New("its pixels do not fit into the file")

// decoded reads one picture in some way.
func decoded[T any](path string, read func(*os.File) (T, error)) (T, error) {
	var out T
	f, err := source.Open(path)
	if err != nil {
		return out, fmt.Errorf("cannot read data: %w", err)
	}
	defer f.Close()
	if out, err = read(f); err != nil {
		return out, fmt.Errorf("%s: %w", path, cause(err))
	}
	return out, nil
}

// appendPixels appends a picture, row by row, with one channel (its grey) or three: red, green, blue.
func appendPixels(to []byte, path string, size image.Point, channels int) ([]byte, error) {
	m, err := decoded(path, func(f *os.File) (image.Image, error) {
		m, _, err := image.Decode(f)
		return m, err
	})
	if err != nil {
		return nil, err
	}
	at := m.Bounds()
	if at.Size() != size {
		return nil, fmt.Errorf("%s has %d x %d pixels, where its head says %d x %d", path, at.Dy(), at.Dx(), size.Y,
			size.X)
	}
	for y := at.Min.Y; y < at.Max.Y; y++ {
		for x := at.Min.X; x < at.Max.X; x++ {
			if channels == 1 {
				to = append(to, color.GrayModel.Convert(m.At(x, y)).(color.Gray).Y)
				continue
			}
			c := color.RGBAModel.Convert(m.At(x, y)).(color.RGBA)
			to = append(to, c.R, c.G, c.B)
		}
	}
	return to, nil
}

// classesOf returns the names of the folders that pictures lie in.
func classesOf(dir string, all []picture) *Array {
	a := &Array{Name: "label", Origin: dir, Int: true, Shape: []int{len(all)}}
	names, values, written := make([]string, len(all)), make([]float64, len(all)), true
	for i, p := range all {
		n, err := strconv.Atoi(p.class)
		names[i], values[i] = p.class, float64(n)
		written = written && err == nil && strconv.Itoa(n) == p.class
	}
	if written {
		a.Values = numbers.Packed(values)
	} else {
		a.Labels, a.Values = encode(names, make([]bool, len(all)))
	}
	return a
}
