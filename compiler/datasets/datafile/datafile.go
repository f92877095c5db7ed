// Package datafile reads observed arrays from files and keeps them with their origin for diagnostics. It reads an
// entire file or refuses it with its name, the place of the mistake and how to fix it. Of the file
//
//	y,group          Arrays["y"]:     Shape [2], Values [1.5, 2], Int false
//	1.5,Oslo         Arrays["group"]: Shape [2], Values [1, 2], Labels [Oslo, Bergen]
//	2,Bergen
//
// A file that is too large for memory (RowCache) is not read but opened for reading by rows: one pass, in which only a
// few rows are in memory at a time, checks it as a reader would and writes a row file (RowFile), which is kept for
// later runs. Its arrays have no values; what is to be known of all values was learned in the pass.
//
// Stan JSON is described in the CmdStan guide ("JSON format for CmdStan"), CSV in RFC 4180; NumPy's formats, IDX,
// Parquet and Arrow where they are read. Any of them may be compressed with gzip.
package datafile

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unsafe"

	"ppl/lang/parse"
	"ppl/numbers"
)

// An Array is a named array of numbers, row-major. A missing entry (null, NA, NaN, an empty field) is NaN.
type Array struct {
	Name    string
	Shape   []int // empty for a scalar
	Values  numbers.List
	Int     bool     // every number present is an integer written without a point (true and false count as 1 and 0)
	Labels  []string // of an array of strings: sorted and distinct; Values are 1-based positions in it; else nil
	Ordered bool     // the labels are not sorted, but in an order that the file gives them
	// of a column that declares its groups, as a categorical of pandas or a factor of R does: the names in their order,
	// or the codes; also of groups that have no rows
	Levels     []string
	LevelCodes []float64

	form   dialect // of a table of text: how its numbers are written
	Days   bool    // the numbers are dates, as days since 1970-01-01
	Zeros  *Zeros  // how whole numbers are written, if some begin with zeros; else nil
	Texts  *Array  // a column of numbers as the texts that it has, if some look like identifiers (3e5); else nil
	Origin string  // file it came from, as the user named it
	Unread error   // why the values cannot be read, if they cannot: reported if a model reads the array

	// of values that have names (in objects of JSON): the name of each row, one list for each of the axes that have
	// names, outermost first; Shape is [rows, …]
	Keys [][]string

	// of lists of different lengths in a list: how many elements each has, and where the first difference is; Shape is
	// [the sum]
	Lengths []int
	Uneven  error

	Rows    *RowFile            // where the values are when they are read by rows; there are no Values then
	Columns []int               // which columns of Rows the array takes, in order
	Numbers map[float64]float64 // of codes of groups in Rows: the number of each group
	// by columns of texts in Rows: the number of the k-th text that appears there, if it is not that of its label
	Codes map[int][]float64
}

// Without returns the array with some texts or numbers read as missing. A column that had texts for no other reason is
// one of numbers then.
func (a *Array) Without(codes []string) *Array {
	b := *a
	if a.Labels == nil {
		missing := map[float64]bool{}
		for _, code := range codes {
			if n, ok, err := parseNumber(code, nil); ok && err == nil {
				missing[n.value] = true
			}
		}
		b.Values = a.Values.Map(func(v float64) float64 {
			if missing[v] {
				return math.NaN()
			}
			return v
		})
		return &b
	}
	number, isNumber := make([]float64, len(a.Labels)), true
	b.Labels, b.Int = nil, true
	for i, label := range a.Labels {
		if slices.Contains(codes, label) {
			number[i] = math.NaN()
			continue
		}
		b.Labels = append(b.Labels, label)
		n, ok, err := a.form.field(label)
		number[i], isNumber, b.Int = n.value, isNumber && ok && err == nil, b.Int && n.isInt
	}
	if isNumber {
		b.Labels = nil
	} else {
		at := 0
		for i := range number {
			number[i] = math.NaN()
			if !slices.Contains(codes, a.Labels[i]) {
				at++
				number[i] = float64(at)
			}
		}
		b.Int = true
	}
	b.Values = a.Values.Map(func(v float64) float64 {
		if v != v {
			return v
		}
		return number[int(v)-1]
	})
	return &b
}

// A File is what one data file holds.
type File struct {
	Path   string
	Arrays map[string]*Array
	Order  []string // names in file order
	// a column without a name before the others, which has names of rows; nil if there is none
	RowNames *Array
	Table    bool     // a table: every array is a column of one length
	Lone     bool     // its one array has no name in the file: here it has the file's
	Notes    []string // what a user should know of how it was read

	unread map[string]func() (*Array, error) // arrays of Order that are read when they are wanted
	rows   int                               // of a table
}

// Array returns the array of a name of the file; nil if there is none. Of formats that keep columns apart it is read
// now.
func (f *File) Array(name string) *Array {
	read, waits := f.unread[name]
	if !waits {
		return f.Arrays[name]
	}
	delete(f.unread, name)
	a, err := read()
	if err != nil {
		a = &Array{Name: name, Shape: []int{0}, Origin: f.Path, Unread: err}
	}
	f.Arrays[name] = a
	return a
}

// later enters an array that is read when it is wanted.
func (f *File) later(name string, read func() (*Array, error)) {
	if f.unread == nil {
		f.unread = map[string]func() (*Array, error){}
	}
	name = visible(name)
	f.unread[name] = func() (*Array, error) {
		a, err := read()
		if err == nil {
			a.Name = name
		}
		return a, err
	}
	f.Order = append(f.Order, name)
}

// complete reads all arrays; an error is that of a damaged file.
func (f *File) complete() (*File, error) {
	for _, name := range f.Order {
		_, waits := f.unread[name]
		a := f.Array(name)
		if waits && a.Unread != nil && !a.Refused() && !errors.As(a.Unread, &unlike{}) {
			return nil, a.Unread
		}
	}
	return f, nil
}

// Refused reports whether the values of an array are of a kind that is not read, and not damaged.
func (a *Array) Refused() bool { return errors.As(a.Unread, &unreadable{}) }

// Whole reads a file of any supported format, or a folder of pictures, into memory. The format is chosen by the ending
// of the name and otherwise by the first bytes. Errors carry the path, and the line and column where there is one. What
// would not fit into memory, such as a small compressed file that holds much, is refused before it is there.
func (s RowCache) Whole(path string) (*File, error) {
	f, err := s.Open(path)
	if err != nil {
		return nil, err
	}
	return f.complete()
}

// Open is Whole, but for columns of Parquet files, which are read when they are wanted.
func (s RowCache) Open(path string) (*File, error) {
	parts, many, err := s.Parts(path)
	switch {
	case err != nil:
		return nil, err
	case many:
		return s.openParts(path, parts)
	}
	return s.openOne(path)
}

func (s RowCache) openOne(path string) (*File, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return s.readImages(path)
	}
	if s.isParquet(path) {
		return s.parquetFile(path)
	}
	kind, text, err := s.text(path)
	if err != nil {
		return nil, err
	}
	return s.parsePlain(path, kind, text)
}

// text returns what a file holds, decompressed, and what decides its format.
func (s RowCache) text(path string) (kind string, text []byte, err error) {
	text, err = s.readAny(path, s.memory()/keptCost)
	if err != nil {
		return "", nil, fmt.Errorf("cannot read data: %w", err)
	}
	return s.unpacked(path, text)
}

// Read is Whole with the memory of the machine.
func Read(path string) (*File, error) { return DefaultRowCache().Whole(path) }

// Parse is Read of a file's contents, which must not be changed from then on; path names it in errors and decides the
// format.
func Parse(path string, text []byte) (*File, error) {
	return DefaultRowCache().parse(path, text)
}

func (s RowCache) parse(path string, text []byte) (*File, error) {
	kind, text, err := s.unpacked(path, text)
	if err != nil {
		return nil, err
	}
	return s.parsePlain(path, kind, text)
}

// unpacked returns a text without gzip, if it fits into memory, and the name that decides its format.
func (s RowCache) unpacked(path string, text []byte) (kind string, plain []byte, err error) {
	if bytes.HasPrefix(text, []byte(gzipMagic)) {
		plain, err = s.decompressed(path, text)
		return strings.TrimSuffix(nameIn(path), ".gz"), plain, err
	}
	return nameIn(path), text, s.fits(path, costOf(path, text), bytes.NewReader(text))
}

func (s RowCache) parsePlain(path, kind string, text []byte) (*File, error) {
	read, err := formatOf(kind, text)
	if err != nil {
		return nil, err
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	return read(path, asText(text), s)
}

// asText returns a text without a copy, which may be large.
func asText(text []byte) string { return unsafe.String(unsafe.SliceData(text), len(text)) }

// decompressed returns what a file compressed with gzip holds. It is decompressed twice: what it holds is counted
// before there is memory for it.
func (s RowCache) decompressed(path string, packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, cause(err))
	}
	start := bufio.NewReaderSize(r, 1<<16)
	head, _ := start.Peek(1 << 16) // a file may well be shorter
	m := s.counter(costOf(strings.TrimSuffix(path, ".gz"), head))
	if err := s.within(path, m, start); err != nil {
		return nil, err
	}
	text := make([]byte, m.bytes)
	if err = r.Reset(bytes.NewReader(packed)); err == nil {
		_, err = io.ReadFull(r, text)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, cause(err))
	}
	return text, nil
}

// A reader reads the text of a file; how much may come of it is bounded by the memory of a cache.
type reader func(path, text string, s RowCache) (*File, error)

func readers() map[string]reader {
	table := func(comma rune) reader {
		return func(path, text string, _ RowCache) (*File, error) {
			text, notes := decodeText(path, text)
			f, err := readTable(path, oneKindOfLines(text), comma)
			if err == nil {
				f.Notes = append(notes, f.Notes...)
			}
			return f, err
		}
	}
	return map[string]reader{".json": readJSON, ".jsonl": readJSONLines, ".ndjson": readJSONLines,
		".csv": table(','), ".tsv": table('\t'), ".tab": table('\t'), ".txt": readTokens, ".r": readRDump}
}

// A binary format is known by the bytes that its files begin with; the ending of a name alone shows what a file should
// be.
type binaryFormat struct {
	ending, magic, name string
	read                reader // nil: not read yet
	instead             string // what to do if it is not read; empty: the formats that are
}

// What compressed files and archives begin with.
const (
	gzipMagic = "\x1f\x8b"
	zipMagic  = "PK\x03\x04"
)

func binaryFormats() []binaryFormat {
	return []binaryFormat{
		{".bin", "", "CIFAR-10", readCIFAR, ""}, // first, since an image that begins with zeros begins like IDX
		{".npy", numpyMagic, "NumPy", readNPY, ""},
		{".xlsx", "", "Excel", nil, asCSV},
		{".xls", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Excel", nil, asCSV},
		{".ods", "", "OpenDocument", nil, asCSV},
		{".npz", zipMagic, "zipped NumPy", readArchive, ""},
		{"-ubyte", idxMagic, "IDX", readIDX, ""},
		{".idx", idxMagic, "IDX", readIDX, ""},
		{".parquet", parquetMagic, "Parquet", readParquet, ""},
		{".arrow", "ARROW1", "Arrow", readArrow, ""},
		{".arrows", streamMagic, "Arrow", readArrow, ""},
		{".feather", "FEA1", "Feather", readArrow, ""},
		{".h5", "\x89HDF", "HDF5", nil, ""},
		{".rds", "", "R serialised", nil, byWriteCSV},
		{".rda", "RDX", "R workspace", nil, byWriteCSV},
		{".rdata", "RDX", "R workspace", nil, byWriteCSV},
		{".pkl", "", "Python pickle", nil, "write it with x.to_parquet(\"FILE.parquet\")"},
		{".pickle", "", "Python pickle", nil, "write it with x.to_parquet(\"FILE.parquet\")"},
		{".dta", "<stata_dta>", "Stata", nil, "write it with export delimited using FILE.csv"},
		{".sav", "$FL2", "SPSS", nil, "save it as CSV"},
		{".sas7bdat", "", "SAS", nil, "write it with proc export dbms=csv"},
		{".mat", "MATLAB", "MATLAB", nil, "write it with writetable(x, 'FILE.csv')"},
		{".sqlite", "SQLite format 3", "SQLite", nil, "write it with sqlite3 -header -csv FILE 'select …'"},
	}
}

const byWriteCSV = "write it with write.csv(x, \"FILE.csv\", row.names = FALSE)"

const asCSV = "save the sheet as CSV (in Excel: Save As, CSV UTF-8)"

const supported = "data files are JSON (.json, .jsonl), R dump (.R), CSV (.csv), TSV (.tsv, .tab), text (.txt), " +
	"NumPy (.npy, .npz), Parquet, Arrow and Feather (.arrow, .feather), IDX or CIFAR-10's binary version (.bin), " +
	"also with .gz or .zip, and folders of pictures (.png, .jpg)"

func formatOf(path string, text []byte) (reader, error) {
	ending := strings.ToLower(filepath.Ext(path))
	if isWorkbook(text) {
		return nil, fmt.Errorf("%s: the file is a workbook of a spreadsheet program; %s", path, asCSV)
	}
	wide := bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff"))
	plain, isPlain := readers()[ending]
	if isPlain && (!bytes.ContainsRune(text, 0) || wide && slices.Contains([]string{".csv", ".tsv", ".tab"}, ending)) {
		return plain, nil
	}
	for _, f := range binaryFormats() {
		named, begins := strings.HasSuffix(strings.ToLower(path), f.ending), f.magic != "" &&
			bytes.HasPrefix(text, []byte(f.magic))
		switch {
		case (named || begins) && f.read != nil:
			return f.read, nil
		case named || begins:
			return nil, fmt.Errorf("%s: %s files are not read; %s", path, f.name, cmp.Or(f.instead, supported))
		}
	}
	switch {
	case wide:
		return nil, fmt.Errorf("%s: the text is in UTF-16; save it in UTF-8", path)
	case isPlain:
		return plain, nil
	}
	if start := bytes.TrimSpace(text); bytes.HasPrefix(start, []byte("{")) {
		return readJSON, nil
	}
	return nil, fmt.Errorf("%s: not a known data format; %s", path, supported)
}

// isWorkbook reports whether a file is an archive as spreadsheet programs write it, whatever it is named. The name of
// the first entry is behind the header, which has 30 bytes.
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

func newFile(path string, table bool) *File {
	return &File{Path: path, Arrays: map[string]*Array{}, Table: table}
}

// Spelled returns a name of a file as a model can write it: ph.ecog and "ph ecog" are ph_ecog, and a keyword has an
// underscore behind it, in_.
func Spelled(name string) string {
	if parse.IsKeyword(name) {
		return name + "_"
	}
	return strings.Map(func(r rune) rune {
		if r == '_' || r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '_'
	}, name)
}

// Find returns the array of a name; if there is none, the only one that is spelled so.
func (f *File) Find(name string) *Array {
	if a := f.Array(name); a != nil {
		return a
	}
	found := ""
	for _, n := range f.Order {
		if Spelled(n) == name && found != "" {
			return nil
		} else if Spelled(n) == name {
			found = n
		}
	}
	return f.Array(found)
}

// Columns returns all arrays in file order, and the names of rows.
func (f *File) Columns() (all []*Array) {
	for _, name := range f.Order {
		all = append(all, f.Array(name))
	}
	if f.RowNames != nil {
		all = append(all, f.RowNames)
	}
	return all
}

// An unreadable is the error of values in a file without damage: it is a mistake only if a model reads them.
type unreadable struct{ error }

func (u unreadable) Unwrap() error { return u.error }

// refuse enters a column that cannot be read, which is a mistake only if a model reads it.
func (f *File) refuse(name string, err error) {
	f.add(&Array{Name: name, Shape: []int{0}, Origin: f.Path, Unread: unreadable{err}})
}

func (f *File) add(a *Array) {
	a.Name = visible(a.Name)
	f.Arrays[a.Name] = a
	f.Order = append(f.Order, a.Name)
}

// encode replaces strings, made visible, by their 1-based positions among the sorted distinct ones; missing entries
// become NaN.
func encode(list []string, missing []bool) (labels []string, codes numbers.List) {
	var t texts
	for i, s := range list {
		t.add(s, missing[i])
	}
	return t.encoded()
}

// texts are a column of texts as they come, each distinct one once.
type texts struct {
	number map[string]int32 // from 1, in the order in which they came
	codes  []int32          // 0 if one is missing
}

func (t *texts) add(s string, missing bool) {
	if t.number == nil {
		t.number = map[string]int32{}
	}
	code := int32(0)
	if !missing {
		s = visible(s)
		code = t.number[s]
		if code == 0 {
			code = int32(len(t.number)) + 1
			t.number[strings.Clone(s)] = code // without the row that it stood in
		}
	}
	t.codes = append(t.codes, code)
}

func (t *texts) encoded() (labels []string, codes numbers.List) {
	labels = make([]string, 0, len(t.number))
	for s := range t.number {
		labels = append(labels, s)
	}
	sort.Strings(labels)
	position := make([]float64, len(labels)+1)
	position[0] = math.NaN()
	for i, s := range labels {
		position[t.number[s]] = float64(i + 1)
	}
	at := make([]float64, len(t.codes))
	for i, code := range t.codes {
		at[i] = position[code]
	}
	return labels, numbers.Packed(at)
}
