package budget

// A Cost is the number of bytes of memory that reading a text takes, by the bytes of the text. It was measured as the
// largest memory of `ppl check`, less that of an empty model, on files that consist mostly of one thing: fields, lines,
// names of columns, texts or numbers.
type Cost struct {
	Each  int64          // of every byte
	Of    map[byte]int64 // additional cost of bytes that end a field, an element or a line
	First map[byte]int64 // Of for the first line, if that contains the names of the columns; nil: the same as Of
}

const (
	// KeptCost is the smallest cost of a byte: it is in memory as it was read, and as a text.
	KeptCost = 2
	// PackedCost is how many bytes one byte of a compressed file commonly contains.
	PackedCost = 4
	// HighestCost bounds the cost of a byte of any file that is not compressed.
	HighestCost = PackedCost * 512
	// ContainerCost is the cost of a byte of a file in a format that compresses its contents (.npz, Parquet, Arrow). It
	// bounds the memory until the reader has found the size of the contents.
	ContainerCost = 10
	// TextCost is the memory of a text in a column, in bytes, in addition to its characters: its header, its label and
	// its entry in a table of labels.
	TextCost = 240
	// MostDeflated exceeds the number of bytes that one byte of compressed data can represent (1032 for deflate).
	MostDeflated = 1040
)

// numberCost is the memory of a number of an array, in bytes, in addition to the bytes of its file.
const numberCost = 44

// ArrayCost returns the cost of an array whose numbers have size bytes each.
func ArrayCost(size int) Cost { return Cost{Each: KeptCost + int64((numberCost+size-1)/size)} }
