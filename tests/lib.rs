//! Tests of the workspace as a whole; see the folder `tests`.
