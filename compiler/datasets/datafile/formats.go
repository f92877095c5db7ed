package datafile

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ppl/compiler/datasets/datafile/arrow"
	"ppl/compiler/datasets/datafile/budget"
	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/datafile/images"
	"ppl/compiler/datasets/datafile/jsondata"
	"ppl/compiler/datasets/datafile/numpy"
	"ppl/compiler/datasets/datafile/parquet"
	"ppl/compiler/datasets/datafile/rdump"
	"ppl/compiler/datasets/datafile/rowfile"
	"ppl/compiler/datasets/datafile/stream"
	"ppl/compiler/datasets/datafile/table"
	"ppl/compiler/datasets/datafile/tokens"
)

// A reader reads the text of a file. path is the name of the file, for errors.
type reader func(path, text string, memory budget.Memory) (*content.File, error)

// A format is a row of the tables of formats. A new format needs a package and a row.
type format struct {
	name    string   // name for error messages
	endings []string // endings of the names of its files, in lower case
	magic   string   // first bytes of its files; empty if only the ending of the name shows the format
	read    reader   // reads a file; nil if the format is not supported
	instead string   // advice if the format is not supported; if empty, the advice lists the supported formats
	table   bool     // whether a file is a table, which may be one of the files of a data set

	// byRows reads a file that is too large for memory row by row; nil if this is not possible.
	byRows func(in *stream.Input, l *stream.Learned) (rowfile.Source, error)
	// cost returns the cost of a file from its first bytes; ok is false if they are damaged. It is nil for formats that
	// compress their contents: their readers count the memory.
	cost func(path, start string) (c budget.Cost, ok bool)
}

// textFormats returns the formats that are chosen by the ending of a name.
func textFormats() []format {
	return []format{
		{endings: []string{".json"}, read: unbounded(jsondata.Read), cost: constant(jsondata.Cost())},
		{endings: []string{".jsonl", ".ndjson"}, read: unbounded(jsondata.ReadLines), table: true,
			cost: constant(jsondata.Cost())},
		{endings: []string{".csv"}, read: separated(','), table: true, byRows: table.ReadRows,
			cost: constant(table.Cost())},
		{endings: []string{".tsv", ".tab"}, read: separated('\t'), table: true, byRows: table.ReadRows,
			cost: constant(table.Cost())},
		{endings: []string{".txt"}, read: unbounded(tokens.Read), cost: constant(tokens.Cost())},
		{endings: []string{".r"}, read: unbounded(rdump.Read), cost: constant(jsondata.Cost())},
	}
}

// First bytes of compressed files and archives.
const (
	gzipMagic = stream.GzipMagic
	zipMagic  = "PK\x03\x04"
)

// binaryFormats returns the formats that are chosen by the ending of a name or by the first bytes of a file. The first
// format that fits is chosen.
func binaryFormats() []format {
	return []format{
		// CIFAR-10 precedes IDX, because a file may begin with the first bytes of IDX if its first image does.
		{name: "CIFAR-10", endings: []string{".bin"}, read: unbounded(images.ReadCIFAR), byRows: images.CIFARRows,
			cost: constant(budget.ArrayCost(1))},
		{name: "NumPy", endings: []string{".npy"}, magic: numpy.Magic, read: unbounded(numpy.Read),
			byRows: numpy.ReadRows, cost: numpy.Cost},
		{name: "Excel", endings: []string{".xlsx"}, instead: asCSV},
		{name: "Excel", endings: []string{".xls"}, magic: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", instead: asCSV},
		{name: "OpenDocument", endings: []string{".ods"}, instead: asCSV},
		{name: "zipped NumPy", endings: []string{".npz"}, magic: zipMagic, read: readArchive},
		{name: "IDX", endings: []string{"-ubyte", ".idx"}, magic: images.IDXMagic, read: unbounded(images.ReadIDX),
			byRows: images.IDXRows, cost: images.IDXCost},
		{name: "Parquet", endings: []string{".parquet"}, magic: parquet.Magic, read: parquet.Read, table: true,
			byRows: parquet.ReadRows},
		{name: "Arrow", endings: []string{".arrow"}, magic: arrow.Magic, read: arrow.Read, table: true},
		{name: "Arrow", endings: []string{".arrows"}, magic: arrow.StreamMagic, read: arrow.Read, table: true},
		{name: "Feather", endings: []string{".feather"}, magic: arrow.FeatherMagic, read: arrow.Read, table: true},
		{name: "HDF5", endings: []string{".h5"}, magic: "\x89HDF"},
		{name: "R serialised", endings: []string{".rds"}, instead: byWriteCSV},
		{name: "R workspace", endings: []string{".rda", ".rdata"}, magic: "RDX", instead: byWriteCSV},
		{name: "Python pickle", endings: []string{".pkl", ".pickle"},
			instead: "write it with x.to_parquet(\"FILE.parquet\")"},
		{name: "Stata", endings: []string{".dta"}, magic: "<stata_dta>",
			instead: "write it with export delimited using FILE.csv"},
		{name: "SPSS", endings: []string{".sav"}, magic: "$FL2", instead: "save it as CSV"},
		{name: "SAS", endings: []string{".sas7bdat"}, instead: "write it with proc export dbms=csv"},
		{name: "MATLAB", endings: []string{".mat"}, magic: "MATLAB",
			instead: "write it with writetable(x, 'FILE.csv')"},
		{name: "SQLite", endings: []string{".sqlite"}, magic: "SQLite format 3",
			instead: "write it with sqlite3 -header -csv FILE 'select …'"},
	}
}

const byWriteCSV = "write it with write.csv(x, \"FILE.csv\", row.names = FALSE)"

const asCSV = "save the sheet as CSV (in Excel: Save As, CSV UTF-8)"

const supported = "data files are JSON (.json, .jsonl), R dump (.R), CSV (.csv), TSV (.tsv, .tab), text (.txt), " +
	"NumPy (.npy, .npz), Parquet, Arrow and Feather (.arrow, .feather), IDX or CIFAR-10's binary version (.bin), " +
	"also with .gz or .zip, and folders of pictures (.png, .jpg)"

// unbounded returns a reader that ignores the memory limit, for formats whose cost has been compared with the limit.
func unbounded(read func(path, text string) (*content.File, error)) reader {
	return func(path, text string, _ budget.Memory) (*content.File, error) { return read(path, text) }
}

// separated returns the reader of tables whose columns are separated by a character.
func separated(comma rune) reader {
	return func(path, text string, _ budget.Memory) (*content.File, error) { return table.Read(path, text, comma) }
}

// constant returns the cost of a format whose files all have the same cost.
func constant(c budget.Cost) func(path, start string) (budget.Cost, bool) {
	return func(string, string) (budget.Cost, bool) { return c, true }
}

// begins reports whether a text begins with the magic of a format.
func (f *format) begins(text []byte) bool {
	return f.magic != "" && bytes.HasPrefix(text, []byte(f.magic))
}

// names reports whether the name of a file has an ending of a format.
func (f *format) names(path string) bool {
	path = strings.ToLower(path)
	return slices.ContainsFunc(f.endings, func(e string) bool { return strings.HasSuffix(path, e) })
}

// textFormat returns the text format with the ending of a name, or nil if there is none.
func textFormat(path string) *format {
	ending := strings.ToLower(filepath.Ext(path))
	for _, f := range textFormats() {
		if slices.Contains(f.endings, ending) {
			return &f
		}
	}
	return nil
}

// readerOf returns the reader for a file with a name and contents, or an error if its format is not supported.
func readerOf(path string, text []byte) (reader, error) {
	if isWorkbook(text) {
		return nil, fmt.Errorf("%s: the file is a spreadsheet workbook, which is not supported; %s", path, asCSV)
	}
	wide := bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff"))
	plain := textFormat(path)
	if _, isTable := table.CommaOf(path); plain != nil && (!bytes.ContainsRune(text, 0) || wide && isTable) {
		return plain.read, nil
	}
	for _, f := range binaryFormats() {
		switch fits := f.names(path) || f.begins(text); {
		case fits && f.read != nil:
			return f.read, nil
		case fits:
			return nil, fmt.Errorf("%s: %s files are not supported; %s", path, f.name, cmp.Or(f.instead, supported))
		}
	}
	switch {
	case wide:
		return nil, fmt.Errorf("%s: the text is in UTF-16; save it in UTF-8", path)
	case plain != nil:
		return plain.read, nil
	}
	if start := bytes.TrimSpace(text); bytes.HasPrefix(start, []byte("{")) {
		return unbounded(jsondata.Read), nil
	}
	return nil, fmt.Errorf("%s: the format of the file is not supported; %s", path, supported)
}

// rowReader returns the function that reads a file with a name and first bytes row by row, or nil if its format cannot
// be read row by row.
func rowReader(path string, start []byte) func(*stream.Input, *stream.Learned) (rowfile.Source, error) {
	for _, f := range binaryFormats() {
		if f.byRows != nil && (f.begins(start) || f.magic == "" && f.names(path)) {
			return f.byRows
		}
	}
	if f := textFormat(path); f != nil {
		return f.byRows
	}
	return nil
}

// costOf returns the cost of a file that is not compressed, from its name and first bytes.
func costOf(path string, start []byte) budget.Cost {
	head := string(start[:min(len(start), 1<<16)])
	for _, f := range binaryFormats() {
		if f.cost != nil && f.begins(start) {
			if c, ok := f.cost(path, head); ok {
				return c
			}
		}
	}
	for _, f := range binaryFormats() {
		if f.cost != nil && f.magic == "" && f.names(path) {
			if c, ok := f.cost(path, head); ok {
				return c
			}
		}
	}
	plain := textFormat(path)
	switch text := !bytes.ContainsRune(start, 0); {
	case text && plain != nil:
		c, _ := plain.cost(path, head)
		return c
	case text && bytes.HasPrefix(bytes.TrimSpace(start), []byte("{")):
		return jsondata.Cost()
	}
	return budget.Cost{Each: budget.ContainerCost}
}

// isTable reports whether the name of a file has an ending of a table format, with or without .gz.
func isTable(name string) bool {
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	for _, f := range slices.Concat(textFormats(), binaryFormats()) {
		if f.table && slices.Contains(f.endings, filepath.Ext(name)) {
			return true
		}
	}
	return false
}

// isWorkbook reports whether the contents of a file are a workbook of a spreadsheet program: a ZIP archive whose first
// entry has a name that these programs write. The name of the first entry follows the header, which has 30 bytes.
func isWorkbook(text []byte) bool {
	const header = 30
	if !bytes.HasPrefix(text, []byte(zipMagic)) || len(text) < header {
		return false
	}
	rest := text[header:]
	for _, first := range []string{"[Content_Types].xml", "docProps/", "_rels/", "xl/", "mimetype"} {
		if bytes.HasPrefix(rest, []byte(first)) {
			return true
		}
	}
	return false
}
