package noise

import "testing"

func BenchmarkAt(b *testing.B) {
	var sum uint64
	for i := range b.N {
		x := At(1, 2, uint64(i), 4, 5)
		sum += x.Even
	}
	if sum == 1 {
		b.Log(sum)
	}
}

func BenchmarkNormal(b *testing.B) {
	sum := 0.0
	for i := range b.N {
		sum += Normal(1, 2, 3, 4, uint32(i))
	}
	if sum == 1 {
		b.Log(sum)
	}
}
