//! Slices as markers. The profiler needs the fields of each marker type: slices with the same argument names and types
//! share one.

use fxprof_processed_profile::{
    CategoryColor, CategoryHandle, Marker, MarkerFieldFlags, MarkerFieldFormat, MarkerLocations,
    MarkerTiming, MarkerTypeHandle, Profile, RuntimeSchemaMarkerField, RuntimeSchemaMarkerSchema,
    StringHandle, ThreadHandle, Timestamp,
};
use rustc_hash::FxHashMap;
use syclscope_language::event::{Category, Value};

use crate::store::Trace;

/// Maximum number of marker types: further arguments of slices are joined into one text.
const MAX_TYPES: usize = 1000;

/// The largest integer that the profile's numbers represent exactly.
const MAX_EXACT: u64 = 1 << 53;

pub(super) struct Markers {
    types: FxHashMap<String, MarkerTypeHandle>,
    categories: Vec<CategoryHandle>,
}

enum Field {
    Text(StringHandle),
    Number(f64),
}

struct SliceMarker {
    kind: MarkerTypeHandle,
    name: StringHandle,
    category: CategoryHandle,
    fields: Vec<Field>,
}

impl Marker for SliceMarker {
    fn marker_type(&self, _profile: &mut Profile) -> MarkerTypeHandle {
        self.kind
    }

    fn name(&self, _profile: &mut Profile) -> StringHandle {
        self.name
    }

    fn category(&self, _profile: &mut Profile) -> CategoryHandle {
        self.category
    }

    fn string_field_value(&self, field_index: u32) -> StringHandle {
        match self.fields.get(field_index as usize) {
            Some(Field::Text(text)) => *text,
            // The schema lists exactly these fields.
            _ => self.name,
        }
    }

    fn number_field_value(&self, field_index: u32) -> f64 {
        match self.fields.get(field_index as usize) {
            Some(Field::Number(number)) => *number,
            _ => 0.0,
        }
    }
}

impl Markers {
    pub(super) fn new(profile: &mut Profile) -> Self {
        let colour = |category| match category {
            Category::Kernel => CategoryColor::Blue,
            Category::Copy => CategoryColor::Orange,
            Category::Fill => CategoryColor::Yellow,
            Category::Command => CategoryColor::LightBlue,
            Category::Submission => CategoryColor::Green,
            Category::Wait | Category::Barrier => CategoryColor::Red,
            Category::Call | Category::Native => CategoryColor::Purple,
            Category::Memory => CategoryColor::Brown,
            Category::Diagnostic => CategoryColor::Magenta,
            Category::User => CategoryColor::LightGreen,
            _ => CategoryColor::Gray,
        };
        let add = |category: &Category| profile.add_category(category.as_str(), colour(*category));
        Self { types: FxHashMap::default(), categories: Category::ALL.iter().map(add).collect() }
    }

    pub(super) fn add(&mut self, profile: &mut Profile, trace: &Trace, thread: ThreadHandle, slice: usize) {
        let slices = &trace.slices;
        let at = |ns| Timestamp::from_nanos_since_reference(ns);
        let (start, end) = (slices.start[slice], slices.end(slice));
        let timing = if start == end {
            MarkerTiming::Instant(at(start))
        } else {
            MarkerTiming::Interval(at(start), at(end))
        };
        let category = slices.category(slice);
        let position = Category::ALL.iter().position(|known| *known == category).unwrap_or_default();
        let (kind, fields) = self.fields(profile, trace, slice);
        let name = profile.intern_string(trace.strings.get(slices.name.at(slice)));
        let marker = SliceMarker { kind, name, category: self.categories[position], fields };
        profile.add_marker(thread, timing, marker);
    }

    /// Marks the start of the trace on a thread: the profiler counts times from the first marker.
    pub(super) fn add_start(&mut self, profile: &mut Profile, thread: ThreadHandle) {
        let kind = self.register(profile, String::new(), Vec::new());
        let name = profile.intern_string("start of the trace");
        let position = Category::ALL.iter().position(|known| *known == Category::Other).unwrap_or_default();
        let marker = SliceMarker { kind, name, category: self.categories[position], fields: Vec::new() };
        profile.add_marker(thread, MarkerTiming::Instant(Timestamp::from_nanos_since_reference(0)), marker);
    }

    fn fields(
        &mut self,
        profile: &mut Profile,
        trace: &Trace,
        slice: usize,
    ) -> (MarkerTypeHandle, Vec<Field>) {
        let mut shape: Vec<(String, MarkerFieldFormat)> = Vec::new();
        let mut fields = Vec::new();
        let place = trace.locations.place(trace.slices.location.at(slice), &trace.strings);
        if let Some(place) = place {
            let text = format!("{}:{} {}", place.file, place.line, place.function);
            shape.push(("source".to_owned(), MarkerFieldFormat::FilePath));
            fields.push(Field::Text(profile.intern_string(&text)));
        }
        let mut text_of = |text: &str| Field::Text(profile.intern_string(text));
        for (key, value) in trace.args.get(trace.slices.args.at(slice), &trace.strings) {
            let (format, field) = match value {
                Value::Str(text) => (MarkerFieldFormat::String, text_of(text)),
                Value::Uint(number) if number <= MAX_EXACT => (format_of(key), Field::Number(number as f64)),
                Value::Int(number) if number.unsigned_abs() <= MAX_EXACT => {
                    (format_of(key), Field::Number(number as f64))
                }
                Value::Float(number) if number.is_finite() => {
                    (MarkerFieldFormat::Decimal, Field::Number(number))
                }
                Value::Uint(number) => (MarkerFieldFormat::String, text_of(&number.to_string())),
                Value::Int(number) => (MarkerFieldFormat::String, text_of(&number.to_string())),
                Value::Float(number) => (MarkerFieldFormat::String, text_of(&number.to_string())),
                Value::Bool(truth) => (MarkerFieldFormat::String, text_of(&truth.to_string())),
                Value::Pointer(address) => (MarkerFieldFormat::String, text_of(&format!("{address:#x}"))),
            };
            // The profiler reserves these keys, and keys must be unique.
            let mut key = key.to_owned();
            while matches!(key.as_str(), "type" | "cause" | "name" | "")
                || shape.iter().any(|(k, _)| *k == key)
            {
                key.push('_');
            }
            shape.push((key, format));
            fields.push(field);
        }
        let signature: String = shape.iter().map(|(key, format)| format!("{key}\0{format:?}\0")).collect();
        if let Some(kind) = self.types.get(&signature) {
            return (*kind, fields);
        }
        if self.types.len() >= MAX_TYPES {
            let text: Vec<String> = fields
                .iter()
                .zip(&shape)
                .map(|(field, (key, _))| match field {
                    Field::Text(text) => format!("{key}: {}", profile.get_string(*text)),
                    Field::Number(number) => format!("{key}: {number}"),
                })
                .collect();
            let field = Field::Text(profile.intern_string(&text.join(", ")));
            let shape = vec![("arguments".to_owned(), MarkerFieldFormat::String)];
            return (self.register(profile, "arguments\0all\0".to_owned(), shape), vec![field]);
        }
        (self.register(profile, signature, shape), fields)
    }

    fn register(
        &mut self,
        profile: &mut Profile,
        signature: String,
        shape: Vec<(String, MarkerFieldFormat)>,
    ) -> MarkerTypeHandle {
        let number = self.types.len() + 1;
        let field = |(key, format): (String, MarkerFieldFormat)| RuntimeSchemaMarkerField {
            label: key.clone(),
            key,
            format,
            flags: MarkerFieldFlags::SEARCHABLE,
        };
        *self.types.entry(signature).or_insert_with(|| {
            profile.register_marker_type(RuntimeSchemaMarkerSchema {
                type_name: format!("slice {number}"),
                description: None,
                locations: MarkerLocations::MARKER_CHART
                    | MarkerLocations::MARKER_TABLE
                    | MarkerLocations::TIMELINE_OVERVIEW,
                chart_label: Some("{marker.name}".to_owned()),
                tooltip_label: None,
                table_label: None,
                fields: shape.into_iter().map(field).collect(),
                graphs: Vec::new(),
            })
        })
    }
}

fn format_of(key: &str) -> MarkerFieldFormat {
    if key.contains("bytes") { MarkerFieldFormat::Bytes } else { MarkerFieldFormat::Integer }
}
