package numerals

// A column of codes such as 02139 holds numbers for a model that counts with them, and names of groups for others,
// which are to be shown as they are written. Zeros remembers how. Where one number is written in two ways, as after a
// spreadsheet took 02139 for 2139 in some rows, it is one group, named by the longer text, with a warning.

// Zeros are the spellings of the whole numbers of a column in which some begin with zeros.
type Zeros struct {
	Written map[float64]string // how each number is written, the longest if in several ways
	Twice   [2]string          // the first two spellings of one number, if there are any, the shorter one first
}

// BeginsWithZeros reports whether a text is a whole number with zeros before it.
func BeginsWithZeros(text string) bool {
	n, rest := digits(text)
	return n > 1 && rest == "" && text[0] == '0'
}

// Add notes how a number is written; false if the numbers are too many to be codes of groups.
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

// MostCodes is how many different values of a column are remembered.
const MostCodes = 1 << 16
