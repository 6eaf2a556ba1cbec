use super::*;

fn luminance(colour: Colour) -> f64 {
    response([0.2126, 0.7152, 0.0722], colour)
}

fn contrast(one: Colour, other: Colour) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn every_slice_colour_carries_readable_text_and_stands_out() {
    let grounds = [(Scheme::Dark, Theme::default().ground), (Scheme::Light, Colour::rgb(255, 255, 255))];
    for (scheme, ground) in grounds {
        for category in Category::ALL {
            for name in ["matmul", "stencil", "reduce", "init", "copy h2d", ""] {
                let colour = slice_colour(scheme, *category, name, &Hues::default());
                let text = contrast(colour, Theme::default().slice_text);
                assert!(text >= 4.5, "{scheme:?} {category:?} {name}: text {text:.2}");
                let shape = contrast(colour, ground);
                assert!(shape >= 1.3, "{scheme:?} {category:?} {name}: ground {shape:.2}");
            }
        }
    }
}

#[test]
fn colours_of_memory_carry_readable_text_and_differ() {
    for scheme in [Scheme::Dark, Scheme::Light] {
        let kinds = AllocationKind::ALL.iter().map(|kind| memory_colour(scheme, *kind));
        let many = (0..40).map(|number| wheel_colour(scheme, number));
        let ramp = (0..=10).map(|step| ramp_colour(scheme, f64::from(step) / 10.0));
        let colours: Vec<_> = kinds.chain(many).chain(ramp).collect();
        for colour in &colours {
            let text = contrast(*colour, Theme::default().slice_text);
            assert!(text >= 4.5, "{scheme:?} {colour:?}: {text:.2}");
        }
        let mut different: Vec<_> = colours[..AllocationKind::ALL.len()].iter().map(|one| one.rgb).collect();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), AllocationKind::ALL.len());
    }
}

#[test]
fn colours_of_uses_carry_readable_text_and_differ() {
    use ObjectEventKind::{CopyIn, CopyOut, CopyWithin, Fill, HostAccess, Made, Read, ReadWrite, Write};
    for scheme in [Scheme::Dark, Scheme::Light] {
        let kinds = [CopyIn, CopyOut, CopyWithin, Fill, HostAccess, Made, Read, ReadWrite, Write];
        let colours = kinds.map(|kind| touch_colour(scheme, kind));
        for (place, colour) in colours.iter().enumerate() {
            let text = contrast(*colour, Theme::default().slice_text);
            assert!(text >= 4.5, "{scheme:?} {:?}: {text:.2}", kinds[place]);
            assert!(!colours[..place].contains(colour), "{:?}", kinds[place]);
        }
    }
}

#[test]
fn lines_of_edges_and_notes_stand_out_from_the_ground() {
    let grounds = [(Scheme::Dark, Theme::default().ground), (Scheme::Light, Colour::rgb(255, 255, 255))];
    for (scheme, ground) in grounds {
        let note = note_colour(scheme);
        assert!(contrast(note, ground) >= 3.0 && contrast(note, Theme::default().slice_text) >= 4.5);
        for reason in EdgeReason::ALL {
            let line = contrast(reason_colour(scheme, *reason), ground);
            assert!(line >= 3.0, "{scheme:?} {reason:?}: {line:.2}");
        }
    }
}

fn commands(names: &[&str]) -> Vec<KernelSummary> {
    let command = |name: &str, kind| KernelSummary {
        name: name.to_owned(),
        kind,
        count: 1,
        total_ns: 1,
        min_ns: 1,
        max_ns: 1,
    };
    let kernels = names.iter().map(|name| command(name, NodeKind::Kernel));
    [command("copy", NodeKind::Copy)].into_iter().chain(kernels).collect()
}

/// Returns the distance of two colours in OKLab, for ordinary eyes and the smallest for eyes without red or green cones
/// (Machado, Oliveira and Fernandes 2009). Less than 0.02 is hard to see.
fn distances(one: Colour, other: Colour) -> [f64; 2] {
    const EYES: [[[f64; 3]; 3]; 3] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
        [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    ];
    let [ordinary, red, green] = EYES.map(|eyes| {
        let [one, other] = [one, other].map(|colour| oklab(eyes.map(|row| response(row, colour))));
        one.iter().zip(other).map(|(one, other)| (one - other).powi(2)).sum::<f64>().sqrt()
    });
    [ordinary, red.min(green)]
}

/// Returns the response of a cone to a colour, from 0 to 1.
fn response(row: [f64; 3], colour: Colour) -> f64 {
    let linear =
        |value: f64| if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) };
    let parts = row.iter().zip(colour.rgb).map(|(part, channel)| part * linear(f64::from(channel) / 255.0));
    parts.sum::<f64>().clamp(0.0, 1.0)
}

fn oklab([red, green, blue]: [f64; 3]) -> [f64; 3] {
    let l = (0.4122 * red + 0.5363 * green + 0.0514 * blue).cbrt();
    let m = (0.2119 * red + 0.6807 * green + 0.1074 * blue).cbrt();
    let s = (0.0883 * red + 0.2817 * green + 0.6300 * blue).cbrt();
    [
        0.2105 * l + 0.7936 * m - 0.0041 * s,
        1.9780 * l - 2.4286 * m + 0.4506 * s,
        0.0259 * l + 0.7828 * m - 0.8087 * s,
    ]
}

#[test]
fn kernels_look_different_from_each_other_and_from_copies_for_all_eyes() {
    let names: Vec<String> = (0..PLACES).map(|number| format!("kernel {number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let hues = Hues::new(&commands(&names));
    for scheme in [Scheme::Dark, Scheme::Light] {
        let colours = names.iter().map(|name| slice_colour(scheme, Category::Kernel, name, &hues));
        let colours: Vec<Colour> = colours.collect();
        let moved = [Category::Copy, Category::Fill].map(|kind| slice_colour(scheme, kind, "", &hues));
        for (place, colour) in colours.iter().enumerate() {
            // The kernels that take most time have the most distant colours.
            let least = if place < 4 { [0.18, 0.11] } else { [0.07, 0.04] };
            let before = colours[..place].iter().map(|other| (other, least));
            for (other, least) in before.chain(moved.iter().map(|other| (other, [0.07, 0.04]))) {
                let found = distances(*colour, *other);
                assert!(
                    found[0] >= least[0] && found[1] >= least[1],
                    "{scheme:?} kernel {place} and {other:?}: {found:?}"
                );
            }
        }
    }
    let copies = ["a", "b"].map(|name| slice_colour(Scheme::Dark, Category::Copy, name, &hues));
    assert_eq!(copies[0], copies[1]);
}

#[test]
fn a_trace_gives_its_kernels_the_same_colours_again() {
    let names: Vec<String> = (0..80).map(|number| format!("kernel {number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (one, other) = (Hues::new(&commands(&names)), Hues::new(&commands(&names)));
    assert!(names.iter().all(|name| one.place(name) == other.place(name)));
    let places = names.iter().map(|name| one.place(name));
    let taken = places.fold([0; PLACES], |mut taken, place| {
        taken[place] += 1;
        taken
    });
    assert_eq!(taken[..OWN], [1; OWN], "the first kernels share their colours with no other");
    assert_eq!(taken[OWN..], [9; PLACES - OWN], "no other colour has more kernels than another");
    let never_ran = (0..99).map(|number| one.place(&format!("never {number}")));
    assert!(never_ran.into_iter().all(|place| place >= OWN));
}

#[test]
fn a_kernel_of_two_traces_has_one_colour() {
    let one = Hues::new(&commands(&["a", "b", "c"]));
    let other = one.of_another(&commands(&["d", "c", "a"]));
    assert_eq!(["a", "c"].map(|name| one.place(name)), ["a", "c"].map(|name| other.place(name)));
    assert_eq!(other.place("d"), 3, "the next free one");
}

#[test]
fn a_kernel_that_never_ran_has_a_colour_of_its_own() {
    let names: Vec<String> = (0..PLACES - 1).map(|number| format!("kernel {number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for count in 0..names.len() {
        let hues = Hues::new(&commands(&names[..count]));
        let place = hues.place("of a command graph");
        assert!(names[..count].iter().all(|name| hues.place(name) != place), "{count} kernels");
    }
}

#[test]
fn conversion_matches_known_colours() {
    assert_eq!(oklch(1.0, 0.0, 0.0), Colour::rgb(255, 255, 255));
    assert_eq!(oklch(0.0, 0.0, 0.0), Colour::rgb(0, 0, 0));
    // sRGB blue is oklch(0.452 0.313 264.05).
    let blue = oklch(0.452, 0.313, 264.05).rgb;
    assert!(blue[2] >= 253 && blue[0] <= 3 && blue[1] <= 3, "{blue:?}");
}

#[test]
fn css_colours_are_read() {
    assert_eq!(parse_css("rgb(1, 2, 3)"), Some(Colour::rgb(1, 2, 3)));
    assert_eq!(parse_css("#14171c"), Some(Colour::rgb(0x14, 0x17, 0x1c)));
    assert_eq!(parse_css("rgba(1, 2, 3, 0.5)"), Some(Colour::rgb(1, 2, 3).with_alpha(0.5)));
    assert_eq!(parse_css("rgb(1 2 3 / 0.5)"), Some(Colour::rgb(1, 2, 3).with_alpha(0.5)));
    assert_eq!(parse_css("oklch(1 0 0)"), None);
    assert_eq!(parse_css("#12"), None);
}
