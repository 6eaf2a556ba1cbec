use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::shapes::SHAPES;
use super::*;

const NAMES: [&str; 28] = [
    "password",
    "PASSWORD",
    "Password",
    "db.password",
    "db_password",
    "passwd",
    "pwd",
    "DB_PWD",
    "pass",
    "mysqlpass",
    "passphrase",
    "token",
    "access_token",
    "accessToken",
    "GH_TOKEN",
    "auth-token",
    "secret",
    "clientSecret",
    "client_secret",
    "api-key",
    "apikey",
    "apiKey",
    "AccountKey",
    "SharedAccessKey",
    "private_key",
    "credentials",
    "AWS_SECRET_ACCESS_KEY",
    "X-Api-Key",
];

/// Words with a name (¤) and a secret (§).
const FORMS: [&str; 33] = [
    "--¤=§",
    "-¤=§",
    "¤=§",
    "¤:§",
    "--¤:§",
    "--set=¤=§",
    "--set=a.b=1,¤=§",
    "--config=¤:§",
    "-D¤=§",
    "?¤=§",
    "https://host/path?a=1&¤=§",
    "https://host/path?a=1&¤=§&b=2",
    "https://host/callback#¤=§",
    "https://host/?next=https%3A%2F%2Fother%2F%3F¤%3D§",
    "jdbc:postgresql://host/db?user=ada&¤=§",
    "jdbc:sqlserver://host;user=ada;¤=§;encrypt=true",
    "Server=host;Database=db;¤=§",
    "Server=host;¤ = §;Encrypt=yes",
    "host=db ¤=§ dbname=x",
    "{\"¤\":\"§\"}",
    "{\"user\": \"ada\", \"¤\": \"§\", \"b\": 1}",
    "{\\\"¤\\\":\\\"§\\\"}",
    "{'¤': '§'}",
    "¤: §",
    "¤ : '§'",
    "a:\n  ¤: §\n",
    "export ¤=§; ./run --size 3",
    "¤='§' ./run",
    "./run --¤ § --size 3",
    "./run --¤='§'",
    "curl -d '¤=§' https://host",
    "params['¤']=§",
    "data[¤]=§",
];

/// Secrets without a private name: in headers, and as users and passwords of addresses.
const PLACES: [&str; 21] = [
    "Authorization: Bearer §",
    "--header=Authorization: Bearer §",
    "-HAuthorization: Bearer §",
    "-HAuthorization:§",
    "Proxy-Authorization: Basic §",
    "authorization=token §",
    "Cookie: session=§",
    "curl -H \"Authorization: Bearer §\" https://host",
    "curl -H 'X-Forwarded: a' -H 'authorization: §'",
    "Bearer §",
    "postgres://ada:§@db:5432/x",
    "--db=postgres://ada:§@db/x",
    "amqp://ada:§@one,amqp://ada:§@two",
    "https://§@host/path",
    "jdbc:oracle:thin:ada/§@//host:1521/x",
    "ada:§@host",
    "psql postgres://ada:§@db/x -c 'select 1'",
    "--user=ada:§",
    "--proxy-user='ada:§'",
    "curl -u ada:§ https://host",
    "sh -c 'curl --user \"ada:§\" https://host'",
];

/// Options whose secret is a separate word.
const SPLIT: [&[&str]; 8] = [
    &["--¤", "§"],
    &["-¤", "§"],
    &["--¤", "-§"],
    &["--¤", "--§"],
    &["-H", "Authorization:", "Bearer", "§"],
    &["-H", "¤:", "§"],
    &["-u", "ada:§"],
    &["--set", "¤=§"],
];

/// Returns a secret, and its recognisable pieces, separated by marks that end other values.
fn secret(marks: &'static str) -> impl Strategy<Value = (String, Vec<String>)> {
    let mark = prop::sample::select(marks.chars().collect::<Vec<_>>());
    let piece = ("[b-df-hj-np-z]{4}[0-9]{2}", prop::option::of(mark));
    prop::collection::vec(piece, 1..4).prop_map(|all| {
        let text = all.iter().map(|(piece, mark)| {
            let mark: String = mark.iter().collect();
            format!("{piece}{mark}")
        });
        (text.collect(), all.iter().map(|(piece, _)| piece.clone()).collect())
    })
}

fn check<S: Strategy>(strategy: &S, test: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let config = Config { cases: 2_000, failure_persistence: None, ..Config::default() };
    TestRunner::new(config).run(strategy, test).unwrap();
}

fn hides(recorded: &str, pieces: &[String]) -> Result<(), TestCaseError> {
    for piece in pieces {
        prop_assert!(!recorded.contains(piece.as_str()), "{piece} in {recorded}");
    }
    Ok(())
}

/// Checks a word in the middle of a command line, and as a value of the environment.
fn hides_word(word: &str, pieces: &[String]) -> Result<(), TestCaseError> {
    hides(&without_secrets(word), pieces)?;
    let line = command_line(["/a/run", "--size", "64", word, "data.bin"].into_iter());
    hides(&line, pieces)?;
    prop_assert!(line.starts_with("/a/run --size 64 "), "{line}");
    Ok(())
}

#[test]
fn a_secret_behind_its_name_is_not_recorded_whatever_the_form() {
    let all = (prop::sample::select(&FORMS), prop::sample::select(&NAMES), secret("/#;&!$^*-+=,.:@?%~ "));
    check(&all, |(form, name, (secret, pieces))| {
        hides_word(&form.replace('¤', name).replace('§', &secret), &pieces)
    });
}

#[test]
fn a_secret_in_its_place_is_not_recorded() {
    // No marks with blanks, because URLs and headers have none.
    let all = (prop::sample::select(&PLACES), secret("/#;&!$^*-+=,.:@?%~"));
    check(&all, |(form, (secret, pieces))| hides_word(&form.replace('§', &secret), &pieces));
}

#[test]
fn a_secret_in_a_word_of_its_own_is_not_recorded() {
    let all = (prop::sample::select(&SPLIT), prop::sample::select(&NAMES), secret("/#;&!$^*-+=,.:@?%~ "));
    check(&all, |(form, name, (secret, pieces))| {
        let word = |word: &&str| word.replace('¤', name).replace('§', &secret);
        let words: Vec<String> = form.iter().map(word).collect();
        let line =
            command_line(["run"].into_iter().chain(words.iter().map(String::as_str)).chain(["--size", "3"]));
        hides(&line, &pieces)?;
        prop_assert!(line.ends_with(" --size 3"), "{line}");
        Ok(())
    });
}

/// Command lines of programs whose option for a password is a letter.
const CLIENTS: [&str; 29] = [
    "mysql -u root -p§ shop",
    "/usr/bin/mysqldump -uroot -p§",
    "mariadb -p§ -h db",
    "sshpass -p § ssh -p 22 ada@host",
    "sshpass -p§ ssh host",
    "mongosh -u ada -p § shop",
    "mongodump -p § --db shop",
    "redis-cli -h db -a § ping",
    "sqlcmd -S db -U sa -P § -Q x",
    "bcp t in f -P§",
    "ldapsearch -x -D cn=ada -w § uid=x",
    "docker login -u ada -p § host",
    "podman login host -p§",
    "helm registry login host -p §",
    "cd /a && mysql -p§",
    "true; mysql -p§",
    "mysql -p'§'",
    "mysql '-p§'",
    "sh -c 'mysql -p§'",
    "cat a | mysql -p§ shop",
    "curl -s -uada:§ https://host",
    "curl -su ada:§ https://host",
    "sh -c 'curl -fsSLu ada:§ https://host'",
    "curl -sSuada:§ https://host",
    "7z a -p§ a.7z b",
    "zip -P § a.zip b",
    "zip -rP§ a.zip b",
    "unzip -P § a.zip",
    "unzip -oP § a.zip",
];

#[test]
fn a_password_behind_a_letter_is_not_recorded_where_the_program_is_known() {
    let all = (prop::sample::select(&CLIENTS), secret("/#;&!$^*-+=,.:@?%~"));
    check(&all, |(form, (secret, pieces))| {
        let text = form.replace('§', &secret);
        hides(&without_secrets(&text), &pieces)?;
        hides(&command_line([text.as_str()].into_iter()), &pieces)?;
        hides(&command_line(text.split(' ')), &pieces)
    });
    for line in [
        "mysql -u root -p shop",
        "docker run -p 80:80 image",
        "ssh -p 22 host",
        "psql -p 5432 -h db",
        "mkdir -p a/b",
        "mysql -p; mkdir -p a",
        "mysql -p && mkdir -pv a",
        "nvcc -w a.cu",
        "curl -sou https://host",
        "7z x -oa b.7z",
        "unzip -p a.zip b",
        "unzip -o a.zip -dPhotos",
    ] {
        assert_eq!(command_line([line].into_iter()), line);
        assert_eq!(command_line(line.split(' ')), line);
    }
}

#[test]
fn a_secret_of_a_known_shape_is_not_recorded_wherever_it_stands() {
    let around = prop::sample::select(&[
        "§",
        "--id=§",
        "--file=§.txt",
        "/a/§",
        "https://host/§/x",
        "a,§",
        "[§]",
        "x § y",
    ]);
    let all = (around, prop::sample::select((0..SHAPES.len()).collect::<Vec<_>>()), "[a-zA-Z0-9]{120}");
    check(&all, |(around, shape, letters)| {
        let shape = &SHAPES[shape];
        let rest = &letters[..shape.least];
        hides_word(&around.replace('§', &format!("{}{rest}", shape.start)), &[rest.to_owned()])
    });
}

#[test]
fn what_is_no_secret_is_recorded_as_it_stands() {
    for line in [
        "/home/ada/Secret Project/run",
        "/a/run --size 64 x=1",
        "./train --lr=0.1 --epochs 3 --out /tmp/a:b --device level_zero:gpu",
        "mpirun -n 4 -host a:2,b:2 ./run",
        "python -c print(1)",
        "./run https://host:8080/path?q=1#part",
        "./run --compass north --bypass --keyboard us --author ada --monkey=1",
        "git clone git@github.com:org/repo",
        "./run sk-small npm_x eyJ AKIA",
        "sh -c ./run && echo done: 3",
    ] {
        assert_eq!(command_line([line].into_iter()), line);
        assert_eq!(command_line(line.split(' ')), line);
    }
    for value in ["opencl:cpu", "*:gpu", "level_zero:*.*;cuda:0", "0,1", "/a/b:/c/d", "UR_LAYER_TRACING"] {
        assert_eq!(without_secrets(value), value);
    }
}

#[test]
fn what_stands_before_a_secret_is_recorded() {
    for (text, recorded) in [
        ("postgres://ada:hunter2@db:5432/x", "postgres://***@db:5432/x"),
        ("one://a:b@c,two://d:e@f", "one://***@c,two://***@f"),
        ("--set=db.password=hunter2", "--set=db.password=(private, not recorded)"),
        ("--header=Authorization: Bearer x", "--header=Authorization:(private, not recorded)"),
    ] {
        assert_eq!(without_secrets(text), recorded);
    }
    let told = command_line("run --token --size 3".split(' '));
    assert_eq!(
        told, "run --token (private, not recorded) 3",
        "what follows is its value whatever it looks like"
    );
}
