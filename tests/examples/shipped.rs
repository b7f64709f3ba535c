//! Builds the programs that users build, for the tests that are about those.

fn main() {
    tests::shipped::full();
}
