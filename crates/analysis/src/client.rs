//! The clients of a scheduler: what they ask, and what they are told at once.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use quintet_arena::tournament::summary;
use quintet_arena::{ProgramConfig, locked};
use quintet_protocol::{
    Action, ActionAnswer, Answer, AnswerError, AnswerTerminated, FileList, Id, LevelList, ProgramVersion,
    Puzzle, PuzzleList, Query, Request, Terminated, TournamentSummary,
};

use crate::convert;
use crate::follow::FollowedFiles;
use crate::games;
use crate::limits::Limits;
use crate::query::{self, Prepared};
use crate::queue::{HasRoom, Job, Queue, QueuedRequest, Sink, Work};
use crate::replay;
use crate::scheduler::{QueryScheduler, Shared};
use crate::tree_cache::ClientId;

/// Someone who hands in queries. When it is dropped, its searches end and nothing of it is kept.
pub struct Client {
    number: ClientId,
    sink: Sink,
    has_room: HasRoom,
    scheduler: Arc<Shared>,
    /// Whether it takes no more lines.
    is_closed: AtomicBool,
    watches: Mutex<FollowedFiles>,
}

impl QueryScheduler {
    /// Adds a client. `sink` gets its answers, from several threads and in any order.
    pub fn client(&self, sink: impl Fn(Answer) + Send + Sync + 'static) -> Client {
        let scheduler = Arc::clone(&self.0);
        let number = scheduler.next_client.fetch_add(1, Ordering::Relaxed);
        locked(&scheduler.clients).insert(number);
        Client {
            number,
            sink: Arc::new(sink),
            has_room: Arc::new(|| true),
            scheduler,
            is_closed: AtomicBool::new(false),
            watches: Mutex::default(),
        }
    }
}

impl Client {
    /// Makes the parts of a file that is followed wait while `has_room` says that its answers are read too slowly.
    #[must_use]
    pub fn with_room(mut self, has_room: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.has_room = Arc::new(has_room);
        self
    }

    /// Takes a line. Returns at once; a search is answered later.
    pub fn line(&self, line: Result<Vec<u8>, String>) {
        let _turn = self.scheduler.turn_of_line(line.as_ref().map_or(0, Vec::len));
        // It may have been closed while the line waited for its turn.
        if self.is_closed.load(Ordering::Relaxed) {
            return;
        }
        let request = match line {
            Ok(line) => Request::parse(&line),
            Err(error) => Err(AnswerError { id: Id::default(), ply: None, error }),
        };
        let id = request.as_ref().map_or_else(|error| &error.id, Request::id);
        let longest = self.scheduler.limits.id_bytes;
        if id.length() > longest {
            let ask = self.ask(Id::default(), None);
            let answer = ask.wrong(format!("id: longer than {longest} bytes"));
            return self.answer(ask, answer);
        }
        match request {
            Ok(Request::Search(query)) => self.query(&query),
            Ok(Request::Act(id, action)) => self.act(id, action),
            Err(error) => self.answer(self.ask(error.id.clone(), None), Answer::Error(error)),
        }
    }

    fn ask(&self, id: Id, ply: Option<usize>) -> QueuedRequest {
        QueuedRequest { client: self.number, sink: Arc::clone(&self.sink), id, ply, priority: 0, keep: None }
    }

    /// Takes a query. Returns at once; the answer comes later.
    fn query(&self, query: &Query) {
        let Limits { waiting, .. } = self.scheduler.limits;
        let plies = query.analyze_plies.as_ref().map_or(1, Vec::len);
        if locked(&self.scheduler.queue).waiting(self.number).saturating_add(plies) > waiting {
            let ask = self.ask(query.id.clone(), None);
            let answer = ask.wrong(format!("too many queries: at most {waiting} may wait"));
            return (self.sink)(answer);
        }
        let prepared = match query::prepare(query, &self.scheduler.context()) {
            Ok(prepared) => prepared,
            Err(error) => return self.answer(self.ask(query.id.clone(), error.ply), Answer::Error(error)),
        };
        for (ply, prepared) in prepared {
            let (priority, keep) = (query.priority, query.keep.clone());
            let ask = QueuedRequest { priority, keep, ..self.ask(query.id.clone(), ply) };
            match prepared {
                Prepared::Search(task) => self.add(Job { ask, work: Work::Search(task) }),
                Prepared::Over(answer) => self.answer(ask, answer),
            }
        }
    }

    /// Gives an answer that is ready: at once, or in the order of the queries if they are searched
    /// one at a time.
    fn answer(&self, ask: QueuedRequest, answer: Answer) {
        if self.scheduler.limits.searches > 1 {
            (self.sink)(answer);
        } else {
            self.add(Job { ask, work: Work::Answer(Box::new(answer)) });
        }
    }

    /// Takes an action that may take long. Returns at once; the answer comes when it has its turn among the
    /// queries.
    fn act_later(
        &self,
        id: Id,
        act: impl FnOnce(&AtomicBool) -> Result<ActionAnswer, String> + Send + 'static,
    ) {
        let ask = self.ask(id, None);
        let Limits { actions, actions_of_all, .. } = self.scheduler.limits;
        let [own, all] = locked(&self.scheduler.queue).waiting_actions(self.number);
        if own >= actions || all >= actions_of_all {
            let answer = ask.wrong("too many tournaments wait: wait for an answer to one".to_owned());
            return (self.sink)(answer);
        }
        self.add(Job { ask, work: Work::ActionFn(Box::new(act)) });
    }

    fn add(&self, job: Job) {
        {
            let mut queue = locked(&self.scheduler.queue);
            // A line may still be taken while the client is closed.
            if self.is_closed.load(Ordering::Relaxed) {
                return;
            }
            queue.add(job);
        }
        self.scheduler.work.notify_one();
        self.scheduler.arrived.notify_all();
    }

    fn act(&self, id: Id, action: Action) {
        match self.act_now(id.clone(), action) {
            Ok(None) => {}
            Ok(Some(answer)) => (self.sink)(Answer::Action(Box::new(answer))),
            Err(error) => (self.sink)(Answer::Error(AnswerError { id, ply: None, error })),
        }
    }

    /// Does an action. `None` if its answers come later.
    fn act_now(&self, id: Id, action: Action) -> Result<Option<ActionAnswer>, String> {
        let ProgramConfig { name, version, games, .. } = &self.scheduler.config;
        let answer = match action {
            Action::Terminate { terminate_id } => {
                let terminated = self.terminate(Some(&terminate_id));
                ActionAnswer::Terminate(Terminated { id, terminate_id: Some(terminate_id), terminated })
            }
            Action::TerminateAll {} => {
                let terminated = self.terminate(None);
                ActionAnswer::TerminateAll(Terminated { id, terminate_id: None, terminated })
            }
            Action::Version {} => {
                let (name, version) = (name.to_string(), version.to_string());
                ActionAnswer::Version(ProgramVersion { id, name, version })
            }
            Action::Games {} => ActionAnswer::Games(games::listed(id, games)),
            Action::Replay { game, rules, position, moves, pictures } => {
                let variant = query::find(games, &game, rules.as_deref())?;
                let shown = replay::shown(id, &variant, position.as_deref(), &moves, pictures)?;
                ActionAnswer::Replay(shown)
            }
            Action::Convert { text, rules } => {
                ActionAnswer::Convert(convert::converted(id, &text, rules.as_deref(), games)?)
            }
            Action::Levels {} => {
                ActionAnswer::Levels(LevelList { id, levels: self.scheduler.levels.clone() })
            }
            Action::Puzzles { game, rules } => {
                let variant = query::find(games, &game, rules.as_deref())?;
                let is_of_game = |it: &&Puzzle| it.game == *variant.game && it.rules == *variant.rules;
                let puzzles = self.scheduler.puzzles.iter().filter(is_of_game).cloned().collect();
                ActionAnswer::Puzzles(PuzzleList { id, puzzles })
            }
            Action::Files {} => ActionAnswer::Files(FileList { id, files: self.scheduler.files.names() }),
            Action::Watch { file } => {
                self.watch(id, &file)?;
                return Ok(None);
            }
            Action::Tournament { records } => {
                let (games, of_answer) = (games.clone(), id.clone());
                self.act_later(id, move |stop| {
                    let summary = summary(records, &games, stop)?;
                    Ok(ActionAnswer::Tournament(TournamentSummary { id: of_answer, summary }))
                });
                return Ok(None);
            }
        };
        Ok(Some(answer))
    }

    /// Follows a file.
    fn watch(&self, id: Id, file: &str) -> Result<(), String> {
        let (sink, has_room) = (Arc::clone(&self.sink), Arc::clone(&self.has_room));
        locked(&self.watches).start(id, file, &self.scheduler.files, sink, has_room)
    }

    /// Ends the queries with this id, or all; returns their number.
    pub fn terminate(&self, id: Option<&Id>) -> usize {
        let (waiting, running) = {
            let mut queue = locked(&self.scheduler.queue);
            (queue.take_waiting(self.number, id), queue.terminate(self.number, id))
        };
        let watches = locked(&self.watches).terminate(id);
        // Wrong lines only wait for the answers before theirs.
        let ended = waiting.iter().filter(|job| !matches!(job.work, Work::Answer(_))).count();
        let count = ended + running + watches.len();
        self.answer_terminated(waiting);
        for id in watches {
            (self.sink)(Answer::Terminated(AnswerTerminated { id, ply: None, terminated: true }));
        }
        count
    }

    fn answer_terminated(&self, waiting: Vec<Job>) {
        for Job { ask, work } in waiting {
            let terminated = AnswerTerminated { id: ask.id, ply: ask.ply, terminated: true };
            (ask.sink)(match work {
                Work::Search(_) | Work::ActionFn(_) => Answer::Terminated(terminated),
                Work::Answer(answer) => *answer,
            });
        }
        self.scheduler.ended.notify_all();
    }

    /// Waits until at most `most` queries wait.
    pub fn wait_for_room(&self, most: usize) {
        self.wait_until(|queue| queue.waiting(self.number) <= most);
    }

    /// Waits until all queries have been answered.
    pub fn finish(&self) {
        self.wait_until(|queue| queue.is_idle(self.number));
    }

    fn wait_until(&self, condition: impl Fn(&Queue) -> bool) {
        let queue = locked(&self.scheduler.queue);
        drop(self.scheduler.ended.wait_while(queue, |queue| !condition(queue)));
    }

    /// Answers the queries that wait as terminated.
    pub fn drop_waiting(&self) {
        let waiting = locked(&self.scheduler.queue).take_waiting(self.number, None);
        self.answer_terminated(waiting);
    }

    /// Takes no more lines, forgets the queries that wait, and ends the searches, which are answered
    /// with what they have found.
    pub fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
        locked(&self.scheduler.queue).stop(self.number);
        self.scheduler.ended.notify_all();
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("number", &self.number).finish_non_exhaustive()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let mut clients = locked(&self.scheduler.clients);
        clients.remove(&self.number);
        locked(&self.scheduler.queue).forget(self.number);
        locked(&self.scheduler.tree_cache).forget(self.number);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{self, Receiver};
    use std::thread;
    use std::time::Duration;

    use super::*;
    use crate::scheduler::Sources;

    fn scheduler(limits: Limits) -> QueryScheduler {
        let games = quintet_games::registry();
        let config = ProgramConfig { name: "test", version: "0", games, ..ProgramConfig::default() };
        let sources = Sources { files: vec!["games.jsonl".into()], ..Sources::default() };
        QueryScheduler::start(config, limits, sources).expect("there are threads")
    }

    /// A client, and the JSON of its answers.
    fn client(scheduler: &QueryScheduler) -> (Client, Receiver<String>) {
        let (sender, answers) = mpsc::channel();
        let client = scheduler.client(move |answer| {
            // The test may have ended.
            let _ = sender.send(serde_json::to_string(&answer).expect("JSON"));
        });
        (client, answers)
    }

    #[test]
    fn few_tournaments_wait_whoever_sends_them() {
        let scheduler =
            scheduler(Limits { searches: 2, actions: 1, actions_of_all: 2, ..Limits::of_one_client() });
        let clients = [(); 3].map(|()| client(&scheduler));
        let (began, begins) = mpsc::channel();
        let (_hold, held) = mpsc::channel::<()>();
        let held = Arc::new(Mutex::new(held));
        // Both workers are busy until the end of the test.
        for _ in 0..2 {
            let (began, held) = (began.clone(), Arc::clone(&held));
            clients[0].0.act_later(Id::default(), move |_| {
                let _ = began.send(());
                let _ = held.lock().map(|held| held.recv());
                Err("held".to_owned())
            });
            begins.recv().expect("a worker takes it");
        }
        let send = |number: usize| {
            let line = br#"{"id":1,"action":"tournament","records":[]}"#;
            clients[number].0.line(Ok(line.to_vec()));
            clients[number].1.try_recv().ok()
        };
        let refusal =
            Some(r#"{"id":1,"error":"too many tournaments wait: wait for an answer to one"}"#.to_owned());
        assert_eq!([send(0), send(0), send(1), send(2)], [None, refusal.clone(), None, refusal]);
    }

    #[test]
    fn long_lines_are_read_one_at_a_time() {
        let scheduler = scheduler(Limits { searches: 2, ..Limits::of_one_client() });
        let [(slow, late), (quick, early)] = [(); 2].map(|()| client(&scheduler));
        let turn = scheduler.0.turn_of_line(1 << 20);
        let line = format!(r#"{{"id":1,"action":"version"{}}}"#, " ".repeat(1 << 20));
        let reading = thread::spawn(move || slow.line(Ok(line.into_bytes())));
        quick.line(Ok(br#"{"id":2,"action":"version"}"#.to_vec()));
        assert!(early.recv().expect("an answer").contains(r#""id":2"#));
        assert!(late.try_recv().is_err());
        drop(turn);
        assert!(late.recv().expect("an answer").contains(r#""id":1"#));
        reading.join().expect("it ends");
    }

    #[test]
    fn a_client_that_is_closed_while_its_line_waits_asks_for_nothing() {
        let scheduler = scheduler(Limits { searches: 2, ..Limits::of_one_client() });
        let (client, answers) = client(&scheduler);
        let client = Arc::new(client);
        let turn = scheduler.0.turn_of_line(1 << 20);
        let line = format!(r#"{{"id":1,"action":"version"{}}}"#, " ".repeat(1 << 20));
        let reader = Arc::clone(&client);
        let reading = thread::spawn(move || reader.line(Ok(line.into_bytes())));
        // Most likely it waits by now. If not, the test is easier.
        thread::sleep(Duration::from_millis(100));
        client.close();
        drop(turn);
        reading.join().expect("it ends");
        // As from a line that is being taken.
        client.act_later(Id::default(), |_| Err("too late".to_owned()));
        client.finish();
        assert!(answers.try_recv().is_err());
    }

    #[test]
    fn no_answer_of_a_file_comes_after_its_last_one() {
        let scheduler = scheduler(Limits { searches: 2, ..Limits::of_one_client() });
        let (began, begins) = mpsc::channel();
        let (sender, answers) = mpsc::channel();
        let client = scheduler.client(move |answer| {
            let is_last = matches!(answer, Answer::Terminated(_));
            if !is_last {
                let _ = began.send(());
                thread::sleep(Duration::from_millis(200));
            }
            let _ = sender.send(is_last);
        });
        client.watch(Id::default(), "games.jsonl").expect("it can be followed");
        begins.recv().expect("an answer is being given");
        assert_eq!(client.terminate(None), 1);
        drop(client);
        assert_eq!(answers.iter().collect::<Vec<_>>(), [false, true]);
    }

    #[test]
    fn a_part_of_a_file_waits_for_room() {
        let scheduler = scheduler(Limits { searches: 2, ..Limits::of_one_client() });
        let (client, answers) = client(&scheduler);
        let (asked, asks) = mpsc::channel();
        let room = Arc::new(AtomicBool::new(false));
        let of_client = Arc::clone(&room);
        let client = client.with_room(move || {
            let _ = asked.send(());
            of_client.load(Ordering::Relaxed)
        });
        client.watch(Id::default(), "games.jsonl").expect("it can be followed");
        for _ in 0..2 {
            asks.recv().expect("it is asked again");
        }
        assert!(answers.try_recv().is_err());
        room.store(true, Ordering::Relaxed);
        assert!(answers.recv().is_ok());
    }

    #[test]
    fn an_answer_has_the_step_after_its_move_as_a_replay_does() {
        let scheduler = scheduler(Limits::of_one_client());
        let (client, answers) = client(&scheduler);
        let ask = |line: &str| -> serde_json::Value {
            client.line(Ok(line.as_bytes().to_vec()));
            serde_json::from_str(&answers.recv().expect("an answer")).expect("JSON")
        };
        let mut moves = vec!["c4".to_owned()];
        for _ in 0..2 {
            let game = format!(r#""game":"pentago","rules":"ggp","moves":{moves:?}"#);
            let answer = ask(&format!(r#"{{{game},"iterations":50,"threads":1,"keep":"a","step":true}}"#));
            let played = answer["move"].as_str().expect("a move");
            moves.push(played.to_owned());
            let game = format!(r#""game":"pentago","rules":"ggp","moves":{moves:?}"#);
            let replay = ask(&format!(r#"{{"action":"replay",{game},"pictures":true}}"#));
            let steps = replay["steps"].as_array().expect("steps");
            assert_eq!(steps.last(), Some(&answer["step"]));
            assert!(answer["step"]["effects"].as_object().is_some_and(|it| !it.is_empty()));
        }
        let without = ask(r#"{"game":"pentago","iterations":50,"threads":1}"#);
        assert_eq!(without.get("step"), None);
    }

    #[test]
    fn all_clients_together_follow_so_many_files_and_not_more() {
        let scheduler = scheduler(Limits { searches: 2, ..Limits::of_one_client() });
        let mut clients: Vec<_> = (0..9).map(|_| client(&scheduler)).collect();
        let follow = |(client, _): &(Client, Receiver<String>)| client.watch(Id::default(), "games.jsonl");
        assert!(clients[..8].iter().all(|it| (0..4).all(|_| follow(it).is_ok())));
        assert_eq!(follow(&clients[0]), Err("at most 4 files can be followed at a time".to_owned()));
        let refusal = "at most 32 files can be followed by all clients together";
        assert_eq!(follow(&clients[8]), Err(refusal.to_owned()));
        clients.remove(0);
        // Their threads notice it soon.
        while follow(&clients[7]).is_err() {
            thread::yield_now();
        }
    }
}
