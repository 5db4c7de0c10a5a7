//! The loop between a person, a model and tools: turns, interrupts, checkpoints.
