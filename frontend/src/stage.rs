//! What is below every view that draws: the canvas with the user's hands on it, its frames, pictures of it to be saved, and
//! what tests see of it. A view says what is drawn and what the hands mean.

pub mod log;
