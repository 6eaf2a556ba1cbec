//! The container image as one file: an OCI image layout, which `docker save` also writes. It consists of files,
//! checksums and three JSON documents, so making it requires no service and no privileges, and it is reproducible.
//!
//! Its settings are those of `docs/deploy/Containerfile`, which makes an image of a whole Debian.

use super::{Release, sbom};
use crate::json::{Json, list, object};
use crate::prelude::*;

const PROGRAM: &str = "/usr/local/bin/syclscope";
/// User of the server and owner of its files.
const USER: u32 = 10_001;
const DATA: &str = "/data";
const LISTEN: &str = "0.0.0.0:4717";
const SECOND_NS: f64 = 1e9;
const KIND: &str = "application/vnd.oci.image";

struct Blob {
    sum: String,
    bytes: u64,
}

/// A layer: its stored form, the checksum of its unpacked form, and its history.
struct Layer {
    blob: Blob,
    unpacked: String,
    about: &'static str,
}

/// Makes it of an installation's files, with the C library and the certificates of `base`.
pub(super) fn make(release: &Release<'_>, usr: &Path, base: &Path) -> Result<PathBuf> {
    let scratch = release.workspace.target.join("xtask/staged/image");
    files::empty(&scratch)?;
    let (layout, program, data) = (scratch.join("layout"), scratch.join("program"), scratch.join("data"));
    let blobs = layout.join("blobs/sha256");
    for folder in [&blobs, &program.join("usr/local"), &data.join(DATA.trim_start_matches('/'))] {
        files::create(folder)?;
    }
    files::copy(&release.native.program, &program.join(PROGRAM.trim_start_matches('/')))?;
    let mut copy = Command::new("cp");
    process::quiet(copy.arg("--recursive").arg(usr.join("share")).arg(program.join("usr/local/share")))?;
    let layers = [
        layer(release, &blobs, base, 0, "the C library and certificates of Debian 12")?,
        layer(release, &blobs, &program, 0, "syclscope")?,
        layer(release, &blobs, &data, USER, "the folder of what is kept")?,
    ];
    let created = sbom::time(&release.epoch)?;
    let config = add(&blobs, &config(&layers, &release.version, &created)?)?;
    let config_kind = format!("{KIND}.config.v1+json");
    let manifest_kind = format!("{KIND}.manifest.v1+json");
    let index_kind = format!("{KIND}.index.v1+json");
    let layer_of = |layer: &Layer| described(&format!("{KIND}.layer.v1.tar+gzip"), &layer.blob);
    let manifest = object([
        ("schemaVersion", 2.0.into()),
        ("mediaType", manifest_kind.as_str().into()),
        ("config", described(&config_kind, &config)),
        ("layers", list(layers.iter().map(layer_of))),
    ]);
    let name = object([("org.opencontainers.image.ref.name", release.version.as_str().into())]);
    let listed = described(&manifest_kind, &add(&blobs, &manifest)?).with("annotations", name);
    let index = object([
        ("schemaVersion", 2.0.into()),
        ("mediaType", index_kind.into()),
        ("manifests", list([listed])),
    ]);
    let path = |blob: &Blob| format!("blobs/sha256/{}", blob.sum);
    // Input of every version of `docker load`.
    let saved = list([object([
        ("Config", path(&config).into()),
        ("RepoTags", list([format!("localhost/syclscope:{}", release.version)])),
        ("Layers", list(layers.iter().map(|layer| path(&layer.blob)))),
    ])]);
    for (name, value) in [
        ("oci-layout", object([("imageLayoutVersion", "1.0.0".into())])),
        ("index.json", index),
        ("manifest.json", saved),
    ] {
        files::write(&layout.join(name), value.to_string())?;
    }
    let file =
        release.folder.join(format!("syclscope-{}-{}-image.tar", release.version, std::env::consts::ARCH));
    tar(release, &layout, 0, &file)?;
    Ok(file)
}

/// Packs a folder as a layer owned by a user.
fn layer(
    release: &Release<'_>,
    blobs: &Path,
    folder: &Path,
    owner: u32,
    about: &'static str,
) -> Result<Layer> {
    let file = blobs.join("layer.tar");
    tar(release, folder, owner, &file)?;
    let unpacked = files::sha256(&file)?;
    process::quiet(Command::new("gzip").args(["--no-name", "--best"]).arg(&file))?;
    Ok(Layer { blob: keep(blobs, &blobs.join("layer.tar.gz"))?, unpacked, about })
}

fn tar(release: &Release<'_>, folder: &Path, owner: u32, file: &Path) -> Result<()> {
    let names = files::entries(folder)?;
    // Files of a user are private.
    let mode = if owner == 0 { "u=rwX,go=rX" } else { "u=rwX,go=" };
    let mut tar = Command::new("tar");
    tar.args(["--create", "--sort=name", "--format=ustar", "--numeric-owner"]).args([
        format!("--owner={owner}"),
        format!("--group={owner}"),
        format!("--mtime=@{}", release.epoch),
        format!("--mode={mode}"),
    ]);
    tar.arg("--file").arg(file).arg("--directory").arg(folder);
    process::quiet(tar.args(names.iter().filter_map(|path| path.file_name())))
}

fn add(blobs: &Path, value: &Json) -> Result<Blob> {
    let file = blobs.join("document");
    files::write(&file, value.to_string())?;
    keep(blobs, &file)
}

/// Renames a file to its checksum.
fn keep(blobs: &Path, file: &Path) -> Result<Blob> {
    let (sum, bytes) = (files::sha256(file)?, files::len(file)?);
    files::rename(file, &blobs.join(&sum))?;
    Ok(Blob { sum, bytes })
}

fn described(kind: &str, blob: &Blob) -> Json {
    object([
        ("mediaType", kind.into()),
        ("digest", format!("sha256:{}", blob.sum).into()),
        ("size", (blob.bytes as f64).into()),
    ])
}

fn config(layers: &[Layer], version: &str, created: &str) -> Result<Json> {
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        other => return Err(Failure::new(format!("there is no base of an image for {other}"))),
    };
    let settings = object([
        ("User", format!("{USER}:{USER}").into()),
        ("ExposedPorts", object([("4717/tcp", object([]))])),
        ("Env", list(["PATH=/usr/local/bin"])),
        ("Entrypoint", list([PROGRAM])),
        ("Cmd", list(["serve", "--data", DATA, "--listen", LISTEN, "--sign-in", "token"])),
        ("Volumes", object([(DATA, object([]))])),
        (
            "Healthcheck",
            object([
                ("Test", list(["CMD", PROGRAM, "health"])),
                ("Interval", (30.0 * SECOND_NS).into()),
                ("Timeout", (10.0 * SECOND_NS).into()),
            ]),
        ),
        (
            "Labels",
            object([
                ("org.opencontainers.image.title", "syclscope".into()),
                ("org.opencontainers.image.version", version.into()),
                ("org.opencontainers.image.licenses", "MIT OR Apache-2.0".into()),
            ]),
        ),
    ]);
    let sums = list(layers.iter().map(|layer| format!("sha256:{}", layer.unpacked)));
    let history = |layer: &Layer| object([("created", created.into()), ("created_by", layer.about.into())]);
    Ok(object([
        ("architecture", architecture.into()),
        ("os", "linux".into()),
        ("created", created.into()),
        ("config", settings),
        ("rootfs", object([("type", "layers".into()), ("diff_ids", sums)])),
        ("history", list(layers.iter().map(history))),
    ]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_are_those_of_the_recipe() {
        let recipe = files::read(&Workspace::of_this_clone().root.join("docs/deploy/Containerfile")).unwrap();
        let line = |name: &str| {
            recipe.lines().find_map(|line| line.trim().strip_prefix(name)).unwrap_or_default().trim()
        };
        let config = &config(&[], "1.2.3", "2023-11-14T22:13:20Z").unwrap()["config"];
        let words = |text: &str| Json::parse(text).unwrap();
        assert_eq!(config["User"].as_str(), Some(line("USER")));
        assert_eq!(config["Entrypoint"], words(line("ENTRYPOINT")));
        assert_eq!(config["Cmd"], words(recipe.lines().find_map(|line| line.strip_prefix("CMD ")).unwrap()));
        assert_eq!(config["ExposedPorts"][&format!("{}/tcp", line("EXPOSE"))], object([]));
        assert_eq!(config["Volumes"][line("VOLUME")], object([]));
        let check = words(recipe.split_once("--timeout=10s CMD ").unwrap().1.lines().next().unwrap());
        assert_eq!(config["Healthcheck"]["Test"].items()[1..], check.items()[..]);
    }
}
