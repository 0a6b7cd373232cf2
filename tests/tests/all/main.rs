//! All integration tests of the workspace, in one program.

mod behaviour;
