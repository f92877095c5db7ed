package numerals

// A column of codes such as 02139 contains numbers for a model that computes with them, and names of groups for others,
// which outputs show as they are written. Zeros records the spellings. If one number has two spellings, for example
// because a spreadsheet changed 02139 to 2139 in some rows, it is one group, named by the longer text, with a warning.

// Zeros has the spellings of the integers of a column in which some begin with zeros.
type Zeros struct {
	Written map[float64]string // the spelling of each number; the longest if there are several
	Twice   [2]string          // two spellings of one number, the shorter one first; empty if no number has two
}

// BeginsWithZeros reports whether a text is an integer of several digits that begins with 0.
func BeginsWithZeros(text string) bool {
	n, rest := digits(text)
	return n > 1 && rest == "" && text[0] == '0'
}

// Add records the spelling of a number, if it is an integer without a sign. It returns false if the column has more
// than MostCodes different numbers.
func (z *Zeros) Add(text string, v float64) bool {
	if n, rest := digits(text); n == 0 || rest != "" {
		return true
	}
	if z.Written == nil {
		z.Written = map[float64]string{}
	}
	switch old, known := z.Written[v]; {
	case !known && len(z.Written) == MostCodes:
		return false
	case !known:
		z.Written[v] = text
	case old != text:
		short, long := old, text
		if len(short) > len(long) {
			short, long = long, short
		}
		z.Written[v] = long
		if z.Twice[0] == "" {
			z.Twice = [2]string{short, long}
		}
	}
	return true
}

// MostCodes is the largest number of different values of a column whose spellings are recorded.
const MostCodes = 1 << 16
