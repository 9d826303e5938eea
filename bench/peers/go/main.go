// The works of bench/programs/events/works.hpp on goroutines and channels. A lane is a goroutine that takes functions
// from a channel; in ping-pong two goroutines hand a ball back and forth.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

const fan = 100
const met = 8

// One counter on cache lines of its own.
type count struct {
	done atomic.Uint64
	_    [120]byte
}

type course struct {
	stop      atomic.Bool
	_         [127]byte
	remaining atomic.Int64
	_         [120]byte
	counts    []count
	ended     chan bool
}

func (c *course) done() uint64 {
	var sum uint64
	for i := range c.counts {
		sum += c.counts[i].done.Load()
	}
	return sum
}

func takeTime(duration time.Duration) {
	for began := time.Now(); time.Since(began) < duration; {
	}
}

func sortSome(bytes [22]byte) byte {
	state := uint32(12345) + uint32(bytes[0])
	for turn := 0; turn < 50; turn++ {
		for i := range bytes {
			state = state*1664525 + 1013904223
			bytes[i] = byte(state >> 24)
		}
		for end := len(bytes) - 1; end > 0; end-- {
			for i := 0; i < end; i++ {
				if bytes[i] > bytes[i+1] {
					bytes[i], bytes[i+1] = bytes[i+1], bytes[i]
				}
			}
		}
	}
	return bytes[0]
}

// Two goroutines for each core. The ball is false when the game ends.
func pingPong(c *course, cores int) {
	c.counts = make([]count, cores)
	for i := 0; i < cores; i++ {
		there, back := make(chan bool), make(chan bool)
		mine := &c.counts[i]
		go func() {
			for ball := range there {
				back <- ball
				if !ball {
					return
				}
			}
		}()
		go func() {
			for ball := true; ball; {
				ball = !c.stop.Load()
				there <- ball
				<-back
				mine.done.Store(mine.done.Load() + 2)
			}
			c.ended <- true
		}()
	}
}

type message struct {
	bytes [22]byte
}

var sink atomic.Uint64

func fanOut(c *course, each time.Duration, memory bool) {
	c.counts = make([]count, 1)
	lanes := make([]chan message, fan)
	again := make(chan bool, 1)
	for i := range lanes {
		lanes[i] = make(chan message, 1)
		go func(lane chan message) {
			for taken := range lane {
				if memory {
					sink.Add(uint64(sortSome(taken.bytes) & 0))
				} else if each > 0 {
					takeTime(each)
				}
				if c.remaining.Add(-1) == 0 {
					again <- true
				}
			}
		}(lanes[i])
	}
	go func() {
		for !c.stop.Load() {
			c.remaining.Store(fan)
			for _, lane := range lanes {
				lane <- message{}
			}
			<-again
			c.counts[0].done.Store(c.counts[0].done.Load() + fan)
		}
		for _, lane := range lanes {
			close(lane)
		}
		c.ended <- true
	}()
}

func barrier(c *course) {
	c.counts = make([]count, 1)
	lanes := make([]chan bool, met)
	for i := range lanes {
		lanes[i] = make(chan bool, 1)
	}
	c.remaining.Store(met)
	for i := range lanes {
		go func(lane chan bool) {
			for range lane {
				if c.remaining.Add(-1) != 0 {
					continue
				}
				c.counts[0].done.Store(c.counts[0].done.Load() + met)
				if c.stop.Load() {
					for _, other := range lanes {
						close(other)
					}
					c.ended <- true
					return
				}
				c.remaining.Store(met)
				for _, other := range lanes {
					other <- true
				}
			}
		}(lanes[i])
	}
	for _, lane := range lanes {
		lane <- true
	}
}

func begin(work string, cores int, c *course) int {
	switch {
	case work == "ping-pong":
		pingPong(c, cores)
		return cores
	case work == "barrier":
		barrier(c)
	case work == "fan-out empty":
		fanOut(c, 0, false)
	case work == "fan-out memory":
		fanOut(c, 0, true)
	default:
		duration, err := time.ParseDuration(strings.TrimPrefix(work, "fan-out "))
		if err != nil {
			fmt.Fprintf(os.Stderr, "'%s' is no work that this program knows.\n", work)
			os.Exit(2)
		}
		fanOut(c, duration, false)
	}
	return 1
}

// Millions of functions per second, in windows of a tenth of the time.
func measure(work string, cores int, seconds float64) []float64 {
	runtime.GOMAXPROCS(cores)
	c := &course{ended: make(chan bool, cores)}
	chains := begin(work, cores, c)
	window := time.Duration(seconds / 10 * float64(time.Second))
	time.Sleep(2 * window)
	rates := []float64{}
	done, began := c.done(), time.Now()
	for i := 0; i < 10; i++ {
		time.Sleep(window)
		now, then := c.done(), time.Now()
		rates = append(rates, float64(now-done)/then.Sub(began).Seconds()*1e-6)
		done, began = now, then
	}
	c.stop.Store(true)
	for i := 0; i < chains; i++ {
		<-c.ended
	}
	return rates
}

func summary(values []float64) map[string]any {
	sort.Float64s(values)
	at := func(fraction float64) float64 { return values[int(fraction*float64(len(values)-1)+0.5)] }
	return map[string]any{"median": (values[4] + values[5]) / 2, "p10": at(0.1), "p25": at(0.25), "p75": at(0.75),
		"p95": at(0.95), "min": at(0), "max": at(1), "count": len(values)}
}

func main() {
	works := flag.String("works", "ping-pong,fan-out empty,fan-out 1000ns,fan-out 10000ns,fan-out memory,barrier", "")
	cores := flag.String("cores", "1,2", "")
	seconds := flag.Float64("seconds", 0.3, "")
	flag.Parse()
	points := []map[string]any{}
	for _, work := range strings.Split(*works, ",") {
		for _, text := range strings.Split(*cores, ",") {
			number, _ := strconv.Atoi(text)
			points = append(points,
				map[string]any{"work": work, "cores": number, "rate": summary(measure(work, number, *seconds))})
		}
	}
	json.NewEncoder(os.Stdout).Encode(map[string]any{"benchmark": "events-works", "schema": 1,
		"library": runtime.Version(), "usable_cpus": runtime.NumCPU(), "parameters": map[string]any{}, "points": points})
}
