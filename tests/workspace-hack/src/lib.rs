//! Nothing: the dependencies are what this package is for.
