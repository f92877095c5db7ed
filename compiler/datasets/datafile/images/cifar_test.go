package images

import (
	"slices"
	"strings"
	"testing"
)

// cifarImages returns a file of CIFAR-10's binary version with one image of each given class. Channel c of pixel k has
// the value 80 c + (k modulo 80).
func cifarImages(classes ...byte) string {
	var out strings.Builder
	for _, class := range classes {
		out.WriteByte(class)
		for channel := range 3 {
			for k := range 1024 {
				out.WriteByte(byte(80*channel + k%80))
			}
		}
	}
	return out.String()
}

// Channels are the last axis of the images, classes are those of the file, and concatenated files are read as one.
func TestCIFAR(t *testing.T) {
	f, err := ReadCIFAR("data_batch_1.bin", cifarImages(7, 0)+cifarImages(9))
	if err != nil {
		t.Fatal(err)
	}
	image, label := f.Arrays["image"], f.Arrays["label"]
	if !slices.Equal(image.Shape, []int{3, 32, 32, 3}) || !slices.Equal(label.Values.Doubles(), []float64{7, 0, 9}) {
		t.Fatalf("images %v, labels %v", image.Shape, label.Values)
	}
	for _, at := range []struct{ image, row, column int }{{0, 0, 0}, {1, 0, 31}, {2, 31, 5}} {
		first := ((at.image*32+at.row)*32 + at.column) * 3
		k := float64((at.row*32 + at.column) % 80)
		if got := image.Values.Part(first, first+3).Doubles(); !slices.Equal(got, []float64{k, 80 + k, 160 + k}) {
			t.Errorf("pixel %v is %v", at, got)
		}
	}
	for text, want := range map[string]string{
		cifarImages(1, 2)[:4000]: "d.bin: the file ends after 927 of the 3073 bytes of image 2",
		cifarImages(1, 10):       "d.bin: image 2 is of class 10, but CIFAR-10's classes are 0 to 9",
	} {
		if f, err := ReadCIFAR("d.bin", text); f != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
