package tcp

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// A kind is the kind of a frame.
type kind byte

const (
	beat      kind = iota + 1 // keep-alive
	hello                     // from a worker after authentication: its introduction
	accepted                  // from rank 0: wait for the other workers
	welcome                   // from rank 0: all workers are connected
	ready                     // from a worker
	gathering                 // a part of a gather
	casting                   // data of a broadcast
	failing                   // why rank 0 ends the job
)

// A frame consists of its kind, the number of the following bytes, and these bytes.
const (
	headerSize = 9
	mostText   = 4096    // largest number of bytes of a frame that is a text
	chunk      = 1 << 20 // largest number of bytes of one write call, each of which must complete within the silence
)

// A link is an authenticated connection with another rank. One goroutine reads; others may write.
type link struct {
	conn    net.Conn
	in      *bufio.Reader
	peer    string // name in messages, such as: the worker at 10.0.0.7:51234 (node7, process 312)
	silence time.Duration
	writing sync.Mutex
	out     []byte // buffer for the frame that is being written
	traffic *traffic
}

// traffic counts messages and bytes that were sent and received in gathers and broadcasts.
type traffic struct{ messages, bytes atomic.Int64 }

func newLink(conn net.Conn, peer string, silence time.Duration) *link {
	l := &link{conn: conn, peer: peer, silence: silence, traffic: &traffic{}}
	l.in = bufio.NewReaderSize(timed{l}, 1<<16)
	return l
}

// timed reads with a time limit, the silence.
type timed struct{ *link }

func (t timed) Read(p []byte) (int, error) {
	if err := t.conn.SetReadDeadline(time.Now().Add(t.silence)); err != nil {
		return 0, err
	}
	return t.conn.Read(p)
}

// send sends a frame with these parts, one after the other.
func (l *link) send(k kind, parts ...[]byte) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	l.count(k, size)
	l.out = binary.LittleEndian.AppendUint64(append(l.out[:0], byte(k)), uint64(size))
	for _, p := range parts {
		for len(p) > 0 {
			n := min(len(p), chunk-len(l.out))
			l.out, p = append(l.out, p[:n]...), p[n:]
			if len(l.out) == chunk {
				if err := l.flush(); err != nil {
					return err
				}
			}
		}
	}
	return l.flush()
}

// flush writes the part of a frame that is in the buffer.
func (l *link) flush() error {
	err := l.conn.SetWriteDeadline(time.Now().Add(l.silence))
	if err == nil {
		_, err = l.conn.Write(l.out)
	}
	l.out = l.out[:0]
	return l.explain(err)
}

func (l *link) count(k kind, size int) {
	if k == gathering || k == casting {
		l.traffic.messages.Add(1)
		l.traffic.bytes.Add(int64(size))
	}
}

// receive reads the next frame, which must have the given kind, and the total length of the parts.
func (l *link) receive(want kind, parts ...[]byte) error {
	size, err := l.next(want)
	if err != nil {
		return err
	}
	for _, p := range parts {
		size -= len(p)
	}
	if size != 0 {
		return fmt.Errorf("internal error: %s is at another point of the run: %d bytes more than here", l.peer, size)
	}
	for _, p := range parts {
		l.count(want, len(p))
		if _, err := io.ReadFull(l.in, p); err != nil {
			return l.explain(err)
		}
	}
	if want == gathering || want == casting {
		l.traffic.messages.Add(1 - int64(len(parts)))
	}
	return nil
}

// receiveText reads the next frame, which must be a text.
func (l *link) receiveText(want kind) ([]byte, error) {
	size, err := l.next(want)
	if err != nil {
		return nil, err
	}
	return l.text(size)
}

func (l *link) text(size int) ([]byte, error) {
	if size > mostText {
		return nil, fmt.Errorf("%s has sent a text of %d bytes, more than the limit of %d", l.peer, size, mostText)
	}
	text := make([]byte, size)
	_, err := io.ReadFull(l.in, text)
	return text, l.explain(err)
}

// next returns the number of bytes of the next frame, which must have the given kind. It skips keep-alive frames before
// it.
func (l *link) next(want kind) (int, error) {
	for {
		var header [headerSize]byte
		if _, err := io.ReadFull(l.in, header[:]); err != nil {
			return 0, l.explain(err)
		}
		size := binary.LittleEndian.Uint64(header[1:])
		switch got := kind(header[0]); {
		case got == beat && size == 0:
		case got == failing && size <= mostText:
			reason, err := l.text(int(size))
			return 0, cmp.Or(err, error(&Refusal{l.peer + ": " + string(reason)}))
		case got != want || size > 1<<62:
			return 0, fmt.Errorf("internal error: %s has sent a frame of kind %d, and %d is due", l.peer, got, want)
		default:
			return int(size), nil
		}
	}
}

// A Refusal is an error with the reason that rank 0 has sent for refusing a worker or for ending the job.
type Refusal struct{ Reason string }

func (r *Refusal) Error() string { return r.Reason }

// explain returns a sentence that explains an error of the connection.
func (l *link) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("%s has not answered for %v", l.peer, l.silence)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s has gone: its process has ended or closed the connection", l.peer)
	}
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err
	}
	return fmt.Errorf("%s has gone: %w", l.peer, err)
}

// beatOn sends keep-alive frames until the context ends or sending fails. The reader reports the error.
func (l *link) beatOn(ctx context.Context) {
	tick := time.NewTicker(l.silence / 10)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if l.send(beat) != nil {
			return
		}
	}
}

// drain reads until the other side has closed the connection, and then closes it. If unread bytes remained, the system
// would reset the connection, and the last sent data might be lost.
func (l *link) drain(limit time.Duration) {
	timer := time.AfterFunc(limit, func() { l.conn.Close() })
	defer timer.Stop()
	_, _ = io.Copy(io.Discard, l.in)
	_ = l.conn.Close()
}
