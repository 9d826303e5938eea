//! Tells the program which Tokio it is built with: the exact version that Cargo.toml asks for.
fn main() {
    let text = std::fs::read_to_string("Cargo.toml").expect("Cargo.toml");
    let version = text.split("version = \"=").nth(1).and_then(|rest| rest.split('"').next()).expect("a version of Tokio");
    println!("cargo:rustc-env=TOKIO_VERSION={version}");
    println!("cargo:rerun-if-changed=Cargo.toml");
}
