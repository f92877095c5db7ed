package stream

// Learned is what earlier passes over a data file have found out.
type Learned struct {
	Columns map[int]Retyping
	Windows map[int]bool // the numbers of the files whose text is not in UTF-8
	// whether the numbers of a table have decimal commas; nil if that is not known
	DecimalComma *bool
}

// A Retyping is the error of a pass that found out that a column, or the numbers of the file, have to be read in
// another way. The next pass does so.
type Retyping struct {
	Column, Row int
	Text        string // the text that makes the column one of texts
	Dates       bool   // the texts of the column are too many for names, and are dates
	Zeros       bool   // the column has numbers, some of which begin with zeros or may be identifiers
	Marks       bool   // for all columns: the marks in numbers have the meaning that decimalComma says
	// whether the numbers of the file have decimal commas
	DecimalComma bool
	Windows      bool // the text of a file is not in UTF-8; column is the number of the file
}

func (r Retyping) Error() string { return "a column is of another type" }

// add adds what a pass has found out.
func (l *Learned) add(r Retyping) {
	switch {
	case r.Windows:
		l.Windows[r.Column] = true
	case r.Marks:
		l.DecimalComma = &r.DecimalComma
	default:
		l.Columns[r.Column] = r
	}
}
