package rowfile

import "testing"

// BenchmarkChecksums checks the records of a minibatch of 256 rows of 24 numbers.
func BenchmarkChecksums(b *testing.B) {
	record := make([]byte, 25*8+sumSize)
	for b.Loop() {
		for k := range 256 {
			sumFits(record, k, 1)
		}
	}
}
