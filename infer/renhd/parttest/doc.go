// Package parttest starts runs for the tests of parts of renhd.
package parttest
