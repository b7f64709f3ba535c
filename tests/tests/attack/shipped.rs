//! The programs that users build are the ones that are tested.
