package tcp

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"
)

// DefaultPort is that of rank 0.
const DefaultPort = "7437"

// leastSecret is the length of the shortest secret, in bytes: 128 random bits as text have 22 letters.
const leastSecret = 16

// A Party is what the ranks of a job have in common.
type Party struct {
	Secret []byte
	Build  string // of the program, in words for people: ranks of another one are refused
	// Silence is after which time without any sign of life a rank is taken for dead; 0: half a minute.
	Silence time.Duration
}

func (p Party) silence() time.Duration { return cmp.Or(p.Silence, 30*time.Second) }

// LongEnough reports whether a secret is too long to be guessed by trying.
func LongEnough(secret []byte) bool { return len(secret) >= leastSecret }

// Address is HOST:PORT of HOST:PORT or of HOST, which gets the default port. A host may be a name, an address of IPv4,
// or one of IPv6, in brackets if there is a port; it may be empty.
func Address(text string) (string, error) {
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		host, port = text, DefaultPort
		if strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
			host = text[1 : len(text)-1]
		}
		if _, err := netip.ParseAddr(host); err != nil && strings.ContainsAny(host, ":[") {
			return "", fmt.Errorf("%q is not HOST or HOST:PORT; write [HOST]:PORT for an address of IPv6", text)
		}
	}
	if _, err := net.LookupPort("tcp", port); err != nil {
		return "", fmt.Errorf("%q has no port from 0 to 65535", text)
	}
	return net.JoinHostPort(host, port), nil
}
