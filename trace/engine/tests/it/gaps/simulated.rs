//! Causes of simulated runs, which are known at every nanosecond.

use proptest::prelude::*;

use super::*;

struct Known<'a> {
    run: &'a Simulated,
    /// By command: its queue, and the command that it depends on.
    commands: Vec<(usize, Option<usize>)>,
}

impl<'a> Known<'a> {
    fn new(program: &[Does], run: &'a Simulated) -> Self {
        let mut commands: Vec<(usize, Option<usize>)> = Vec::new();
        for does in program {
            if let Does::Submit { queue, after, .. } = does {
                let number = commands.len();
                commands.push((*queue, after.filter(|_| number > 0).map(|after| after % number)));
            }
        }
        Self { run, commands }
    }

    fn before(&self, command: usize, at: u64) -> GapClass {
        let (queue, after) = self.commands[command];
        let handed = self.run.handed[command] + SUBMISSION_NS;
        let earlier = (0..command).filter(|other| self.commands[*other].0 == queue);
        let last = earlier.chain(after).max_by_key(|other| (self.run.commands[*other].1, *other));
        if at >= self.run.commands[command].0 - LAUNCH_NS {
            let is_built = self.run.builds.iter().any(|(from, to)| (*from..*to).contains(&at));
            return if is_built { GapClass::Build } else { GapClass::Launch };
        }
        match last.filter(|last| self.run.commands[*last].1 >= handed) {
            Some(last) if at >= self.run.commands[last].0 => GapClass::Dependence,
            Some(last) => self.before(last, at),
            None => self.on_host(at, handed),
        }
    }

    /// Returns the cause of the time before an action of the host at `until`.
    fn on_host(&self, at: u64, until: u64) -> GapClass {
        let is_in = |(from, to): (u64, u64)| (from..to).contains(&at);
        let Some((queue, from, to)) = self.run.waits.iter().rfind(|(_, _, to)| *to <= until).copied() else {
            return self.host_class(is_in);
        };
        if at >= to {
            return self.host_class(is_in);
        }
        let is_of_queue = |command: &usize| self.commands[*command].0 == queue;
        let mut asked = (0..self.commands.len()).rev().filter(|command| self.run.handed[*command] < from);
        match asked.find(is_of_queue).filter(|last| self.run.commands[*last].1 > from) {
            Some(last) if at < self.run.commands[last].0 => self.before(last, at),
            Some(_) => GapClass::Wait,
            None if at >= from => GapClass::Wait,
            None => self.on_host(at, from),
        }
    }

    fn host_class(&self, is_in: impl Fn((u64, u64)) -> bool) -> GapClass {
        if self.run.handed.iter().any(|from| is_in((*from, from + SUBMISSION_NS))) {
            GapClass::Submission
        } else if self.run.builds.iter().any(|build| is_in(*build)) {
            GapClass::Build
        } else {
            GapClass::Host
        }
    }

    fn at_end(&self, at: u64) -> GapClass {
        let Simulated { commands, waits, builds, handed, .. } = self.run;
        let submissions = handed.iter().map(|from| from + SUBMISSION_NS);
        let slices = waits.iter().map(|wait| wait.2).chain(builds.iter().map(|build| build.1));
        let thread = slices.chain(submissions).max().unwrap_or(0);
        let last = (0..commands.len()).max_by_key(|command| (commands[*command].1, *command));
        match last.filter(|last| commands[*last].1 > thread) {
            Some(last) if at >= commands[last].0 => GapClass::Unknown,
            Some(last) => self.before(last, at),
            None if at >= thread => GapClass::Unknown,
            None => self.on_host(at, thread),
        }
    }
}

proptest! {
    #[test]
    fn causes_are_those_of_the_simulator(
        program in programs(),
        from in 0..2_000_u64,
        length in 1..2_000_u64,
        pauses in prop::collection::vec((0..1_500_u64, 1..300_u64), 0..3),
        samples in prop::collection::vec(0..2_000_u64, 0..40),
    ) {
        prop_assume!(program.iter().any(|does| !matches!(does, Does::Work { .. })));
        let run = simulate(&program, duration);
        let known = Known::new(&program, &run);
        let mut recording = recording(&program, &run);
        // Consecutive pauses.
        let mut until = 0;
        let pauses: Vec<(u64, u64)> = pauses
            .iter()
            .map(|(after, length)| {
                let from = until + after;
                until = from + length;
                (from.min(run.end), until.min(run.end))
            })
            .filter(|(from, to)| from < to)
            .collect();
        for (at, is_paused) in pauses.iter().flat_map(|(from, to)| [(*from, true), (*to, false)]) {
            recording.event(&Event::Pause(Pause { at: Timestamp(at), is_paused, reason: "signal" }));
        }
        // Before the first call, the relevant thread is unknown.
        let begins = run.waits.iter().map(|wait| wait.1).chain(run.builds.iter().map(|build| build.0));
        let first = begins.chain(run.handed.iter().copied()).min().unwrap_or(0);
        let samples: Vec<u64> = samples.into_iter().filter(|at| (first..run.end).contains(at)).collect();
        for at in &samples {
            recording.event(&Event::Sample(Sample { at: Timestamp(*at), track: 1, ..Sample::default() }));
        }
        let trace = recording.trace();
        tree_is_that_of_causes(&trace, "");
        tree_is_that_of_causes(&trace, &format!("&from={from}&to={}", from + length));
        let is_paused = |at: u64| pauses.iter().any(|(from, to)| (*from..*to).contains(&at));
        let info = trace.info();
        let queues = info.tracks.iter().filter(|track| track.kind == TrackKind::Queue);
        for (queue, track) in queues.enumerate() {
            let track = track.id;
            let range = from..(from + length).min(run.end).max(from);
            for (range, text) in [
                (0..run.end, format!("gaps?track={track}&limit=10000")),
                (range.clone(), format!("gaps?track={track}&limit=10000&from={}&to={}", range.start, range.end)),
            ] {
                let gaps = ask(&trace, &text);
                adds_up(&gaps);
                let mine: Vec<usize> = (0..known.commands.len()).filter(|number| known.commands[*number].0 == queue).collect();
                let is_busy = |at: u64| mine.iter().any(|number| (run.commands[*number].0..run.commands[*number].1).contains(&at));
                let mut idle: BTreeMap<u64, GapClass> = BTreeMap::new();
                for at in range.filter(|at| !is_busy(*at)) {
                    let next = mine.iter().find(|number| run.commands[**number].0 > at);
                    let class = || next.map_or_else(|| known.at_end(at), |next| known.before(*next, at));
                    idle.insert(at, if is_paused(at) { GapClass::Paused } else { class() });
                }
                prop_assert_eq!(gaps.idle_ns, idle.len() as u64);
                for gap in &gaps.gaps {
                    let mut expected: BTreeMap<GapClass, u64> = BTreeMap::new();
                    for (_, class) in idle.range(gap.from_ns..gap.to_ns) {
                        *expected.entry(*class).or_default() += 1;
                    }
                    prop_assert_eq!(classes(gap), expected, "{:?} {:?}", gap, run);
                    // A command on another queue has no thread with samples.
                    let is_elsewhere = |at: u64| run.commands.iter().any(|(start, end)| (*start..*end).contains(&at));
                    let is_unrecorded = |at: &u64| match idle.get(at) {
                        Some(GapClass::Host) => true,
                        Some(GapClass::Unknown) => !is_elsewhere(*at),
                        _ => false,
                    };
                    let inside = samples.iter().filter(|at| (gap.from_ns..gap.to_ns).contains(at));
                    let sampled = gap.parts.iter().filter_map(|part| part.step.samples.as_ref());
                    prop_assert_eq!(
                        sampled.map(|samples| samples.count).sum::<u64>(),
                        inside.filter(|at| is_unrecorded(at)).count() as u64,
                        "{:?} {:?} {:?}", samples, gap, run
                    );
                }
            }
        }
    }
}
