//! The container image as one file: an OCI image layout, which `docker save` also writes. It consists of files,
//! checksums and three JSON documents, so creating it requires no service and no privileges, and it is
//! reproducible.
//!
//! Its settings are those of `docs/deploy/Containerfile`, which builds an image with a whole Debian.

use serde_json::{Value, json};

use super::{Release, sbom};
use crate::prelude::*;

const PROGRAM: &str = "/usr/local/bin/syclscope";
/// User of the server and owner of its files.
const USER: u32 = 10_001;
const DATA: &str = "/data";
const LISTEN: &str = "0.0.0.0:4717";
const SECOND_NS: u64 = 1_000_000_000;
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

/// Creates the image from an installation's files, with the C library and the certificates of `base`.
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
        layer(release, &blobs, &data, USER, "the data folder")?,
    ];
    let created = sbom::time(&release.epoch)?;
    let config = add(&blobs, &config(&layers, &release.version, &created)?)?;
    let manifest_kind = format!("{KIND}.manifest.v1+json");
    let layer_of = |layer: &Layer| described(&format!("{KIND}.layer.v1.tar+gzip"), &layer.blob);
    let manifest = json!({
        "schemaVersion": 2, "mediaType": manifest_kind,
        "config": described(&format!("{KIND}.config.v1+json"), &config),
        "layers": layers.iter().map(layer_of).collect::<Vec<_>>(),
    });
    let mut listed = described(&manifest_kind, &add(&blobs, &manifest)?);
    listed["annotations"] = json!({ "org.opencontainers.image.ref.name": release.version });
    let index = json!({
        "schemaVersion": 2, "mediaType": format!("{KIND}.index.v1+json"), "manifests": [listed],
    });
    let path = |blob: &Blob| format!("blobs/sha256/{}", blob.sum);
    // Input of every version of `docker load`.
    let saved = json!([{
        "Config": path(&config), "RepoTags": [format!("localhost/syclscope:{}", release.version)],
        "Layers": layers.iter().map(|layer| path(&layer.blob)).collect::<Vec<_>>(),
    }]);
    for (name, value) in [
        ("oci-layout", json!({ "imageLayoutVersion": "1.0.0" })),
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

fn add(blobs: &Path, value: &Value) -> Result<Blob> {
    let file = blobs.join("document");
    files::write(&file, value.to_string())?;
    keep(blobs, &file)
}

fn keep(blobs: &Path, file: &Path) -> Result<Blob> {
    let (sum, bytes) = (files::sha256(file)?, files::len(file)?);
    files::rename(file, &blobs.join(&sum))?;
    Ok(Blob { sum, bytes })
}

fn described(kind: &str, blob: &Blob) -> Value {
    json!({ "mediaType": kind, "digest": format!("sha256:{}", blob.sum), "size": blob.bytes })
}

fn config(layers: &[Layer], version: &str, created: &str) -> Result<Value> {
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        other => return Err(Failure::new(format!("there is no base of an image for {other}"))),
    };
    let history = |layer: &Layer| json!({ "created": created, "created_by": layer.about });
    let sum = |layer: &Layer| format!("sha256:{}", layer.unpacked);
    Ok(json!({
        "architecture": architecture,
        "os": "linux",
        "created": created,
        "config": {
            "User": format!("{USER}:{USER}"),
            "ExposedPorts": { "4717/tcp": {} },
            "Env": ["PATH=/usr/local/bin"],
            "Entrypoint": [PROGRAM],
            "Cmd": ["serve", "--data", DATA, "--listen", LISTEN, "--sign-in", "token"],
            "Volumes": { DATA: {} },
            "Healthcheck": {
                "Test": ["CMD", PROGRAM, "health"], "Interval": 30 * SECOND_NS, "Timeout": 10 * SECOND_NS,
            },
            "Labels": {
                "org.opencontainers.image.title": "syclscope",
                "org.opencontainers.image.version": version,
                "org.opencontainers.image.licenses": "MIT OR Apache-2.0",
            },
        },
        "rootfs": { "type": "layers", "diff_ids": layers.iter().map(sum).collect::<Vec<_>>() },
        "history": layers.iter().map(history).collect::<Vec<_>>(),
    }))
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
        let words = |text: &str| process::json(text).unwrap();
        assert_eq!(config["User"], line("USER"));
        assert_eq!(config["Entrypoint"], words(line("ENTRYPOINT")));
        assert_eq!(config["Cmd"], words(recipe.lines().find_map(|line| line.strip_prefix("CMD ")).unwrap()));
        assert_eq!(config["ExposedPorts"][format!("{}/tcp", line("EXPOSE"))], json!({}));
        assert_eq!(config["Volumes"][line("VOLUME")], json!({}));
        let check = words(recipe.split_once("--timeout=10s CMD ").unwrap().1.lines().next().unwrap());
        assert_eq!(config["Healthcheck"]["Test"].as_array().unwrap()[1..], check.as_array().unwrap()[..]);
    }
}
