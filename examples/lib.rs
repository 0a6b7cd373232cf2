//! One small program per idea: see the files beside this one.
