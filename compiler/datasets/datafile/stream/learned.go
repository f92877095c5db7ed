package stream

import "errors"

// Learned has the results of earlier passes over a data file.
type Learned struct {
	Columns map[int]Retyping
	Windows map[int]bool // the numbers of the files whose text is not in UTF-8
	// whether the numbers of a table have decimal commas; nil if not known yet
	DecimalComma *bool
}

// A Retyping is the error of a pass that found that a column, the numbers or a file must be read in another way by the
// next pass.
type Retyping struct {
	Column, Row int
	Text        string // the text because of which the column is one of texts
	Dates       bool   // whether the texts of the column must be read as dates, because there are too many
	Zeros       bool   // whether some numbers of the column begin with zeros or may be identifiers
	Marks       bool   // whether the error is about DecimalComma
	// whether the numbers of the file have decimal commas
	DecimalComma bool
	Windows      bool // whether the text of a file is not in UTF-8; Column is the number of the file
}

func (r Retyping) Error() string { return "a column is of another type" }

// IsRetyping reports whether an error is a Retyping. It is called for each value of a file, so it allocates nothing if
// there is no error.
func IsRetyping(err error) bool { return err != nil && errors.As(err, &Retyping{}) }

// add adds the result of a pass.
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
