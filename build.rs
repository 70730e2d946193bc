//! Says what is built into the program beside its source: the page and the migrations.

fn main() {
    println!("cargo:rerun-if-changed=web/dist");
    println!("cargo:rerun-if-changed=migrations");
}
