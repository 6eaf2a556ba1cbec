//! Conditions on arguments.

use syclscope_language::event::Value;
use syclscope_language::filter::{Condition, Field, Number, Op, Units};

use super::{compares, is_text};
use crate::id::ArgsId;
use crate::store::Trace;

pub(super) fn is_match(trace: &Trace, set: ArgsId, condition: &Condition) -> bool {
    let Field::Arg(asked) = &condition.field else { return false };
    let mut args = trace.args.get(set, &trace.strings).filter(|(key, _)| key == asked);
    args.any(|(_, value)| is_value(condition, value))
}

fn is_value(condition: &Condition, value: Value<'_>) -> bool {
    let number = match value {
        Value::Int(number) => Some(Number::Whole(number.into())),
        Value::Uint(number) | Value::Pointer(number) => Some(Number::Whole(number.into())),
        Value::Float(number) => Some(Number::Float(number)),
        Value::Str(_) | Value::Bool(_) => None,
    };
    if condition.value.is_empty() && condition.op == Op::Has {
        return true;
    }
    match (number, value) {
        (Some(number), _) => match Number::parse(&condition.value, Units::ANY) {
            Some(asked) => compares(condition.op, number.compare(asked)),
            // A number is not a text.
            None => condition.op == Op::IsNot,
        },
        (None, Value::Str(text)) => match condition.op {
            Op::Has | Op::Is | Op::IsNot => is_text(condition, text),
            // Texts are not ordered, but recorded numbers may be text.
            op => {
                let asked = Number::parse(&condition.value, Units::ANY);
                let found = Number::parse(text, Units::ANY);
                compares(op, found.zip(asked).and_then(|(found, asked)| found.compare(asked)))
            }
        },
        (None, Value::Bool(truth)) => is_truth(condition, truth),
        (None, _) => false,
    }
}

fn is_truth(condition: &Condition, truth: bool) -> bool {
    let is_it = condition.value == if truth { "true" } else { "false" };
    match condition.op {
        Op::Has | Op::Is => is_it,
        Op::IsNot => !is_it,
        _ => false,
    }
}
