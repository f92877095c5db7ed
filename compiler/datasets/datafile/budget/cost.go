package budget

// A Cost is the memory that reading a text takes, in bytes for each byte of the text. The costs of formats were
// measured as the largest memory of `ppl check`, less that of an empty model, on files that consist mostly of fields,
// lines, names of columns, texts or numbers.
type Cost struct {
	Each  int64          // cost of every byte
	Of    map[byte]int64 // additional cost of bytes that end a field, an element or a line
	First map[byte]int64 // Of for the first line, if that contains the names of the columns; nil: the same as Of
}

const (
	// KeptCost is the smallest cost of a byte: the file is in memory twice, as bytes and as a string.
	KeptCost = 2
	// PackedCost is the usual number of bytes that one byte of a compressed file represents.
	PackedCost = 4
	// HighestCost bounds the cost of a byte of any file that is not compressed.
	HighestCost = PackedCost * 512
	// ContainerCost is the cost of a byte of a file in a format that compresses its contents (.npz, Parquet, Arrow). It
	// is used until the reader has found the size of the contents.
	ContainerCost = 10
	// TextCost is the memory of a text in a column, in bytes, in addition to its characters: its header, its label and
	// its entry in a table of labels.
	TextCost = 240
	// MostDeflated exceeds the number of bytes that one byte of compressed data can represent (1032 for deflate).
	MostDeflated = 1040
)

// numberCost is the memory of one number of an array, in bytes, in addition to KeptCost for the bytes of the file.
const numberCost = 44

// ArrayCost returns the cost of an array whose numbers have size bytes each.
func ArrayCost(size int) Cost { return Cost{Each: KeptCost + int64((numberCost+size-1)/size)} }
