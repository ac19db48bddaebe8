//! Is what the engine knows of the games right, and does it play by it?

mod quarto;
