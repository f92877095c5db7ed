// Package renhdtest has targets with known answers for the tests of renhd and its parts.
package renhdtest
