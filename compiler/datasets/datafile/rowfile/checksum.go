package rowfile

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"math"
)

// Each record of a row file ends with a checksum: CRC-32C (RFC 3720, appendix B.4), which processors compute, of its
// bytes, its place and what the file was made from. It finds damage by the disk, and records of another place or file;
// that nobody else can write there, the directory sees to.
const sumSize = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sumSeed begins the checksums of a file that was made from what has this identity.
func sumSeed(identity string) uint32 {
	sum := sha256.Sum256([]byte(identity))
	return binary.LittleEndian.Uint32(sum[:])
}

func sumOf(record []byte, place int, seed uint32) uint32 {
	return crc32.Update(seed^uint32(place)^uint32(place>>32), castagnoli, record[:len(record)-sumSize])
}

func putSum(record []byte, place int, seed uint32) {
	binary.LittleEndian.PutUint32(record[len(record)-sumSize:], sumOf(record, place, seed))
}

func sumFits(record []byte, place int, seed uint32) bool {
	return binary.LittleEndian.Uint32(record[len(record)-sumSize:]) == sumOf(record, place, seed)
}

// rowOf returns the row of the data file that a record has: its last number.
func rowOf(record []byte) int {
	return int(math.Float64frombits(binary.LittleEndian.Uint64(record[len(record)-sumSize-8:])))
}
