//! The matches that are being played, and the answers to messages.

use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

use quintet_arena::locked;
use quintet_core::Quoted;
use tokio::select;
use tokio::sync::{Semaphore, oneshot};
use tokio::task::spawn_blocking;
use tokio::time::timeout_at;

use super::begun::{Match, position};
use super::board::Board;
use super::compilation::{COMPILERS, Compilation, Compilers};
use super::deadline::Deadline;
use super::games::MatchRules;
use super::letter::Letter;
use super::message::{JointMove, Message, Start, previewed};
use super::player::{Player, Rules, Task, name};
use super::shared::Shared;
use quintet_gdl::RANDOM;
use quintet_gdl::kif::head;

/// What is sent to the server: an answer of the protocol, or an error in its message.
pub(super) type Answer = Result<String, String>;

/// The matches that are being played.
#[derive(Debug)]
pub(super) struct Matches {
    player: super::Player,
    table: Mutex<Vec<Arc<Match>>>,
    /// A permit for each thread that reads the rules of a START, and for each that reads those of a
    /// PREVIEW: a match does not wait for PREVIEWs.
    starts: Arc<Semaphore>,
    previews: Arc<Semaphore>,
    /// A permit for each PREVIEW that is read or waits.
    places: Semaphore,
    compilers: Arc<Compilers>,
}

/// The threads that read the rules of START, and those of PREVIEW.
const STARTS: usize = 2;
const PREVIEWS: usize = 1;
/// All threads that work on rules.
pub(super) const THREADS: usize = STARTS + PREVIEWS + COMPILERS;
/// The most bytes of a message without rules.
const SHORT: usize = 16 << 10;
/// The most PREVIEWs at a time. More are answered by busy.
const PLACES: usize = 8;
/// How many times longer than reading a PREVIEW its thread rests afterwards, so that they never take
/// more than a tenth of a core from the matches.
const REST: u32 = 9;

impl Matches {
    pub(super) fn new(player: super::Player) -> Self {
        Self {
            player,
            table: Mutex::default(),
            starts: Arc::new(Semaphore::new(STARTS)),
            previews: Arc::new(Semaphore::new(PREVIEWS)),
            places: Semaphore::new(PLACES),
            compilers: Compilers::new(),
        }
    }

    /// Answers a message that came to `receiver`; its connection was accepted when it `arrived`. `gone`
    /// ends when the other side has closed it.
    pub(super) async fn answer(
        self: Arc<Self>,
        text: String,
        receiver: &str,
        arrived: Instant,
        gone: impl Future<Output = ()>,
    ) -> Answer {
        let kind = head(&text).unwrap_or_default().to_ascii_uppercase();
        let answer = match &*kind {
            "START" => self.start(text, receiver, arrived).await,
            "PREVIEW" => select! {
                answer = self.preview(text) => answer,
                () = gone => Ok(self.refused_preview("the server has gone away")),
            },
            _ => self.reply(&text, receiver, arrived).await,
        };
        if let Err(error) = &answer {
            self.note(&format!("bad message: {error}"));
        }
        answer
    }

    /// Answers a message without rules.
    async fn reply(&self, text: &str, receiver: &str, arrived: Instant) -> Answer {
        if text.len() > SHORT {
            return Err(format!("a message without rules has at most {SHORT} bytes"));
        }
        match Message::parse(text)? {
            Message::Info => {
                let status = if self.has_room() { "available" } else { "busy" };
                Ok(format!("((name {}) (status {status}))", self.player.name))
            }
            Message::Ping => Ok(if self.has_room() { "ready" } else { "busy" }.to_owned()),
            Message::Play { id, moves } => match self.find(&id, receiver) {
                Some(found) => Ok(self.play(&found, moves, arrived).await),
                None => Ok(self.unknown("PLAY", &id)),
            },
            Message::Stop { id, moves } => Ok(match self.remove(&id, receiver) {
                Some(found) => {
                    found.shared.end();
                    // The player may have failed.
                    let _ = found.tasks.send(Task::Stop { moves });
                    "done".to_owned()
                }
                None => self.unknown("STOP", &id),
            }),
            Message::Abort { id } => Ok(match self.remove(&id, receiver) {
                Some(found) => {
                    found.shared.end();
                    self.note(&format!(
                        "{}: the match was aborted",
                        name(&found.start.id, &found.start.role)
                    ));
                    "aborted".to_owned()
                }
                None => self.unknown("ABORT", &id),
            }),
        }
    }

    /// Whether there is room for another match.
    fn has_room(&self) -> bool {
        let now = Instant::now();
        locked(&self.table).iter().filter(|it| !it.is_given_up(now)).count() < self.player.matches.get()
    }

    async fn preview(self: &Arc<Self>, text: String) -> Answer {
        let Ok(_place) = self.places.try_acquire() else {
            return Ok(self.refused_preview(&format!("{PLACES} others wait")));
        };
        let matches = Arc::clone(self);
        let read = move || Ok(matches.player.games.read(&previewed(&text)?));
        Ok(match on_thread(&self.previews, REST, read).await? {
            Ok(rules) => {
                self.note(&format!("preview of {}", rules.label));
                "ready".to_owned()
            }
            Err(reason) => self.refused_preview(&reason),
        })
    }

    async fn start(self: &Arc<Self>, text: String, receiver: &str, arrived: Instant) -> Answer {
        let (matches, to) = (Arc::clone(self), receiver.to_owned());
        let read = move || {
            let mut start = Start::parse(&text)?;
            let rules = mem::take(&mut start.rules);
            // Looked at first, as rules take longer.
            let is_there =
                locked(&matches.table).iter().any(|it| it.start.id == start.id && it.receiver == to);
            let rules = if is_there || matches.has_room() {
                matches.player.games.read(&rules)
            } else {
                Err(format!("{} matches are being played", matches.player.matches))
            };
            Ok((start, rules))
        };
        let (start, rules) = on_thread(&self.starts, 0, read).await?;
        Ok(self.begin(start, rules, receiver, arrived).await)
    }

    /// Begins the match of a START, unless its rules are refused.
    async fn begin(
        &self,
        start: Start,
        rules: Result<MatchRules, String>,
        receiver: &str,
        arrived: Instant,
    ) -> String {
        let Start { id, role, start_clock, play_clock, .. } = &start;
        let refuse = |reason: &str| {
            self.note(&format!("{}: refused: {reason}", name(id, role)));
            "busy".to_owned()
        };
        let MatchRules { text, roles, spelling, game, label } = match rules {
            Ok(rules) => rules,
            Err(reason) => return refuse(&reason),
        };
        let Some(own) = roles.iter().position(|it| it == role).filter(|_| role != RANDOM) else {
            let known: Vec<&str> = roles.iter().map(String::as_str).filter(|it| *it != RANDOM).collect();
            return refuse(&match known[..] {
                [] => "no fact such as (role white) tells a role".to_owned(),
                _ => format!("the rules have no role {} to play; known: {}", Quoted(role), known.join(", ")),
            });
        };
        let compilation = game.is_none().then(|| self.compile(&text));
        let weak = compilation.as_ref().map(Arc::downgrade).unwrap_or_default();
        let letter = || Rules::Letter(Box::new(Letter::new(weak, &roles, role)));
        let rules = game.as_ref().map_or_else(letter, |game| Rules::Board(Board::new(game, &roles, role)));
        let shared = Arc::<Shared>::default();
        let (tasks, to_do) = channel();
        let player = Player {
            note: self.player.note,
            name: name(id, role),
            rules,
            own,
            spelling,
            thinking: self.player.thinking.clone(),
            play_clock: *play_clock,
            shared: Arc::clone(&shared),
            is_ready: false,
            last: None,
            answer: None,
        };
        let begun = Arc::new(Match {
            start: start.clone(),
            receiver: receiver.to_owned(),
            rules: text,
            compilation,
            tasks,
            shared,
            heard: Mutex::new(Instant::now()),
            has_begun: AtomicBool::new(false),
        });
        {
            let mut table = locked(&self.table);
            let now = Instant::now();
            if let Some(index) = table.iter().position(|it| it.start.id == *id && it.receiver == receiver) {
                let same = &table[index];
                if same.is_given_up(now) {
                    self.give_up(&mut table, index);
                } else if same.is_started_by(&begun) {
                    self.note(&format!("{}: ready again", name(id, role)));
                    return "ready".to_owned();
                } else {
                    return refuse("a match of this name is being played");
                }
            }
            if table.len() >= self.player.matches.get()
                && let Some(index) = table.iter().position(|it| it.is_given_up(now))
            {
                self.give_up(&mut table, index);
            }
            if table.len() >= self.player.matches.get() {
                return refuse(&format!("{} matches are being played", table.len()));
            }
            if let Err(error) = thread::Builder::new().spawn(move || player.run(&to_do)) {
                return refuse(&format!("can't start a thread (ulimit -u and -v limit them): {error}"));
            }
            table.push(Arc::clone(&begun));
        }
        let clocks =
            format!("start clock {} s, play clock {} s", start_clock.as_secs_f64(), play_clock.as_secs_f64());
        self.note(&format!("{}: {label}, {clocks}", name(id, role)));
        let deadline = Deadline::new(arrived, *start_clock, self.player.margin);
        ask(&begun, deadline, None).await.unwrap_or_else(|| "ready".to_owned())
    }

    /// Begins to compile rules, unless they are being compiled for another role of the match.
    fn compile(&self, rules: &str) -> Arc<Compilation> {
        let table = locked(&self.table);
        let same = table.iter().filter(|it| it.rules == rules).find_map(|it| it.compilation.clone());
        same.unwrap_or_else(|| {
            let new = Compilation::new(rules.to_owned());
            tokio::spawn(Compilation::run(Arc::downgrade(&new), Arc::clone(&self.compilers)));
            new
        })
    }

    async fn play(&self, found: &Match, moves: JointMove, arrived: Instant) -> String {
        found.has_begun.store(true, Ordering::Relaxed);
        let deadline = Deadline::new(arrived, found.start.play_clock, self.player.margin);
        if let Some(answer) = ask(found, deadline, Some(moves)).await {
            return answer;
        }
        let answer = found.shared.so_far().unwrap_or_else(|| "nil".to_owned());
        let name = name(&found.start.id, &found.start.role);
        self.note(&format!("{name}: {answer}, as the search has not ended in time"));
        answer
    }

    /// Finds a match. A server may call its player differently in each message.
    fn find(&self, id: &str, receiver: &str) -> Option<Arc<Match>> {
        let table = locked(&self.table);
        let found = position(&table, id, receiver).map(|index| Arc::clone(&table[index]))?;
        *locked(&found.heard) = Instant::now();
        Some(found)
    }

    fn remove(&self, id: &str, receiver: &str) -> Option<Arc<Match>> {
        let mut table = locked(&self.table);
        position(&table, id, receiver).map(|index| table.remove(index))
    }

    /// Makes room for another match.
    fn give_up(&self, table: &mut Vec<Arc<Match>>, index: usize) {
        let silent = table.remove(index);
        self.note(&format!("{}: given up, the server is silent", name(&silent.start.id, &silent.start.role)));
    }

    fn refused_preview(&self, reason: &str) -> String {
        self.note(&format!("preview refused: {reason}"));
        "busy".to_owned()
    }

    fn unknown(&self, kind: &str, id: &str) -> String {
        self.note(&format!("{kind} for {}, which is not being played: busy", Quoted(id)));
        "busy".to_owned()
    }

    /// Says what happens.
    pub(super) fn note(&self, text: &str) {
        (self.player.note)(text);
    }
}

/// Lets a player think after these moves, or before any is told, and returns its answer; `None` if there is none
/// in time.
async fn ask(found: &Match, deadline: Deadline, moves: Option<JointMove>) -> Option<String> {
    let stop = Arc::<AtomicBool>::default();
    let (reply, mut answer) = oneshot::channel();
    let (search, until) = (Arc::clone(&stop), deadline.search);
    found.give(Task::Think { moves, search, until, reply }).ok()?;
    // A task of its own stops the search even if the server goes away.
    let waiting = tokio::spawn(async move {
        if let Ok(answer) = timeout_at(deadline.search.into(), &mut answer).await {
            return answer.ok();
        }
        stop.store(true, Ordering::Relaxed);
        timeout_at(deadline.answer.into(), answer).await.ok()?.ok()
    });
    waiting.await.ok().flatten()
}

/// Reads a message on a thread of its own as soon as one of `threads` is free, as that may take a while.
/// The thread rests `rest` times as long as it took.
async fn on_thread<T: Send + 'static>(
    threads: &Arc<Semaphore>,
    rest: u32,
    read: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    let failed = || "the message can't be read".to_owned();
    let permit = Arc::clone(threads).acquire_owned().await.map_err(|_| failed())?;
    let (reply, answer) = oneshot::channel();
    spawn_blocking(move || {
        let begin = Instant::now();
        let _ = reply.send(read());
        thread::sleep(rest * begin.elapsed());
        drop(permit);
    });
    answer.await.unwrap_or_else(|_| Err(failed()))
}

#[cfg(test)]
pub(super) mod tests {
    use std::future::pending;
    use std::num::NonZeroUsize;
    use std::sync::mpsc::Receiver;
    use std::time::Duration;

    use quintet_core::session::EngineConfig;
    use tokio::task::yield_now;

    use super::super::games::Games;
    use super::super::player::Thinking;
    use super::*;
    use quintet_gdl::kif::Kif;

    /// Rules that stand for KRK.
    pub(crate) const RULES: &str = "((role white) (role black) (init (turn white)))";

    impl Matches {
        /// As if a PREVIEW took for ever.
        pub(crate) fn hold_previews(&self) {
            self.previews.forget_permits(PREVIEWS);
        }

        /// The PREVIEWs that are read or wait.
        pub(crate) fn waiting_previews(&self) -> usize {
            PLACES - self.places.available_permits()
        }
    }

    /// A match whose player never answers, with clocks of 200 ms.
    fn silent_match() -> (Match, Receiver<Task>) {
        let (tasks, to_do) = channel();
        let clock = Duration::from_millis(200);
        let silent = Match {
            start: Start {
                id: "m".to_owned(),
                role: "a".to_owned(),
                rules: Vec::new(),
                start_clock: clock,
                play_clock: clock,
            },
            receiver: String::new(),
            rules: String::new(),
            compilation: None,
            tasks,
            shared: Arc::default(),
            heard: Mutex::new(Instant::now()),
            has_begun: AtomicBool::new(false),
        };
        (silent, to_do)
    }

    /// Matches of KRK by [`RULES`], one at a time.
    pub(crate) fn matches() -> Matches {
        let thinking =
            Thinking { engine: EngineConfig::Random, iterations: None, time: None, seed: 0, ponder: false };
        let game = quintet_games::registry().find("krk", Some("ggp")).expect("it is known");
        let mut games = Games(Vec::new());
        games.add(&game, &RULES[1..RULES.len() - 1]).expect("it is right");
        Matches::new(super::super::Player {
            name: "quintet",
            games,
            thinking,
            margin: Duration::from_millis(100),
            matches: NonZeroUsize::MIN,
            note: |_| (),
        })
    }

    /// The answer to a message whose connection stays open.
    async fn say(matches: &Arc<Matches>, message: &str) -> String {
        let arrived = Instant::now();
        let answer = Arc::clone(matches).answer(message.to_owned(), "", arrived, pending()).await;
        answer.expect("a right message")
    }

    #[test]
    fn a_match_does_not_wait_for_previews() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        runtime.block_on(async {
            let matches = Arc::new(matches());
            let preview = format!("(PREVIEW {RULES} 10)");
            assert_eq!(say(&matches, &preview).await, "ready");
            let held = Arc::clone(&matches.previews).acquire_owned().await.expect("it is open");
            let previews = (0..PLACES).map(|_| {
                let (matches, preview) = (Arc::clone(&matches), preview.clone());
                tokio::spawn(async move { say(&matches, &preview).await })
            });
            let previews: Vec<_> = previews.collect();
            yield_now().await;
            assert_eq!(matches.waiting_previews(), PLACES);
            assert_eq!(say(&matches, &preview).await, "busy");
            assert_eq!(say(&matches, "(PING)").await, "ready");
            assert_eq!(say(&matches, &format!("(START m white {RULES} 0 10)")).await, "ready");
            assert_eq!(say(&matches, "(PING)").await, "busy");
            assert_eq!(say(&matches, &format!("(START n white {RULES} 0 10)")).await, "busy");
            drop(held);
            for preview in previews {
                assert_eq!(preview.await.expect("it has not failed"), "ready");
            }
        });
    }

    #[test]
    fn a_preview_ends_when_its_connection_is_closed() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let matches = Arc::new(matches());
        matches.hold_previews();
        let preview = format!("(PREVIEW {RULES} 10)");
        let answer = Arc::clone(&matches).answer(preview, "", Instant::now(), async {});
        assert_eq!(runtime.block_on(answer), Ok("busy".to_owned()));
        assert_eq!(matches.waiting_previews(), 0);
    }

    #[test]
    fn an_answer_does_not_wait_for_the_search() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let (silent, _to_do) = silent_match();
        let search = Arc::default();
        silent.shared.begin(&search, Some(None));
        silent.shared.offer("(mark 1)".to_owned());
        for (moves, expected) in [(None, "(mark 1)"), (Some(vec![Kif::Symbol("noop".to_owned())]), "nil")] {
            let arrived = Instant::now();
            let answer = runtime.block_on(matches().play(&silent, moves, arrived));
            assert_eq!(answer, expected);
            let taken = arrived.elapsed();
            assert!((Duration::from_millis(150)..Duration::from_millis(500)).contains(&taken), "{taken:?}");
        }
        // The second message was another one, so it has ended the search.
        assert!(search.load(Ordering::Relaxed));
    }

    #[test]
    fn nothing_waits_for_a_clock_once_the_answer_is_there() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let (mut found, to_do) = silent_match();
        found.start.play_clock = Duration::from_secs(60);
        let player = thread::spawn(move || {
            while let Ok(Task::Think { moves: Some(_), reply, .. }) = to_do.recv() {
                reply.send("(mark 1)".to_owned()).expect("the server waits");
            }
        });
        for _ in 0..3 {
            let answer = runtime.block_on(matches().play(&found, None, Instant::now()));
            assert_eq!(answer, "(mark 1)");
        }
        assert_eq!(runtime.metrics().num_alive_tasks(), 0);
        drop(found);
        player.join().expect("it has not failed");
    }

    #[test]
    fn nothing_is_left_of_a_match() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let matches = Arc::new(matches());
        let rules = "((role a) (init (at 0)) (legal a go) (legal a stay) (goal a 50)
            (<= (next (at 1)) (does a go)) (<= (next (at 0)) (does a stay)) (<= terminal (true (at 1))))";
        let mut left = Vec::new();
        for number in 0..20 {
            runtime.block_on(async {
                // Some matches end while their rules are compiled.
                assert_eq!(say(&matches, &format!("(START m a {rules} {} 9)", number % 2)).await, "ready");
                let begun = Arc::clone(&locked(&matches.table)[0]);
                let compilation = begun.compilation.as_ref().expect("it is not recognized");
                left.push((Arc::downgrade(compilation), Arc::downgrade(&begun.shared)));
                drop(begun);
                let last = if number % 3 == 0 { "(ABORT m)" } else { "(STOP m (go))" };
                say(&matches, last).await;
            });
        }
        let begin = Instant::now();
        while left.iter().any(|it| it.0.strong_count() + it.1.strong_count() > 0) {
            assert!(begin.elapsed() < Duration::from_secs(60), "something is left");
            thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(locked(&matches.table).len(), 0);
    }

    #[test]
    fn a_match_whose_server_is_silent_is_given_up() {
        let (silent, _to_do) = silent_match();
        let heard = *locked(&silent.heard);
        let is_given_up = |ms| silent.is_given_up(heard + Duration::from_millis(ms));
        assert_eq!([15_600, 15_601].map(is_given_up), [false, true]);
        silent.has_begun.store(true, Ordering::Relaxed);
        assert_eq!([15_400, 15_401].map(is_given_up), [false, true]);
    }
}
