//! Digits of numbers: grouped for people, plain for programs such as grep and awk.

use std::sync::atomic::{AtomicBool, Ordering};

/// Separator of digit groups, as on the page.
const SEPARATOR: char = ',';

static GROUPS: AtomicBool = AtomicBool::new(true);

/// Sets whether digits are grouped in the whole process. They are by default.
pub fn group_digits(groups: bool) {
    GROUPS.store(groups, Ordering::Relaxed);
}

/// Returns a number with grouped digits, `12,345`, or plain ones if the process doesn't group them.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    if GROUPS.load(Ordering::Relaxed) { grouped(&digits) } else { digits }
}

/// Returns a count with plain digits.
pub fn without_groups(count: &str) -> String {
    count.replace(SEPARATOR, "")
}

fn grouped(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() * 2);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(SEPARATOR);
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_in_groups_of_three() {
        assert_eq!([count(0), count(999), count(1234567)], ["0", "999", "1,234,567"]);
        assert_eq!(without_groups(&count(1234567)), "1234567");
    }
}
