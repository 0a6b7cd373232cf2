//! Every test of the workspace as a whole, in one program. One `mod` line per file or folder.

mod every_file;
mod guarantees;
mod layers;
mod workspace;
