// Package images reads pictures: a folder with a folder of pictures for each class, an IDX file such as those of MNIST,
// or a file of CIFAR-10's binary version. From the folder
//
//	digits/seven/1.png     image [N, H, W], or [N, H, W, 3] if a picture has colours: bytes from 0 to 255
//	digits/three/1.png     label [N]: the names of the folders, or numbers if all names are numbers
//
// it reads the arrays on the right, with pictures in the order of their classes and names. If the pictures are in the
// folder itself, there is no label. The specifications of the other files are cited in idx.go and cifar.go.
package images

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ppl/compiler/datasets/datafile/budget"
	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/datafile/damage"
	"ppl/lang/source"
	"ppl/numbers"
)

// A picture is the path of a picture, and the name of its folder, which is its class; empty if it has no class.
type picture struct{ path, class string }

// ReadFolder reads a folder of pictures.
func ReadFolder(dir string, memory budget.Memory) (*content.File, error) {
	all, err := picturesIn(dir)
	if err != nil {
		return nil, err
	}
	first, channels, err := formOf(dir, all, memory)
	if err != nil {
		return nil, err
	}
	pixels := make([]byte, 0, len(all)*first.X*first.Y*channels)
	for _, p := range all {
		if pixels, err = appendPixels(pixels, p.path, first, channels); err != nil {
			return nil, err
		}
	}
	f := content.NewFile(dir, false)
	shape := []int{len(all), first.Y, first.X}
	if channels > 1 {
		shape = append(shape, channels)
	}
	f.Add(&content.Array{Name: "image", Origin: dir, Int: true, Shape: shape, Values: numbers.OfBytes(pixels)})
	if all[0].class != "" {
		f.Add(classesOf(dir, all))
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
			return nil, fmt.Errorf("%s is not a picture (%s); a folder of data must contain only pictures, or one "+
				"folder of pictures for each class", p.path, strings.Join(pictureEndings(), ", "))
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

// entriesOf returns the files and folders in a folder, sorted by name, without hidden ones. It returns an error for
// links and special files: a model may be restricted to its folder, and links could lead out of it.
func entriesOf(dir string) ([]os.DirEntry, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot read data: %w", err)
	}
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") })
	for _, e := range entries {
		if !e.IsDir() && !e.Type().IsRegular() {
			return nil, fmt.Errorf("%s is not a regular file; a folder of pictures must not contain links or "+
				"special files", filepath.Join(dir, e.Name()))
		}
	}
	return entries, nil
}

// formOf returns the common size of the pictures and the number of channels: 3 if some picture has colours, otherwise
// 1. It returns an error for pictures of different sizes or that do not fit into memory.
func formOf(dir string, all []picture, memory budget.Memory) (size image.Point, channels int, err error) {
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
			return size, 0, fmt.Errorf("%s has %d x %d pixels, but %s has %d x %d: pictures of a folder must have "+
				"the same size", p.path, at.Y, at.X, all[0].path, size.Y, size.X)
		}
	}
	// A picture takes 8 bytes a pixel while it is decoded.
	takes := (float64(budget.KeptCost*channels*len(all)) + 8) * float64(size.X) * float64(size.Y)
	if takes > float64(memory) {
		return size, 0, fmt.Errorf("%s: %d pictures of %d x %d pixels take more than the %s of available memory",
			dir, len(all), size.Y, size.X, source.Bytes(int64(memory)))
	}
	return size, channels, nil
}

// mostPixels exceeds the number of pixels that one byte of a picture file can represent: PNG packs eight pixels into a
// byte and compresses the bytes.
const mostPixels = 8 * budget.MostDeflated

// configOf reads the header of a picture. It returns an error if the declared size is impossible for a file of this
// length.
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

// cause returns an error that describes the error of a picture library in words for users.
func cause(err error) error {
	for _, known := range []struct {
		is   bool
		says string
	}{
		{errors.Is(err, image.ErrFormat), "the file is not a picture in PNG or JPEG"},
		{errors.Is(err, errNoPixels), "the picture is damaged: " + errNoPixels.Error()},
		{errors.As(err, new(png.FormatError)) || errors.As(err, new(png.UnsupportedError)),
			"the picture is damaged, or of a kind of PNG that is not supported"},
		{errors.As(err, new(jpeg.FormatError)) || errors.As(err, new(jpeg.UnsupportedError)),
			"the picture is damaged, or of a kind of JPEG that is not supported"},
	} {
		if known.is {
			return fmt.Errorf("%s%w", known.says, damage.Silent{Err: err})
		}
	}
	return damage.Cause(err)
}

// decoded opens a picture, calls read, and adds the path to its error.
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

// appendPixels appends the pixels of a picture, row by row, with one channel (grey) or three (red, green, blue).
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
		return nil, fmt.Errorf("%s has %d x %d pixels, but its header declares %d x %d", path, at.Dy(), at.Dx(), size.Y,
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

// classesOf returns the classes of pictures: the names of their folders, as numbers if all of them are integers.
func classesOf(dir string, all []picture) *content.Array {
	a := &content.Array{Name: "label", Origin: dir, Int: true, Shape: []int{len(all)}}
	names, values, written := make([]string, len(all)), make([]float64, len(all)), true
	for i, p := range all {
		n, err := strconv.Atoi(p.class)
		names[i], values[i] = p.class, float64(n)
		written = written && err == nil && strconv.Itoa(n) == p.class
	}
	if written {
		a.Values = numbers.Packed(values)
	} else {
		a.Labels, a.Values = content.Encode(names, make([]bool, len(all)))
	}
	return a
}
