"""The wheel: the same bytes each time, and into an empty environment it brings all that recording takes."""

import os
import platform
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import answers
import pytest
import syclscope
from conftest import PACKAGE, environment

sys.path.insert(0, str(PACKAGE))
import wheel  # noqa: E402


def installed(folder: Path) -> Path:
    """A new environment that holds the wheel, and its Python."""
    file = wheel.build(folder, syclscope.find_program())
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    pip = [sys.executable, "-m", "pip", f"--python={folder / 'venv'}", "install", "--no-index", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, file], check=True)
    return folder / "venv/bin/python"


def test_it_is_the_same_each_time_and_names_the_oldest_glibc(tmp_path: Path) -> None:
    program = syclscope.find_program()
    one, two = wheel.build(tmp_path / "1", program), wheel.build(tmp_path / "2", program)
    assert one.name == two.name and one.read_bytes() == two.read_bytes()
    found = re.fullmatch(rf"syclscope-.+-py3-none-manylinux_2_(\d+)_{platform.machine()}\.whl", one.name)
    versions = subprocess.run(["objdump", "-T", program], capture_output=True, text=True, check=True).stdout
    assert found is not None and int(found[1]) == max(int(minor) for minor in re.findall(r"GLIBC_2\.(\d+)", versions))


def test_it_is_named_by_the_machine_of_the_program_whatever_machine_makes_it(tmp_path: Path) -> None:
    content = bytearray(syclscope.find_program().read_bytes())
    other = {"x86_64": ("aarch64", 183), "aarch64": ("x86_64", 62)}[platform.machine()]
    content[18:20] = other[1].to_bytes(2, "little")
    program = tmp_path / "syclscope"
    program.write_bytes(content)
    assert wheel.build(tmp_path, program).name.endswith(f"_{other[0]}.whl")
    content[18:20] = b"\xff\xff"
    program.write_bytes(content)
    with pytest.raises(SystemExit, match="65535"):
        wheel.build(tmp_path, program)


def test_without_a_program_it_is_for_any_machine(tmp_path: Path) -> None:
    file = wheel.build(tmp_path)
    assert file.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(file) as content:
        assert not [name for name in content.namelist() if "scripts" in name or "tests" in name]
        assert content.read("syclscope/answers.py") == answers.TARGET.read_bytes()


def test_its_metadata_is_that_of_the_project(tmp_path: Path) -> None:
    project = (PACKAGE / "pyproject.toml").read_text()
    with zipfile.ZipFile(wheel.build(tmp_path)) as content:
        names = content.namelist()
        metadata = content.read(next(name for name in names if name.endswith("/METADATA"))).decode()
    listed = re.findall(r"^ {4}(\".* :: .*\"),$", project, re.M)
    assert re.findall("^Classifier: (.*)$", metadata, re.M) == [text.strip('"') for text in listed] and len(listed) > 3
    keywords = re.findall('"([^"]+)"', re.findall("^keywords = (.*)$", project, re.M)[0])
    assert f"Keywords: {','.join(keywords)}\n" in metadata
    for field, key in [("Summary", "description"), ("License-Expression", "license"), ("Requires-Python", "requires-python")]:
        assert re.findall(f'^{key} = "(.*)"$', project, re.M) == re.findall(f"^{field}: (.*)$", metadata, re.M)
    assert sorted(Path(name).name for name in names if "/licenses/" in name) == ["LICENSE-APACHE", "LICENSE-MIT"]
    assert (PACKAGE / "README.md").read_text() in metadata


def test_an_empty_environment_records_and_sums_up(tmp_path: Path) -> None:
    python = installed(tmp_path)
    venv = Path(os.environ["SYCL_PYTHON_VENV"])
    base = {name: value for name, value in environment().items() if name not in ("PYTHONPATH", "SYCLSCOPE_PROGRAM")}
    script = "import syclscope; print(syclscope.find_program()); print(syclscope.version()); print(syclscope.__version__)"
    said = subprocess.run([python, "-c", script], env=base, cwd="/", capture_output=True, text=True, check=True).stdout.split()
    assert said == [str(python.with_name("syclscope")), wheel.version(), wheel.version()]
    work = f"import sys; sys.path.append({str(next(venv.glob('lib/python3*/site-packages')))!r}); import dpnp; print(float(dpnp.arange(9.0).sum()))"
    record = [python.with_name("syclscope"), "record", "-q", "-o", tmp_path / "run.pftrace", "--", python, "-c", work]
    assert subprocess.run(record, env=base, capture_output=True, text=True, check=True).stdout == "36.0\n"
    script = f"import syclscope; print(syclscope.open({str(tmp_path / 'run.pftrace')!r}).summary())"
    summary = subprocess.run([python, "-c", script], env=base, capture_output=True, text=True, check=True).stdout
    assert "linear_sequence_step_kernel" in summary


def test_beside_dpnp_it_finds_that_environments_runtime_first(tmp_path: Path) -> None:
    """As if the wheel were installed where dpnp is, which stays as it is: its files, seen from an environment over them."""
    python = installed(tmp_path)
    venv = Path(os.environ["SYCL_PYTHON_VENV"]).resolve()
    (tmp_path / "venv/lib" / python.resolve().name)
    for library in (venv / "lib").glob("lib*.so*"):
        (tmp_path / "venv/lib" / library.name).symlink_to(library)
    packages = next((tmp_path / "venv").glob("lib/python3*/site-packages"))
    (packages / "dpnp.pth").write_text(str(next(venv.glob("lib/python3*/site-packages"))) + "\n")
    base = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "SYCLSCOPE_PROGRAM", "LD_LIBRARY_PATH")}
    # Another environment's runtime, where an installation of oneAPI would be.
    base.update(ONEAPI_ROOT=str(tmp_path / "none"), OCL_ICD_FILENAMES=str(venv / "lib/libintelocl.so"))
    script = """import os, syclscope
with syclscope.record("run.pftrace") as recording:
    import dpnp
    print(float(dpnp.arange(9.0).sum()))
print(os.environ["XPTI_FRAMEWORK_DISPATCHER"])
assert "linear_sequence" in str(recording.open().summary())
"""
    done = subprocess.run([python, "-c", script], env=base, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    value, found = done.stdout.split()
    assert value == "36.0" and Path(found).parent in (tmp_path / "venv/lib", venv / "lib"), found
