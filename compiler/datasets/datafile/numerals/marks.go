package numerals

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// Numbers may be written with marks: 1,234.5 or 1.234,5 or 1 234,5 or 1'234.5. Whether a mark is a decimal mark or
// separates thousands follows from the entire file: if a column contains 2,50 or 0,125 or 1.234,5, the file has decimal
// commas, so that 1.200 in another column means 1200. If no number determines the meaning, the column is not read.

// A mark is a set of bits, one for each meaning of a character between digits.
type mark uint8

const (
	decimalPoint mark = 1 << iota
	decimalComma
	groupPoint // between thousands
	groupComma
	eitherPoint // a decimal point or between thousands: 1.200
	eitherComma
	spaced // a space or apostrophe between thousands: 1 200 or 1'200
)

const (
	points  = decimalPoint | groupComma // marks of files with decimal points
	commas  = decimalComma | groupPoint // marks of files with decimal commas
	unclear = eitherPoint | eitherComma
)

// marksOf returns the marks of a number; ok is false if the text is not a number.
func marksOf(text string) (m mark, ok bool) {
	runs, between, exponent, ok := runsOf(text)
	if !ok {
		return 0, false
	}
	n := len(between)
	if n == 0 {
		return 0, runs[0] != ""
	}
	last, group := between[n-1], between[0]
	for _, r := range between[:n-1] {
		if r != group {
			return 0, false
		}
	}
	switch grouped := groupsOf(runs[:n]); {
	case n > 1 && group != last:
		if !grouped || group != '.' && group != ',' && group != ' ' || last == ' ' {
			return 0, false
		}
		return groupMark(group) | decimalMarkOf(last), true
	case last == ' ', n > 1:
		return groupMark(last), groupsOf(runs) && !exponent
	case groupsOf(runs) && !exponent && last == '.':
		return eitherPoint, true
	case groupsOf(runs) && !exponent:
		return eitherComma, true
	}
	return decimalMarkOf(last), runs[0]+runs[1] != ""
}

func groupMark(r rune) mark {
	return map[rune]mark{'.': groupPoint, ',': groupComma, ' ': spaced}[r]
}

func decimalMarkOf(r rune) mark {
	if r == '.' {
		return decimalPoint
	}
	return decimalComma
}

// groupsOf reports whether runs of digits are groups of thousands: one to three digits that do not begin with 0, then
// three digits each.
func groupsOf(runs []string) bool {
	if len(runs[0]) < 1 || len(runs[0]) > 3 || runs[0][0] == '0' {
		return false
	}
	for _, r := range runs[1:] {
		if len(r) != 3 {
			return false
		}
	}
	return true
}

// runsOf splits a number into runs of digits and the characters between them, in which a space represents all kinds of
// spaces and apostrophes. exponent reports whether the number has an exponent. ok is false if the text is not a number.
func runsOf(text string) (runs []string, between []rune, exponent, ok bool) {
	text = strings.Replace(text, "−", "-", 1)
	rest := sign(text)
	run := 0
	for at, r := range rest {
		switch {
		case r >= '0' && r <= '9':
			continue
		case (r == 'e' || r == 'E') && at > 0:
			n, end := digits(sign(rest[at+1:]))
			return append(runs, rest[run:at]), between, true, n > 0 && end == ""
		case r == '.' || r == ',':
		case r == '\'' || r == '’' || unicode.Is(unicode.Zs, r):
			runs, between, run = append(runs, rest[run:at]), append(between, ' '), at+len(string(r))
			continue
		default:
			return nil, nil, false, false
		}
		runs, between, run = append(runs, rest[run:at]), append(between, r), at+1
	}
	return append(runs, rest[run:]), between, false, rest != ""
}

// plain returns a number in the form of a dialect with a decimal point and without other marks. It returns other texts
// unchanged.
func (d Dialect) plain(text string) string {
	m, ok := marksOf(text)
	if !ok || m&commas != 0 && !d.DecimalComma || m&points != 0 && d.DecimalComma {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '−':
			b.WriteByte('-')
		case r == '.' && !d.DecimalComma, r == ',' && d.DecimalComma:
			b.WriteByte('.')
		case r < 128 && strings.ContainsRune("+-eE0123456789", r):
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Evidence records the marks in a column of numbers, with the first text for each.
type Evidence struct {
	Seen  mark
	first [7]string // the first text with each mark
	row   [7]int    // row numbers, from 1, of the texts in first
	whole bool      // whether some number has no marks
}

// AddPlain adds a number that has no marks other than a point. It is faster than Add.
func (e *Evidence) AddPlain(text string, row int) {
	switch at := strings.IndexByte(text, '.'); {
	case at < 0:
		e.whole = true
	case e.Seen&decimalPoint == 0:
		e.Add(text, row)
	}
}

// Add adds the text of a row. ok is false if the text is not a number.
func (e *Evidence) Add(text string, row int) (ok bool) {
	m, ok := marksOf(text)
	if !ok {
		return false
	}
	e.whole = e.whole || m == 0
	for k := range e.first {
		if bit := mark(1) << k; m&bit != 0 && e.Seen&bit == 0 {
			e.first[k], e.row[k] = text, row
		}
	}
	e.Seen |= m
	return true
}

// example returns a text with one of the given marks, and its row, for messages; empty if there is none.
func (e *Evidence) example(of mark) string {
	for k, text := range e.first {
		if of&(1<<k) != 0 && text != "" {
			return fmt.Sprintf("%q (row %d)", text, e.row[k])
		}
	}
	return ""
}

// A Style describes how the numbers of a table are written.
type Style struct {
	DecimalComma bool
	shown        string        // a number that determines DecimalComma; empty if there is none
	Refused      map[int]error // errors for the columns whose numbers have two possible meanings
}

// StyleOf determines the style of a table with separator comma from the evidence of its columns of numbers.
func StyleOf(comma rune, columns map[int]*Evidence) Style {
	s := Style{Refused: map[int]error{}}
	var withPoint, withComma string
	for _, i := range slices.Sorted(maps.Keys(columns)) {
		e := columns[i]
		if e.Seen&points != 0 && e.Seen&commas != 0 {
			continue // the column has both styles
		}
		withPoint, withComma = cmp.Or(withPoint, e.example(points)), cmp.Or(withComma, e.example(commas))
	}
	s.DecimalComma = withComma != ""
	s.shown = cmp.Or(withComma, withPoint)
	for i, e := range columns {
		switch {
		case e.Seen&(points|commas|unclear) == 0:
		case e.Seen&points != 0 && e.Seen&commas != 0:
			s.Refused[i] = bothMarks(e.example(points), e.example(commas))
		case withPoint != "" && withComma != "":
			s.Refused[i] = bothMarks(withPoint, withComma)
		case e.Seen&unclear == unclear && s.shown == "", e.Seen&unclear != 0 && s.shown == "" && !usual(comma, e):
			s.Refused[i] = unclearMark(e)
		}
	}
	return s
}

func unclearMark(e *Evidence) error {
	return fmt.Errorf("%s: it is not clear whether the mark is a decimal mark or separates thousands; write numbers "+
		"without marks between thousands", e.example(unclear))
}

func bothMarks(a, b string) error {
	return fmt.Errorf("%s has a decimal point and %s a decimal comma; write all numbers of the file in one way", a, b)
}

// usual reports whether marks with two possible meanings have the usual meaning in a file with a separator of columns.
// A point is a decimal point in files separated by commas, and also in files not separated by semicolons if all numbers
// of the column have marks. A comma separates thousands in files separated by commas if other numbers of the column
// have no marks.
func usual(comma rune, e *Evidence) bool {
	if e.Seen&eitherPoint != 0 {
		return comma == ',' || comma != ';' && !e.whole
	}
	return comma == ',' && e.whole
}
