package rowfile

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"math"
)

// Each record of a row file ends with a checksum: the CRC-32C (RFC 3720, appendix B.4) of its bytes, its position and
// the identity of the file, for which many processors have an instruction. It detects damage by the disk, and records
// of another position or file. It does not protect from intentional changes, which the permissions of the directory
// prevent.
const sumSize = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sumSeed returns the initial value of the checksums of a row file, for the identity of the data file.
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

// rowOf returns the number of a record's row in the data file, which is the last number of the record.
func rowOf(record []byte) int {
	return int(math.Float64frombits(binary.LittleEndian.Uint64(record[len(record)-sumSize-8:])))
}
