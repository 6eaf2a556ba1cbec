//! SYCL's names of enumeration values.

use syclscope_language::event::Value;

/// A name, or a newer runtime's number without a known name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Known(&'static str),
    Unknown(u64),
}

impl Word {
    fn new(number: u64, words: &[(u64, &'static str)]) -> Self {
        let entry = words.iter().find(|(value, _)| *value == number);
        entry.map_or(Self::Unknown(number), |(_, word)| Self::Known(word))
    }

    pub(super) fn value(&self) -> Value<'static> {
        match *self {
            Self::Known(word) => Value::Str(word),
            Self::Unknown(number) => Value::Uint(number),
        }
    }
}

/// Returns the name of a `sycl::access::mode`; empty for an invalid number.
pub(super) fn access_mode(mode: u32) -> &'static str {
    match mode {
        1024 => "read",
        1025 => "write",
        1026 => "read_write",
        1027 => "discard_write",
        1028 => "discard_read_write",
        1029 => "atomic",
        _ => "",
    }
}

/// The target of host accessors.
pub(super) const HOST_BUFFER: &str = "host_buffer";
/// The target of host accessors to images, for which the runtime reports none.
pub(super) const HOST_IMAGE: &str = "host_image";

/// Returns the name of a `sycl::access::target`; empty for an invalid number.
pub(super) fn access_target(target: u32) -> &'static str {
    match target {
        2014 => "device",
        2015 => "constant_buffer",
        2016 => "local",
        2017 => "image",
        2018 => HOST_BUFFER,
        2019 => HOST_IMAGE,
        2020 => "image_array",
        2021 => "host_task",
        _ => "",
    }
}

/// Returns the name of the `sycl::image_target` of an accessor on an image.
pub(super) fn image_target(target: Option<u32>) -> &'static str {
    match target {
        None => HOST_IMAGE,
        Some(0) => "device",
        Some(1) => "host_task",
        Some(other) => access_target(other),
    }
}

/// Returns the name of a `sycl::image_format`.
pub(super) fn image_format(format: u64) -> Word {
    Word::new(
        format,
        &[
            (0, "r8g8b8a8_unorm"),
            (1, "r16g16b16a16_unorm"),
            (2, "r8g8b8a8_sint"),
            (3, "r16g16b16a16_sint"),
            (4, "r32b32g32a32_sint"),
            (5, "r8g8b8a8_uint"),
            (6, "r16g16b16a16_uint"),
            (7, "r32b32g32a32_uint"),
            (8, "r16b16g16a16_sfloat"),
            (9, "r32g32b32a32_sfloat"),
            (10, "b8g8r8a8_unorm"),
        ],
    )
}

/// Returns the name of a `sycl::addressing_mode`.
pub(super) fn image_addressing(mode: u64) -> Word {
    Word::new(
        mode,
        &[
            (0x1130, "none"),
            (0x1131, "clamp_to_edge"),
            (0x1132, "clamp"),
            (0x1133, "repeat"),
            (0x1134, "mirrored_repeat"),
        ],
    )
}

/// Returns the name of a `sycl::coordinate_normalization_mode`.
pub(super) fn image_coordinates(mode: u64) -> Word {
    Word::new(mode, &[(0, "unnormalized"), (1, "normalized")])
}

/// Returns the name of a `sycl::filtering_mode`.
pub(super) fn image_filtering(mode: u64) -> Word {
    Word::new(mode, &[(0x1140, "nearest"), (0x1141, "linear")])
}
