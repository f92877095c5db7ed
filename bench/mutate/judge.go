package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// crash matches the output of a program that has crashed.
var crash = regexp.MustCompile(`internal error|goroutine \d|panic:|runtime error|fatal error|SIG(SEGV|BUS|ABRT)`)

// library matches errors of libraries that ppl passed on unchanged, which users do not understand.
var library = regexp.MustCompile(`slice bounds|index out of range|makeslice|nil pointer|thrift|unexpected EOF|` +
	`: EOF$|cannot unmarshal|invalid character|unexpected end of JSON|` +
	`(^| )(json|gob|cbor|zstd|lz4|flate|gzip|zip|zlib|snappy|png|jpeg|csv|image|parquet): |` +
	`strconv\.|strings\.|reflect[.:]|invalid magic|(openat|lstat|readat|fstatat|mkdirat|renameat|unlinkat) |` +
	`PathError|syscall|too many levels|escapes from parent|%!|<nil>|0x[0-9a-f]{8}`)

// longestLine limits the bytes of a line of a message. Quoted lines of the user's file are not counted.
const longestLine = 600

var shown = regexp.MustCompile(`^ *\d* \|`)

// A demand is a rule that every command must satisfy. It returns the violation, or "".
type demand func(s scene, o outcome) string

func demands() []demand {
	return []demand{ends, exits, silentOnCrash, withoutLibraryErrors, shortLines, namesTheFile, withinMemory}
}

// judge returns the first violation of a rule, or "".
func judge(s scene, o outcome) string {
	for _, d := range demands() {
		if wrong := d(s, o); wrong != "" {
			return wrong
		}
	}
	return ""
}

func ends(_ scene, o outcome) string {
	if o.stuck {
		return fmt.Sprintf("it did not end within %v", mostClock)
	}
	if o.processor > mostProcessor {
		return fmt.Sprintf("it took %.0f s of processor time", o.processor.Seconds())
	}
	return ""
}

// codes returns the exit codes that a verb may have with wrong input. 2 is not one of them, because the command lines
// are correct; exits makes one exception. For sample, 130 means that the time limit was reached before the first draw;
// for diagnose, 3 means that the draws are not usable.
func codes(verb string) []int {
	switch verb {
	case "sample":
		return []int{0, 1, 130}
	case "diagnose":
		return []int{0, 1, 3}
	}
	return []int{0, 1}
}

func exits(_ scene, o outcome) string {
	if o.code == 2 && o.args[0] == "sample" && strings.Contains(o.said, "cannot be continued: ") {
		return ""
	}
	if !slices.Contains(codes(o.args[0]), o.code) {
		return fmt.Sprintf("exit code %d", o.code)
	}
	if o.code != 0 && strings.TrimSpace(o.said+o.out) == "" {
		return fmt.Sprintf("exit code %d without output", o.code)
	}
	return ""
}

func silentOnCrash(_ scene, o outcome) string {
	if found := crash.FindString(o.said); found != "" {
		return fmt.Sprintf("it says %q", found)
	}
	return ""
}

// messages returns the messages of a command without quoted lines of the user's file.
func messages(o outcome) (lines []string) {
	for _, line := range strings.Split(o.said, "\n") {
		if !shown.MatchString(line) {
			lines = append(lines, line)
		}
	}
	return lines
}

func withoutLibraryErrors(_ scene, o outcome) string {
	for _, line := range messages(o) {
		if found := library.FindString(line); found != "" {
			return fmt.Sprintf("the message is an error of a library: %q", found)
		}
	}
	return ""
}

func shortLines(_ scene, o outcome) string {
	for _, line := range messages(o) {
		if len(line) > longestLine {
			return fmt.Sprintf("a line has %d bytes", len(line))
		}
	}
	return ""
}

func namesTheFile(s scene, o outcome) string {
	if o.code == 0 || o.code == 3 || s.names == "" || strings.Contains(o.said, s.names) ||
		strings.Contains(o.out, s.names) {
		return ""
	}
	return "it does not name " + s.names
}

func withinMemory(_ scene, o outcome) string {
	if o.memory > mostMemory {
		return fmt.Sprintf("it took %d MB, and may take %s", o.memory>>20, memoryGiven)
	}
	return ""
}
