//! The text form of engines.

use std::num::NonZeroUsize;
use std::time::Duration;

use quintet_arena::engine::{EngineKind, EngineSpec, Settings, from_toml};

#[test]
fn a_specification_names_kind_and_settings() {
    let spec: EngineSpec =
        "strong=uct:iterations=10000,c=0.7,time=50ms,threads=2,memory=1MiB".parse().expect("valid");
    assert_eq!(spec.name, "strong");
    assert_eq!(spec.kind, EngineKind::Uct);
    let settings = spec.settings;
    assert_eq!(settings.iterations, Some(10_000));
    assert_eq!(settings.time, Some(Duration::from_millis(50)));
    assert_eq!(settings.threads, NonZeroUsize::new(2));
    assert_eq!(settings.memory, Some(1 << 20));
    assert_eq!(settings.c, Some(0.7));
    let bare: EngineSpec = "uct:iterations=5".parse().expect("valid");
    assert_eq!(bare.name, "uct:iterations=5");
}

#[test]
fn a_wrong_specification_is_refused_with_the_part_that_is_wrong() {
    for (text, part) in [
        ("", "is not an engine"),
        ("ucd", "\"ucd\" is not an engine; did you mean \"uct\"? known: random, uct, quintet, ugi, json"),
        ("=uct", "name before '=' is empty"),
        ("uct:c=1,c=2", "\"c\" is given twice"),
        ("uct:", "\"\" is not of the form key=value"),
        ("uct:c=1,", "\"\" is not of the form key=value"),
        (
            "uct:depth=3",
            "\"depth=3\" is not a setting; known: iterations, time, tc, margin, threads, trees, memory, c",
        ),
        (
            "uct:without=solver",
            "is not a setting; known: iterations, time, tc, margin, threads, trees, memory, c",
        ),
        ("random:c=1", "is not a setting; known: iterations, time, tc, threads, trees, memory"),
        (
            "quintet:d=1",
            "is not a setting; known: iterations, time, tc, margin, threads, trees, memory, c, batch, without, model, early_stop, temperature, max_loss, sight",
        ),
        ("quintet:early_stop=no", "\"early_stop=no\" is neither on nor off"),
        ("uct:early_stop=off", "\"early_stop=off\" is not a setting"),
        ("uct:iterations", "not of the form key=value"),
        (
            "uct:iterations=many",
            "\"iterations=many\" is not a whole number in range, such as 5000, 10k or 2M",
        ),
        ("uct:threads=0", "not a whole number of at least 1"),
        ("uct:trees=0", "not a whole number of at least 1"),
        ("quintet:batch=0", "not a whole number of at least 1"),
        ("uct:batch=2", "\"batch=2\" is not a setting"),
        ("uct:time=5", "not a time such as 500ms or 2s; did you mean 5s?"),
        ("uct:time=0.25", "; did you mean 250ms?"),
        ("uct:time=20MS", "; did you mean 20ms?"),
        ("ugi:timeout=90,command=./a", "; did you mean 1m30s?"),
        ("uct:memory=big", "not an amount of memory"),
        ("uct:memory=99999999999999999999", "not an amount of memory"),
        ("uct:memory=99999999999999999999GiB", "not an amount of memory"),
        ("uct:command=./a", "\"command=./a\" is not a setting; known: iterations"),
        ("ugi", "needs a command"),
        ("json:iterations=5", "needs a command"),
        ("ugi:command=", "\"command=\" is no command: it is empty"),
        ("ugi:command=./a 'b", "is no command: missing closing quote"),
        ("ugi:command='' b", "the program is empty"),
        (
            "ugi:threads=2,command=./a",
            "\"threads=2\" is not a setting; known: iterations, time, tc, timeout, margin, start, command",
        ),
        ("json:memory=1MiB,command=./a", "\"memory=1MiB\" is not a setting"),
        ("ugi:timeout=0s,command=./a", "\"timeout=0s\" is not a time above 0"),
        ("ugi:start=0s,command=./a", "\"start=0s\" is not a time above 0"),
        ("ugi:start=5,command=./a", "\"start=5\" is not a time"),
    ] {
        let error = text.parse::<EngineSpec>().expect_err(text).to_string();
        assert!(error.contains(part), "{text:?}: {error}");
    }
}

#[test]
fn a_specification_is_written_as_it_is_read() {
    for text in [
        "random",
        "uct:iterations=10000,threads=2,c=0.7",
        "quintet:time=1s500ms,threads=1,trees=2,memory=1048576B,batch=64,without=solver+priors,early_stop=off",
        "ugi:time=50ms,margin=0s,start=1m,command=./engine --flag 'a b',c=1",
        "json:iterations=1000,threads=2,timeout=5s,command=\"my engine\"",
    ] {
        let spec: EngineSpec = text.parse().expect(text);
        assert_eq!(spec.to_string(), text);
        let again: EngineSpec = spec.to_string().parse().expect(text);
        assert_eq!((again.kind, again.settings), (spec.kind, spec.settings));
    }
    let defaults = Settings { threads: NonZeroUsize::new(3), ..Settings::default() };
    let spec: EngineSpec = "uct:c=1".parse().expect("valid");
    assert_eq!(spec.with_defaults(&defaults).to_string(), "uct:time=1s,threads=3,c=1");
}

#[test]
fn a_search_uses_all_of_a_time_that_a_tournament_gives_each_move() {
    for (text, whole) in [
        ("quintet:time=1s", "quintet:time=1s,threads=1,early_stop=off"),
        ("quintet", "quintet:time=1s,threads=1,early_stop=off"),
        ("quintet:time=1s,early_stop=on", "quintet:time=1s,threads=1,early_stop=on"),
        ("quintet:iterations=9", "quintet:iterations=9,threads=1"),
        ("quintet:time=1s,iterations=9", "quintet:iterations=9,time=1s,threads=1"),
        ("quintet:tc=1+0.1", "quintet:tc=1+0.1,threads=1,margin=1s"),
        ("uct:time=1s", "uct:time=1s,threads=1"),
    ] {
        let spec: EngineSpec = text.parse().expect(text);
        let defaults = Settings { threads: NonZeroUsize::new(1), ..Settings::default() };
        assert_eq!(spec.in_tournament(&defaults).to_string(), whole);
    }
}

#[test]
fn the_cores_of_a_machine_are_no_setting_of_a_search_that_iterations_limit() {
    let cores = rayon::current_num_threads();
    for (text, whole) in [
        ("uct:iterations=9", "uct:iterations=9".to_owned()),
        ("uct:iterations=9,threads=2", "uct:iterations=9,threads=2".to_owned()),
        ("quintet:iterations=9,time=1s", format!("quintet:iterations=9,time=1s,threads={cores}")),
        ("uct:tc=1+0.1", format!("uct:tc=1+0.1,threads={cores},margin=1s")),
    ] {
        let spec: EngineSpec = text.parse().expect(text);
        assert_eq!(spec.in_tournament(&Settings::default()).to_string(), whole);
    }
}

#[test]
fn iterations_may_be_given_in_thousands_and_millions() {
    for (text, number) in [("0", 0), ("5000", 5_000), ("10k", 10_000), ("2M", 2_000_000)] {
        let spec: EngineSpec = format!("uct:iterations={text}").parse().expect(text);
        assert_eq!(spec.settings.iterations, Some(number), "{text}");
    }
    for text in ["", "k", "1K", "2m", "1e6", "1.5k", "-1k", "1kM", "20000000000000M"] {
        format!("uct:iterations={text}").parse::<EngineSpec>().expect_err(text);
    }
    let engines = from_toml("[[engine]]\nname = \"a\"\nkind = \"uct\"\niterations = \"10k\"\n");
    assert_eq!(engines.expect("valid")[0].settings.iterations, Some(10_000));
}

#[test]
fn a_command_takes_the_rest_and_is_split_into_words() {
    let spec: EngineSpec = "x=ugi:time=50ms,command=./a -b 'c, d' e=f:g".parse().expect("valid");
    assert_eq!(spec.name, "x");
    assert_eq!(spec.kind, EngineKind::Ugi);
    let command = spec.settings.command.expect("a command");
    assert_eq!(command.program(), "./a");
    assert_eq!(command.arguments(), ["-b", "c, d", "e=f:g"]);
}

#[test]
fn an_external_engine_takes_from_the_defaults_what_it_has_settings_for() {
    let defaults = Settings {
        iterations: Some(9),
        threads: NonZeroUsize::new(3),
        memory: Some(1 << 20),
        ..Settings::default()
    };
    for (text, whole) in [
        ("ugi:command=a", "ugi:iterations=9,timeout=1m,start=10s,command=a"),
        ("ugi:time=1s,command=a", "ugi:time=1s,margin=1s,start=10s,command=a"),
        ("json:timeout=2s,command=a", "json:iterations=9,threads=3,timeout=2s,start=10s,command=a"),
    ] {
        let spec: EngineSpec = text.parse().expect(text);
        assert_eq!(spec.with_defaults(&defaults).to_string(), whole);
    }
}

#[test]
fn an_engine_with_a_budget_takes_no_other() {
    let defaults = Settings { iterations: Some(9), threads: NonZeroUsize::new(3), ..Settings::default() };
    let timed = Settings { time: Some(Duration::from_secs(2)), ..Settings::default() }.or(&defaults);
    assert_eq!((timed.iterations, timed.threads), (None, NonZeroUsize::new(3)));
    assert_eq!(Settings::default().or(&defaults).iterations, Some(9));
}
