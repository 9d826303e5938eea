//! The works of bench/programs/events/works.hpp on Tokio tasks and channels. A lane is a task that takes messages from a
//! channel; in ping-pong two tasks hand a ball back and forth.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::*};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

const FAN: i64 = 100;
const MET: i64 = 8;

/// One counter on cache lines of its own.
#[repr(align(128))]
#[derive(Default)]
struct Count(AtomicU64);

impl Count {
    fn add(&self, amount: u64) {
        self.0.store(self.0.load(Relaxed) + amount, Relaxed);
    }
}

#[repr(align(128))]
#[derive(Default)]
struct Remaining(AtomicI64);

struct Course {
    stop: AtomicBool,
    remaining: Remaining,
    counts: Vec<Count>,
    ended: std::sync::mpsc::Sender<()>,
}

impl Course {
    fn done(&self) -> u64 {
        self.counts.iter().map(|count| count.0.load(Relaxed)).sum()
    }
}

fn take_time(duration: Duration) {
    let began = Instant::now();
    while began.elapsed() < duration {}
}

fn sort_some(mut bytes: [u8; 22]) -> u8 {
    let mut state = 12345u32 + u32::from(bytes[0]);
    for _ in 0..50 {
        for byte in bytes.iter_mut() {
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            *byte = (state >> 24) as u8;
        }
        for end in (1..bytes.len()).rev() {
            for i in 0..end {
                if bytes[i] > bytes[i + 1] {
                    bytes.swap(i, i + 1);
                }
            }
        }
    }
    bytes[0]
}

/// Two tasks for each core. The ball is false when the game ends.
fn ping_pong(course: &Arc<Course>, cores: usize) {
    for index in 0..cores {
        let (there, mut arrived) = mpsc::channel::<bool>(1);
        let (back, mut returned) = mpsc::channel::<bool>(1);
        tokio::spawn(async move {
            while let Some(ball) = arrived.recv().await {
                if back.send(ball).await.is_err() || !ball {
                    return;
                }
            }
        });
        let course = course.clone();
        tokio::spawn(async move {
            let mut ball = true;
            while ball {
                ball = !course.stop.load(Relaxed);
                if there.send(ball).await.is_err() {
                    break;
                }
                returned.recv().await;
                course.counts[index].add(2);
            }
            let _ = course.ended.send(());
        });
    }
}

#[derive(Clone, Copy)]
enum Handler {
    Empty,
    Memory,
    Timed(Duration),
}

fn fan_out(course: &Arc<Course>, handler: Handler) {
    let (again, mut all_done) = mpsc::channel::<()>(1);
    let lanes: Vec<_> = (0..FAN)
        .map(|_| {
            let (lane, mut messages) = mpsc::channel::<[u8; 22]>(1);
            let (course, again) = (course.clone(), again.clone());
            tokio::spawn(async move {
                while let Some(bytes) = messages.recv().await {
                    match handler {
                        Handler::Empty => {}
                        Handler::Memory => {
                            black_box(sort_some(bytes));
                        }
                        Handler::Timed(duration) => take_time(duration),
                    }
                    if course.remaining.0.fetch_sub(1, AcqRel) == 1 {
                        let _ = again.send(()).await;
                    }
                }
            });
            lane
        })
        .collect();
    let course = course.clone();
    tokio::spawn(async move {
        while !course.stop.load(Relaxed) {
            course.remaining.0.store(FAN, Relaxed);
            for lane in &lanes {
                let _ = lane.send([0; 22]).await;
            }
            all_done.recv().await;
            course.counts[0].add(FAN as u64);
        }
        let _ = course.ended.send(());
    });
}

fn barrier(course: &Arc<Course>) {
    course.remaining.0.store(MET, Relaxed);
    let (senders, receivers): (Vec<_>, Vec<_>) = (0..MET).map(|_| mpsc::channel::<()>(1)).unzip();
    for mut messages in receivers {
        let (course, senders) = (course.clone(), senders.clone());
        tokio::spawn(async move {
            while messages.recv().await.is_some() {
                if course.remaining.0.fetch_sub(1, AcqRel) != 1 {
                    continue;
                }
                course.counts[0].add(MET as u64);
                if course.stop.load(Relaxed) {
                    let _ = course.ended.send(());
                    return;
                }
                course.remaining.0.store(MET, Relaxed);
                for other in &senders {
                    let _ = other.send(()).await;
                }
            }
        });
    }
    for lane in &senders {
        let _ = lane.try_send(());
    }
}

fn begin(work: &str, cores: usize, course: &Arc<Course>) -> usize {
    match work {
        "ping-pong" => {
            ping_pong(course, cores);
            return cores;
        }
        "barrier" => barrier(course),
        "fan-out empty" => fan_out(course, Handler::Empty),
        "fan-out memory" => fan_out(course, Handler::Memory),
        _ => match work.strip_prefix("fan-out ").and_then(|text| text.strip_suffix("ns")?.parse().ok()) {
            Some(ns) => fan_out(course, Handler::Timed(Duration::from_nanos(ns))),
            None => {
                eprintln!("'{work}' is no work that this program knows.");
                std::process::exit(2);
            }
        },
    }
    1
}

/// Millions of functions per second, in windows of a tenth of the time.
fn measure(work: &str, cores: usize, seconds: f64) -> Vec<f64> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(cores).build().expect("a runtime");
    let (ended, all_ended) = std::sync::mpsc::channel();
    let counts = (0..cores).map(|_| Count::default()).collect();
    let course = Arc::new(Course { stop: false.into(), remaining: Remaining::default(), counts, ended });
    let chains = {
        let _inside = runtime.enter();
        begin(work, cores, &course)
    };
    let window = Duration::from_secs_f64(seconds / 10.0);
    std::thread::sleep(2 * window);
    let (mut done, mut began) = (course.done(), Instant::now());
    let mut rates = Vec::new();
    for _ in 0..10 {
        std::thread::sleep(window);
        let (now, then) = (course.done(), Instant::now());
        rates.push((now - done) as f64 / (then - began).as_secs_f64() * 1e-6);
        (done, began) = (now, then);
    }
    course.stop.store(true, Relaxed);
    for _ in 0..chains {
        all_ended.recv().expect("the work ends");
    }
    runtime.shutdown_timeout(Duration::from_secs(1));
    rates
}

fn summary(mut values: Vec<f64>) -> String {
    values.sort_by(f64::total_cmp);
    let at = |fraction: f64| values[(fraction * (values.len() - 1) as f64 + 0.5) as usize];
    format!(
        "{{\"median\": {}, \"p10\": {}, \"p25\": {}, \"p75\": {}, \"p95\": {}, \"min\": {}, \"max\": {}, \"count\": {}}}",
        (values[4] + values[5]) / 2.0,
        at(0.1),
        at(0.25),
        at(0.75),
        at(0.95),
        at(0.0),
        at(1.0),
        values.len()
    )
}

fn main() {
    let mut works = "ping-pong,fan-out empty,fan-out 1000ns,fan-out 10000ns,fan-out memory,barrier".to_string();
    let (mut cores, mut seconds) = ("1,2".to_string(), 0.3);
    let mut words = std::env::args().skip(1);
    while let (Some(name), Some(value)) = (words.next(), words.next()) {
        match name.as_str() {
            "--works" => works = value,
            "--cores" => cores = value,
            "--seconds" => seconds = value.parse().expect("seconds"),
            _ => panic!("{name} is unknown: --works, --cores or --seconds"),
        }
    }
    let mut points = Vec::new();
    for work in works.split(',') {
        for number in cores.split(',') {
            let rates = measure(work, number.parse().expect("cores"), seconds);
            points.push(format!("{{\"work\": \"{work}\", \"cores\": {number}, \"rate\": {}}}", summary(rates)));
        }
    }
    println!(
        "{{\"benchmark\": \"events-works\", \"schema\": 1, \"library\": \"Tokio {}\", \"parameters\": {{}}, \"points\": [{}]}}",
        env!("TOKIO_VERSION"),
        points.join(",\n")
    );
}
