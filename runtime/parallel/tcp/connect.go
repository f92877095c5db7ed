package tcp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"ppl/runtime/parallel/ranks"
)

// An introduction describes an authenticated worker.
type introduction struct {
	ID      string // of the process
	Build   string
	Host    string
	Process int
}

// A place contains the rank of a worker. Rank 0 sends it when all workers are connected.
type place struct {
	Rank, Size int
	Local      int // number of ranks on its machine
}

// Pauses between attempts to connect.
const (
	firstPause = 200 * time.Millisecond
	mostPause  = 5 * time.Second
)

// Connect joins the job of rank 0 at an address, HOST:PORT. While there is no answer it tries again, until ctx ends; it
// calls note when it starts to wait. It does not try again after a Refusal.
func Connect(ctx context.Context, address string, p Party, note func(string)) (*Comm, error) {
	me := introduction{ID: rand.Text(), Build: p.Build, Process: os.Getpid()}
	me.Host, _ = os.Hostname() // only used in messages
	l, err := dialUntil(ctx, address, p, me, note)
	if err != nil {
		return nil, err
	}
	beating, stop := context.WithCancel(context.Background())
	go l.beatOn(beating)
	note("waiting for the other workers of " + address)
	at, err := l.takePlace(ctx)
	if err != nil {
		stop()
		l.conn.Close()
		return nil, err
	}
	c := &Comm{rank: at.Rank, size: at.Size, local: at.Local, links: []*link{l}, stop: stop}
	c.exchange = ranks.MeasureExchange(c)
	return c, nil
}

// dialUntil tries to connect until rank 0 accepts or refuses this worker, or until ctx ends.
func dialUntil(ctx context.Context, address string, p Party, me introduction, note func(string)) (*link, error) {
	for pause := firstPause; ; pause = min(2*pause, mostPause) {
		l, err := dial(ctx, address, p, me)
		var refused *Refusal
		switch {
		case err == nil:
			return l, nil
		case errors.As(err, &refused):
			return nil, err
		case pause == firstPause:
			note(fmt.Sprintf("no coordinator answers at %s yet (%v)", address, plain(err)))
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("no coordinator has answered at %s: %w (%w)", address, context.Cause(ctx),
				plain(err))
		case <-time.After(pause):
		}
	}
}

// plain returns the cause of a network error without the address, which messages contain already.
func plain(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}

// dial tries once to connect and to be accepted.
func dial(ctx context.Context, address string, p Party, me introduction) (*link, error) {
	dialer := net.Dialer{Timeout: greetWithin}
	raw, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	undo := context.AfterFunc(ctx, func() { raw.Close() })
	defer undo()
	c, err := p.greet(raw)
	if err != nil {
		raw.Close()
		return nil, err
	}
	l := newLink(c, "the coordinator at "+address, p.silence())
	if err = l.introduce(me); err != nil {
		raw.Close()
		return nil, err
	}
	return l, nil
}

// introduce sends the introduction of this worker, and waits until rank 0 accepts it.
func (l *link) introduce(me introduction) error {
	text, err := json.Marshal(me)
	if err != nil {
		return err
	}
	if err := l.send(hello, text); err != nil {
		return err
	}
	return l.receive(accepted)
}

// takePlace waits until all workers are connected, and returns the rank of this one.
func (l *link) takePlace(ctx context.Context) (at place, err error) {
	undo := context.AfterFunc(ctx, func() { l.conn.Close() })
	defer undo()
	text, err := l.receiveText(welcome)
	if err == nil {
		err = json.Unmarshal(text, &at)
	}
	if err == nil {
		err = l.send(ready)
	}
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return at, err
}
