//! Random schedules.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use reprise_schedule::{
    CodeLocation, Command, Count, Descriptor, Event, Location, Log, Loop, Message, MessageAction,
    Messages, Method, Moment, Name, Schedule, SourceLine, SwitchAction, Switches, Target, ThreadId,
    Times,
};

/// Names as compilers make them, and as none does.
pub(crate) fn name() -> impl Strategy<Value = Name> {
    let odd = "[a-z0-9 #:/(){}\\\\u.\t\u{a0}\u{202e}\u{1b}ü数$;<>-]{1,12}";
    prop_oneof![
        "[A-Za-z$][A-Za-z0-9$_]{0,8}".prop_map(|text| Name::new(&text).unwrap()),
        odd.prop_map(|text| Name::new(&text).unwrap()),
        "[0-9-]{1,4}".prop_map(|text| Name::new(&text).unwrap()),
        vec(any::<char>(), 1..6).prop_map(|chars| Name::new(&String::from_iter(chars)).unwrap()),
    ]
}

pub(crate) fn thread() -> impl Strategy<Value = ThreadId> {
    prop_oneof![
        (0u32..4).prop_map(ThreadId::number),
        any::<u32>().prop_map(ThreadId::number),
        vec(1u32.., 1..4).prop_map(|path| {
            path.iter()
                .fold(ThreadId::MAIN, |thread, k| thread.child(*k).unwrap())
        }),
    ]
}

fn target() -> impl Strategy<Value = Target> {
    option::of(thread()).prop_map(Target::from)
}

fn count() -> impl Strategy<Value = Count> {
    prop_oneof![1u64..5, 1u64..=i64::MAX as u64].prop_map(|count| Count::new(count).unwrap())
}

fn method() -> impl Strategy<Value = Method> {
    let descriptor = name().prop_map(|rest| Descriptor::new(&format!("({rest}")).unwrap());
    prop_oneof![
        any::<u16>().prop_map(Method::Index),
        (name(), option::of(descriptor))
            .prop_map(|(name, descriptor)| Method::Named { name, descriptor }),
    ]
}

fn location() -> impl Strategy<Value = Location> {
    let code = (name(), method(), any::<u32>());
    prop_oneof![
        code.prop_map(|(class, method, offset)| {
            Location::Code(CodeLocation {
                class,
                method,
                offset,
            })
        }),
        (name(), any::<u32>()).prop_map(|(file, line)| Location::Source(SourceLine { file, line })),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    let moment = prop_oneof![Just(Moment::Before), Just(Moment::In)];
    (moment, location(), count()).prop_map(|(moment, location, count)| Event {
        moment,
        location,
        count,
    })
}

fn log() -> impl Strategy<Value = Log> {
    let text = prop_oneof!["[a-z #\\\\u{}2\t]{0,12}", any::<String>()];
    (1u8..=4, text).prop_map(|(level, text)| Log::new(level, &text).unwrap())
}

fn switch_action() -> impl Strategy<Value = SwitchAction> {
    prop_oneof![
        target().prop_map(SwitchAction::Switch),
        thread().prop_map(SwitchAction::Notify),
        thread().prop_map(SwitchAction::Timeout),
        target().prop_map(SwitchAction::Die),
        Just(SwitchAction::Terminate),
        log().prop_map(SwitchAction::Log),
    ]
}

fn message_action() -> impl Strategy<Value = MessageAction> {
    let message = || (thread(), any::<i64>()).prop_map(|(peer, value)| Message { peer, value });
    prop_oneof![
        message().prop_map(MessageAction::Send),
        message().prop_map(MessageAction::Receive),
        thread().prop_map(MessageAction::Notify),
        thread().prop_map(MessageAction::Timeout),
        Just(MessageAction::Die),
        Just(MessageAction::Terminate),
        log().prop_map(MessageAction::Log),
    ]
}

/// Commands with loops in them.
pub(crate) fn commands<A: Clone + std::fmt::Debug + 'static>(
    event: impl Strategy<Value = Event> + 'static,
    action: impl Strategy<Value = A> + 'static,
) -> impl Strategy<Value = Vec<Command<A>>> {
    let leaf = prop_oneof![
        event.prop_map(Command::Event),
        action.prop_map(Command::Action),
    ];
    let times = prop_oneof![
        3 => count().prop_map(Times::Count),
        1 => Just(Times::Endless),
    ];
    let command = leaf.prop_recursive(3, 24, 5, move |inner| {
        (vec(inner, 0..5), times.clone())
            .prop_map(|(body, times)| Command::Loop(Loop { body, times }))
    });
    vec(command, 0..10)
}

pub(crate) fn schedule() -> impl Strategy<Value = Schedule> {
    let switches = commands(event(), switch_action());
    let threads =
        proptest::collection::btree_map(thread(), commands(event(), message_action()), 0..4);
    prop_oneof![
        switches.prop_map(|commands| Switches { commands }.into()),
        threads.prop_map(|threads: BTreeMap<_, _>| Messages::new(threads).into()),
    ]
}
