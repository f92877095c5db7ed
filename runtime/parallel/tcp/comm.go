package tcp

import (
	"context"
	"net"
	"time"
)

// A Comm connects the ranks of a job in a star with rank 0 in the middle. It implements ranks.Comm.
type Comm struct {
	rank, size int
	local      int           // number of ranks on this machine
	links      []*link       // on rank 0: to ranks 1, 2, …; on other ranks: to rank 0
	exchange   time.Duration // time of an exchange, measured when all were connected
	failed     error         // why the job has ended
	stop       context.CancelFunc
	listener   net.Listener // on rank 0
}

// Rank returns the number of this process.
func (c *Comm) Rank() int { return c.rank }

// Size returns the number of ranks.
func (c *Comm) Size() int { return c.size }

// ExchangeTime implements ranks.Comm.
func (c *Comm) ExchangeTime() time.Duration { return c.exchange }

// LocalRanks returns the number of ranks on machines with the same name as this one.
func (c *Comm) LocalRanks() int { return c.local }

// Gather implements ranks.Comm: rank 0 receives the parts of all workers, and sends each worker the parts of the
// others.
func (c *Comm) Gather(all []byte, starts []int) error {
	if c.failed != nil {
		return c.failed
	}
	if c.rank > 0 {
		return c.fail(c.gatherWithCentre(all, starts))
	}
	for i, l := range c.links {
		if err := l.receive(gathering, all[starts[i+1]:starts[i+2]]); err != nil {
			return c.fail(err)
		}
	}
	for i, l := range c.links {
		if err := l.send(gathering, all[:starts[i+1]], all[starts[i+2]:starts[c.size]]); err != nil {
			return c.fail(err)
		}
	}
	return nil
}

func (c *Comm) gatherWithCentre(all []byte, starts []int) error {
	first, end := starts[c.rank], starts[c.rank+1]
	if err := c.links[0].send(gathering, all[first:end]); err != nil {
		return c.lastWords(err)
	}
	return c.links[0].receive(gathering, all[:first], all[end:starts[c.size]])
}

// Collect implements ranks.Comm: each worker that has a part sends it to rank 0.
func (c *Comm) Collect(mine, all []byte, starts []int) error {
	switch {
	case c.failed != nil:
		return c.failed
	case c.rank > 0 && len(mine) == 0:
		return nil
	case c.rank > 0:
		return c.fail(c.lastWords(c.links[0].send(gathering, mine)))
	}
	copy(all, mine)
	for i, l := range c.links {
		part := all[starts[i+1]:starts[i+2]]
		if len(part) == 0 {
			continue
		}
		if err := l.receive(gathering, part); err != nil {
			return c.fail(err)
		}
	}
	return nil
}

// Broadcast implements ranks.Comm: data of a worker are sent to rank 0 first, and from there to the others.
func (c *Comm) Broadcast(data []byte, from int) error {
	switch {
	case c.failed != nil:
		return c.failed
	case c.rank > 0 && c.rank == from:
		return c.fail(c.lastWords(c.links[0].send(casting, data)))
	case c.rank > 0:
		return c.fail(c.links[0].receive(casting, data))
	case from > 0:
		if err := c.links[from-1].receive(casting, data); err != nil {
			return c.fail(err)
		}
	}
	for i, l := range c.links {
		if i+1 == from {
			continue
		}
		if err := l.send(casting, data); err != nil {
			return c.fail(err)
		}
	}
	return nil
}

// lastWords returns the reason that rank 0 has sent for the end of the job; err if it has sent none.
func (c *Comm) lastWords(err error) error {
	if err == nil {
		return nil
	}
	if _, said := c.links[0].next(failing); said != nil {
		return said
	}
	return err
}

// fail ends the job on this rank if err is not nil, and returns the first error of the job. Rank 0 informs the workers.
func (c *Comm) fail(err error) error {
	if err != nil && c.failed == nil {
		c.failed = err
		if c.rank == 0 {
			c.sendFailure("the run has ended: " + err.Error())
		}
	}
	return c.failed
}

// sendFailure sends the reason for the end of the job to the workers that can be reached.
func (c *Comm) sendFailure(reason string) {
	for _, l := range c.links {
		_ = l.send(failing, []byte(reason[:min(len(reason), mostText)]))
	}
}

// Abort ends the job. It may be called by any goroutine, even during another call. The calls of the other ranks fail;
// if this is rank 0, their errors contain the reason.
func (c *Comm) Abort(reason string) {
	said := make(chan struct{})
	go func() {
		defer close(said)
		if c.rank == 0 {
			c.sendFailure(reason)
		}
	}()
	select {
	case <-said:
	case <-time.After(time.Second):
	}
	for _, l := range c.links {
		_ = l.conn.Close()
	}
}

// closeWithin is the time that rank 0 waits for the workers to close their connections.
const closeWithin = 5 * time.Second

// Close closes the connections. Rank 0 waits until workers have closed theirs, so that its last messages arrive.
func (c *Comm) Close() {
	c.stop()
	if c.listener != nil {
		_ = c.listener.Close()
	}
	for _, l := range c.links {
		if c.rank == 0 {
			l.drain(closeWithin)
		}
		_ = l.conn.Close()
	}
}

// Traffic returns the number of messages and bytes that this rank has sent and received in gathers and broadcasts.
func (c *Comm) Traffic() (messages, bytes int64) {
	for _, l := range c.links {
		messages += l.traffic.messages.Load()
		bytes += l.traffic.bytes.Load()
	}
	return messages, bytes
}
