package tcp

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"
)

// DefaultPort is the port of rank 0.
const DefaultPort = "7437"

// leastSecret is the length of the shortest secret, in bytes: 128 random bits as text have 22 letters.
const leastSecret = 16

// A Party holds the settings that the ranks of a job share.
type Party struct {
	Secret []byte
	Build  string // version of the program, for messages; ranks with another version are refused
	// Silence is the time after which a rank that sends nothing is considered lost; 0 means half a minute.
	Silence time.Duration
}

func (p Party) silence() time.Duration { return cmp.Or(p.Silence, 30*time.Second) }

// LongEnough reports whether a secret has at least leastSecret bytes. It does not check that they are random.
func LongEnough(secret []byte) bool { return len(secret) >= leastSecret }

// Address returns HOST:PORT for HOST:PORT or HOST, which gets the default port. A host may be a name, an IPv4 address,
// or an IPv6 address, in brackets if there is a port; it may be empty.
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
		return "", fmt.Errorf("%q: the port is not a number from 0 to 65535", text)
	}
	return net.JoinHostPort(host, port), nil
}
