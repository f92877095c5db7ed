package translate

import (
	"strconv"
	"strings"
)

// A term has its text. Within the translation each index has a name of its own, a letter with a mark and a number, so
// that an index which is put in the place of another one is never caught by a sum inside. A statement gets short names
// when it is written.

// indexMark lies between the name that an index would like to have and its number.
const indexMark = '\x02'

// shownLen is about how long a text is once its indices have short names.
func shownLen(text string) int {
	n, hidden := 0, false
	for i := range len(text) {
		switch c := text[i]; {
		case c == indexMark:
			hidden = true
		case !hidden || c < '0' || c > '9':
			n, hidden = n+1, false
		}
	}
	return n
}

// shown gives the indices of a statement their short names: first those of its left side, then those that brackets
// bind, from the outermost, each another one than those around it and than the names that its brackets hold.
func (x *executor) shown(line string, slots []slot) string {
	heads := map[string]bool{}
	for _, s := range slots {
		if s.plate != nil && strings.IndexByte(s.plate.name, indexMark) > 0 {
			short := x.shortName(s.plate.name, heads, namesIn(line))
			line = replaceName(line, s.plate.name, short)
			heads[short] = true
		}
	}
	for {
		at := strings.IndexByte(line, indexMark)
		if at < 0 {
			return line
		}
		start, end := nameStart(line, at), at
		for end < len(line) && isNameByte(line[end]) {
			end++
		}
		from, to := 0, len(line)
		around := map[string]bool{}
		if strings.HasPrefix(line[end:], " in ") {
			from = openBracket(line, start)
			to = closeBracket(line, from)
			around = boundAround(line, from)
		}
		for h := range heads {
			around[h] = true
		}
		name := line[start:end]
		short := x.shortName(name, around, namesIn(line[from:to]))
		line = line[:from] + replaceName(line[from:to], name, short) + line[to:]
	}
}

// shortName is the name that an index would like to have, or another one that is in neither set.
func (x *executor) shortName(name string, around, inside map[string]bool) string {
	like := name[:strings.IndexByte(name, indexMark)]
	short := like
	for n := 0; around[short] || inside[short] || x.names.taken[short]; n++ {
		if len(like) == 1 && n < len(shortNames) {
			short = shortNames[n : n+1]
			continue
		}
		short = like + "_" + strconv.Itoa(n+2)
	}
	return short
}

const shortNames = "ijklmnopqruvwxyz"

// boundAround are the names that brackets around a place bind.
func boundAround(text string, at int) map[string]bool {
	out := map[string]bool{}
	for from := openBracket(text, at-1); from >= 0; from = openBracket(text, from-1) {
		depth := 0
		for i := from; i < at; i++ {
			switch c := text[i]; {
			case c == '(' || c == '[':
				depth++
			case c == ')' || c == ']':
				depth--
			case depth == 0 && strings.HasPrefix(text[i:], " in "):
				out[text[nameStart(text, i):i]] = true
			}
		}
	}
	return out
}

// openBracket is the place behind the bracket that is open at a place; -1 if none is.
func openBracket(text string, at int) int {
	depth := 0
	for i := at - 1; i >= 0; i-- {
		switch text[i] {
		case ')', ']':
			depth++
		case '(', '[':
			if depth--; depth < 0 {
				return i + 1
			}
		}
	}
	return -1
}

// closeBracket is the place of the bracket that closes the one before from.
func closeBracket(text string, from int) int {
	depth := 1
	for i := from; i < len(text); i++ {
		switch text[i] {
		case '(', '[':
			depth++
		case ')', ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(text)
}

func namesIn(text string) map[string]bool {
	out := map[string]bool{}
	for i := 0; i < len(text); i++ {
		j := i
		for j < len(text) && isNameByte(text[j]) {
			j++
		}
		if j > i {
			out[text[i:j]] = true
			i = j
		}
	}
	return out
}

// simplified adds up the whole numbers and names in subscripts and in the ends of ranges, if that makes them shorter.
func simplified(text string) string {
	var b strings.Builder
	start := 0     // of the present part of a subscript
	entire := true // it begins there
	subscript := []bool{false}
	flush := func(end int) {
		part := text[start:end]
		if entire && (subscript[len(subscript)-1] || strings.HasSuffix(text[:start], "..") ||
			strings.HasPrefix(text[end:], "..")) {
			part = shortest(part)
		}
		b.WriteString(part)
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '[' || c == '(':
			of := i > 0 && (isNameByte(text[i-1]) || text[i-1] == ']')
			if c == '(' && !of { // a part goes on behind parentheses around a sum
				if end := closeBracket(text, i+1); isSum(text[i+1 : end]) {
					i = end
					continue
				}
			}
			b.WriteString(text[start : i+1])
			start, entire, subscript = i+1, true, append(subscript, c == '[' && of)
		case (c == ']' || c == ')') && len(subscript) > 1:
			flush(i)
			b.WriteByte(c)
			start, entire, subscript = i+1, false, subscript[:len(subscript)-1]
		case c == ',' || c == ':' || strings.HasPrefix(text[i:], ".."):
			flush(i)
			b.WriteByte(c)
			if c == '.' {
				i++
				b.WriteByte('.')
			}
			start, entire = i+1, true
		case strings.HasPrefix(text[i:], " in "):
			b.WriteString(text[start : i+4])
			i += 3
			start, entire = i+1, true
		}
	}
	flush(len(text))
	return b.String()
}

// unbound is a text in which the indices that its brackets bind are numbered by their order, so that two texts that
// differ in such names alone are equal.
func unbound(text string) string {
	for n := 0; ; n++ {
		at := strings.Index(text, " in ")
		for at > 0 && !strings.ContainsRune(text[nameStart(text, at):at], indexMark) {
			next := strings.Index(text[at+1:], " in ")
			if next < 0 {
				return text
			}
			at += 1 + next
		}
		if at < 0 {
			return text
		}
		start := nameStart(text, at)
		from := openBracket(text, start)
		if from < 0 {
			return text
		}
		to := closeBracket(text, from)
		text = text[:from] + replaceName(text[from:to], text[start:at], "_"+strconv.Itoa(n)+"_") + text[to:]
	}
}

// nameStart is the place at which the name that ends at a place begins.
func nameStart(text string, end int) int {
	for end > 0 && isNameByte(text[end-1]) {
		end--
	}
	return end
}

// isSum reports a text of names, whole numbers, plus and minus alone.
func isSum(text string) bool { return strings.Trim(text, "+-() "+nameBytes) == "" }

const nameBytes = "_\x020123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// shortest adds up a sum of names and whole numbers, if the result is shorter.
func shortest(text string) string {
	bare := strings.TrimSpace(text)
	if !isSum(bare) || !strings.ContainsAny(bare, "+-") {
		return text
	}
	sum := &linear{coefs: map[string]int{}, atoms: map[string]term{}}
	if !addUp(bare, 1, sum) {
		return text
	}
	if short := sum.term().text; len(short) < len(bare) {
		return strings.Replace(text, bare, short, 1)
	}
	return text
}

// addUp adds a signed sum to a linear form; false for what is not one.
func addUp(text string, sign int, sum *linear) bool {
	next := sign
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		switch c := text[0]; {
		case c == '+':
			next, text = sign, text[1:]
		case c == '-':
			next, text = -sign, text[1:]
		case c == '(':
			end := closeBracket(text, 1)
			if end == len(text) || !addUp(text[1:end], next, sum) {
				return false
			}
			text = text[end+1:]
		default:
			n := len(text) - len(strings.TrimLeft(text, nameBytes))
			if n == 0 {
				return false
			}
			*sum = *combine(sum, atomOf(text[:n]), next)
			text = text[n:]
		}
	}
	return true
}

// atomOf is the linear form of a name or of a whole number.
func atomOf(word string) *linear {
	if v, err := strconv.Atoi(word); err == nil {
		return &linear{constant: v}
	}
	return atomLinear(term{text: word, strength: strengthAtom, integer: true})
}

// replaceName puts a text in the place of a name.
func replaceName(text, name, by string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		j := i
		for j < len(text) && isNameByte(text[j]) {
			j++
		}
		switch {
		case j == i:
			b.WriteByte(text[i])
			i++
		case text[i:j] == name:
			b.WriteString(by)
			i = j
		default:
			b.WriteString(text[i:j])
			i = j
		}
	}
	return b.String()
}

func isNameByte(c byte) bool {
	return c == '_' || c == indexMark || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
