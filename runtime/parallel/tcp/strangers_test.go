package tcp

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// waits starts rank 0, which waits for one worker.
func waits(t *testing.T) (*Listener, *log, <-chan *Comm) {
	t.Helper()
	l, said, joined := listen(t, party()), &log{}, make(chan *Comm, 1)
	go func() {
		c, err := l.Join(limited(t), 1, said.note)
		if err == nil {
			joined <- c
		}
		close(joined)
	}()
	return l, said, joined
}

// comes checks that a worker can still join.
func comes(t *testing.T, l *Listener, joined <-chan *Comm) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	c, err := Connect(ctx, l.Address(), party(), func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	if err := onAll([]*Comm{c, <-joined}, exchangeAll); err != nil {
		t.Error(err)
	}
}

// TestStrangers checks that other connections do not disturb a run: port scanners, browsers, silent connections, more
// of them than are authenticated at a time, and connections that are closed early.
func TestStrangers(t *testing.T) {
	l, said, joined := waits(t)
	dial := func() net.Conn {
		c, err := net.Dial("tcp", l.Address())
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	garbage := []string{"", "GET / HTTP/1.1\r\n\r\n", strings.Repeat("\xff", 1<<16), "\x16\x03\x01\xff\xff\x01",
		"\x16\x03\x01\x00\x05hello", "SSH-2.0-x\r\n"}
	for _, text := range garbage {
		c := dial()
		_, _ = io.WriteString(c, text)
		c.Close()
	}
	for _, text := range garbage { // by TLS
		c := tls.Client(dial(), clientConfig())
		_, _ = io.WriteString(c, text)
		c.Close()
	}
	for range mostStrangers - 5 {
		defer dial().Close()
	}
	comes(t, l, joined)
	if len(said.lines) != 1 {
		t.Errorf("noted %q", said.lines)
	}
}

// TestReplay checks that a proof is valid for one connection only, and that the proof of rank 0 is not valid as that of
// a worker.
func TestReplay(t *testing.T) {
	l, said, joined := waits(t)
	connect := func() *tls.Conn {
		c, err := tls.Dial("tcp", l.Address(), clientConfig())
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	recorded := connect()
	defer recorded.Close()
	mine, err := party().proof(recorded, working)
	if err != nil {
		t.Fatal(err)
	}
	reflected := connect()
	theirs, err := party().proof(reflected, coordinating)
	if err != nil {
		t.Fatal(err)
	}
	for c, proof := range map[*tls.Conn][]byte{connect(): mine, reflected: theirs} {
		var answer [answerSize]byte
		_, _ = c.Write(append(append([]byte(mark), version), proof...))
		if _, err := io.ReadFull(c, answer[:]); err != nil || judgement(answer[0]) != otherSecret {
			t.Errorf("taken for %d, %v", answer[0], err)
		}
		if string(answer[2:]) != string(make([]byte, proofSize)) {
			t.Error("rank 0 has proved the secret to somebody without it")
		}
		c.Close()
	}
	said.has(t, "its secret differs")
	comes(t, l, joined)
}

// TestManInTheMiddle checks that both sides detect a relay that ends the TLS connections of both and forwards their
// messages.
func TestManInTheMiddle(t *testing.T) {
	l, said, joined := waits(t)
	config, err := serverConfig()
	if err != nil {
		t.Fatal(err)
	}
	middle, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil {
		t.Fatal(err)
	}
	defer middle.Close()
	go func() {
		for {
			worker, err := middle.Accept()
			if err != nil {
				return
			}
			rank0, err := tls.Dial("tcp", l.Address(), clientConfig())
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(rank0, worker) }()
			go func() { _, _ = io.Copy(worker, rank0); worker.Close() }()
		}
	}()
	_, err = Connect(limited(t), middle.Addr().String(), party(), func(string) {})
	if !strings.Contains(fmt.Sprint(err), "its secret differs") {
		t.Error(err)
	}
	said.has(t, "its secret differs")
	comes(t, l, joined)
}

// TestFalseCoordinator checks that the worker refuses a coordinator without the secret that accepts the worker.
func TestFalseCoordinator(t *testing.T) {
	config, err := serverConfig()
	if err != nil {
		t.Fatal(err)
	}
	false0, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil {
		t.Fatal(err)
	}
	defer false0.Close()
	go func() {
		c, err := false0.Accept()
		if err != nil {
			return
		}
		var greeting [greetSize]byte
		_, _ = io.ReadFull(c, greeting[:])
		_, _ = c.Write(append([]byte{byte(known), version}, greeting[len(mark)+1:]...)) // the worker's own proof
	}()
	_, err = Connect(limited(t), false0.Addr().String(), party(), func(string) {})
	if !strings.Contains(fmt.Sprint(err), "it does not have the secret") {
		t.Error(err)
	}
}

// TestRefusals checks that workers with another secret, of another build or of another protocol are refused, with the
// same reason on both sides, and that a worker is refused once the run has all its workers.
func TestRefusals(t *testing.T) {
	l, said, joined := waits(t)
	secret, build := party(), party()
	secret.Secret = []byte("another twenty letters")
	build.Build = "ppl 2, linux/arm64"
	for want, p := range map[string]Party{
		"its secret differs": secret,
		"the worker's ppl is ppl 2, linux/arm64, and the coordinator's is ppl 1, linux/amd64": build,
	} {
		_, err := Connect(limited(t), l.Address(), p, func(string) {})
		if got := fmt.Sprint(err); !strings.HasPrefix(got, "the coordinator at "+l.Address()+": "+want) {
			t.Errorf("%q, want %q", got, want)
		}
		said.has(t, want)
	}
	c, err := tls.Dial("tcp", l.Address(), clientConfig())
	if err != nil {
		t.Fatal(err)
	}
	var answer [answerSize]byte
	_, _ = c.Write(append([]byte(mark), make([]byte, greetSize-len(mark))...))
	if _, err := io.ReadFull(c, answer[:]); err != nil || judgement(answer[0]) != otherVersion || answer[1] != version {
		t.Errorf("%d, %v", answer[:2], err)
	}
	c.Close()
	got := judgeAnswer([answerSize]byte{byte(otherVersion), 9}, nil)
	if !strings.Contains(got, "its protocol is version 9, and here it is 1") {
		t.Error(got)
	}
	said.has(t, "the worker has another version of ppl")
	worker, err := Connect(limited(t), l.Address(), party(), func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	rank0 := <-joined
	_, err = Connect(limited(t), l.Address(), party(), func(string) {})
	if !strings.Contains(fmt.Sprint(err), "the run has begun with all its workers") {
		t.Error(err)
	}
	said.has(t, "the run has begun with all its workers")
	if err := onAll([]*Comm{worker, rank0}, exchangeAll); err != nil {
		t.Error(err)
	}
}

// TestPlaceIsFreeAgain checks that another worker can take the place of one that leaves before the others have joined,
// or that connects again after its connection was lost.
func TestPlaceIsFreeAgain(t *testing.T) {
	p := party()
	p.Silence = time.Second
	l, said := listen(t, p), &log{}
	joined := make(chan *Comm, 1)
	go func() {
		c, err := l.Join(limited(t), 2, said.note)
		if err != nil {
			t.Error(err)
		}
		joined <- c
	}()
	me := introduction{ID: "one", Build: p.Build, Host: "here"}
	for range 2 { // the same worker twice has one place
		if _, err := dial(t.Context(), l.Address(), p, me); err != nil {
			t.Fatal(err)
		}
	}
	workers := make(chan *Comm, 2)
	for range 2 {
		go func() {
			c, err := Connect(limited(t), l.Address(), p, func(string) {})
			if err != nil {
				t.Error(err)
			}
			workers <- c
		}()
	}
	rank0 := <-joined
	if rank0 == nil {
		return
	}
	said.has(t, "before the run has begun; waiting for another worker")
	if err := onAll([]*Comm{rank0, <-workers, <-workers}, exchangeAll); err != nil {
		t.Error(err)
	}
}

// TestLongTexts checks that a text with a length that no text has is refused before its memory is allocated, also from
// an authenticated worker.
func TestLongTexts(t *testing.T) {
	here, there := net.Pipe()
	defer here.Close()
	go func() { _, _ = there.Write([]byte{byte(hello), 0, 0, 0, 0, 0, 1, 0, 0}) }()
	if _, err := newLink(here, "a worker", time.Second).receiveText(hello); err == nil ||
		!strings.Contains(err.Error(), "a text of 1099511627776 bytes") {
		t.Error(err)
	}
}
