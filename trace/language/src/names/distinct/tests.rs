use proptest::prelude::*;

use super::*;

fn of(names: &[&str]) -> ShortNames {
    ShortNames::new(names.iter().copied(), |_| 1)
}

fn all(names: &[&str], most: usize) -> Vec<String> {
    let short = of(names);
    names.iter().map(|name| short.fit(name, most)).collect()
}

const DIVIDE: [&str; 5] = [
    "dpnp::tensor::kernels::true_divide_inplace_strided_kernel<float, float, dpnp::TwoOffsets_StridedIndexer>",
    "dpnp::tensor::kernels::true_divide_inplace_strided_kernel<double, double, dpnp::TwoOffsets_StridedIndexer>",
    "dpnp::tensor::kernels::true_divide_inplace_strided_kernel<float, double, dpnp::TwoOffsets_StridedIndexer>",
    "dpnp::tensor::kernels::true_divide_inplace_strided_kernel<std::complex<float>, float, dpnp::TwoOffsets_StridedIndexer>",
    "dpnp::tensor::kernels::true_divide_inplace_strided_kernel<std::complex<double>, double, dpnp::TwoOffsets_StridedIndexer>",
];

#[test]
fn kernels_of_a_template_keep_what_differs() {
    assert_eq!(
        all(&DIVIDE, 60),
        [
            "true_divide_inplace_strided_kernel<float, float, TwoOffsets…",
            "true_divide_inplace_strided_kernel<double, double, TwoOffse…",
            "true_divide_inplace_strided_kernel<float, double, TwoOffset…",
            "true_divide_inplace_strided_kernel<complex<float>, float, T…",
            "true_divide_inplace_strided_kernel<complex<double>, double,…",
        ]
    );
    assert_eq!(
        all(&DIVIDE, 32),
        [
            "true_divide_inplac…float, float…",
            "true_divide_inplace_stri…double…",
            "true_divide_inpla…float, double…",
            "true_divide_inpla…complex<float…",
            "true_divide_inpl…complex<double…",
        ]
    );
}

/// Commands of a recorded dpnp program, most device time first.
const DPNP: &str = include_str!("dpnp.txt");

#[test]
fn kernels_of_a_real_program_stay_different() {
    let names: Vec<&str> = DPNP.lines().collect();
    assert!(names.len() > 30);
    for most in 20..100 {
        let mut texts = all(&names, most);
        assert!(texts.iter().all(|text| text.chars().count() <= most), "{texts:?}");
        texts.sort_unstable();
        texts.dedup();
        assert_eq!(texts.len(), names.len(), "{most}");
    }
}

#[test]
fn what_stands_alone_keeps_both_ends() {
    assert_eq!(all(&["a_kernel_with_a_very_long_name<float, int>"], 20), ["a_kernel_wit…t, int>"]);
    assert_eq!(of(&[]).fit("lib::scale<lib::vector<float>>", 12), "scale<v…at>>");
    assert_eq!(of(&[]).fit("lib::scale<float>", 12), "scale<float>");
}

#[test]
fn namespaces_stay_where_they_tell_names_apart() {
    let names = ["one::scale<int>", "two::scale<int>", "three::fill"];
    let short = of(&names);
    assert_eq!(names.map(|name| short.short(name)), ["one::scale<int>", "two::scale<int>", "fill"]);
    let [one, two, fill] = &all(&names, 8)[..] else { panic!("three names") };
    assert!(one.starts_with("one") && two.starts_with("two") && fill == "fill", "{one} {two} {fill}");
}

#[test]
fn lambdas_of_different_functions_stay_distinct() {
    let [one, two, float] = [
        "a::One<int>::put(int)::{lambda(long)#1}",
        "a::Two<int>::put(int)::{lambda(long)#1}",
        "a::Two<int>::put(float)::{lambda(long)#1}",
    ];
    let shorts = |names: &[&str]| {
        let short = of(names);
        names.iter().map(|name| short.short(name).into_owned()).collect::<Vec<_>>()
    };
    assert_eq!(shorts(&[one]), ["put#1"]);
    assert_eq!(shorts(&[one, two]), ["a::One<int>::put#1", "a::Two<int>::put#1"]);
    assert_eq!(shorts(&[one, two, float]), ["a::One<int>::put#1", two, float]);
}

#[test]
fn a_number_tells_apart_what_nothing_else_can() {
    let long = |end: &str| format!("k<{}{end}>", "a, b, ".repeat(30));
    let names = [long("x"), long("y"), long("z")];
    let names = names.each_ref().map(String::as_str);
    let short = of(&names);
    for most in 3..40 {
        let mut texts = names.map(|name| short.fit(name, most)).to_vec();
        assert!(texts.iter().all(|text| text.chars().count() <= most), "{texts:?}");
        texts.sort_unstable();
        texts.dedup();
        assert_eq!(texts.len(), 3, "{most}");
    }
}

fn name() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "float",
        "double",
        "kernel",
        "a",
        "ab",
        "b",
        "std::complex",
        "größe",
        "…",
        "計算",
        "x_1",
    ]);
    let args = prop::collection::vec(word.clone(), 0..6);
    (word, args, 0..4_usize)
        .prop_map(|(head, args, spaces)| format!("{}{head}<{}>", "ns::".repeat(spaces), args.join(", ")))
}

proptest! {
    #[test]
    fn different_names_get_different_texts_that_fit(
        names in prop::collection::vec(name(), 1..40),
        most in 4..60_usize,
    ) {
        let columns = |letter: char| if letter > '\u{2fff}' { 2 } else { 1 };
        let width = |text: &str| text.chars().map(columns).sum::<usize>();
        let short = ShortNames::new(names.iter().map(String::as_str), columns);
        let mut known: Vec<(String, &String)> = Vec::new();
        for name in &names {
            let text = short.fit(name, most);
            prop_assert!(width(&text) <= most, "{text:?} takes more than {most}");
            prop_assert_eq!(&text, &short.fit(name, most), "a name has one text");
            for (other, whose) in &known {
                prop_assert!(*whose == name || *other != text, "{text:?} is both {whose:?} and {name:?}");
            }
            known.push((text, name));
        }
    }

    #[test]
    fn what_fits_is_whole(names in prop::collection::vec(name(), 1..20)) {
        let short = ShortNames::new(names.iter().map(String::as_str), |_| 1);
        for name in &names {
            prop_assert_eq!(short.fit(name, 500), short.short(name).into_owned());
        }
    }
}
