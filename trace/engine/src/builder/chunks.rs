//! A list that grows without being copied: the builder's largest table must not need twice its memory while it grows.

use std::ops::{Index, IndexMut};

/// Values in one chunk.
const CHUNK: usize = 1 << 12;

#[derive(Clone, Debug)]
pub(super) struct Chunks<T> {
    chunks: Vec<Vec<T>>,
}

impl<T> Default for Chunks<T> {
    fn default() -> Self {
        Self { chunks: Vec::new() }
    }
}

impl<T> Chunks<T> {
    pub(super) fn push(&mut self, value: T) {
        match self.chunks.last_mut() {
            Some(last) if last.len() < CHUNK => last.push(value),
            Some(_) => {
                let mut chunk = Vec::with_capacity(CHUNK);
                chunk.push(value);
                self.chunks.push(chunk);
            }
            // Many lists stay short.
            None => self.chunks.push(vec![value]),
        }
    }

    pub(super) fn len(&self) -> usize {
        let before = self.chunks.len().saturating_sub(1) * CHUNK;
        before + self.chunks.last().map_or(0, Vec::len)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flatten()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.chunks.iter_mut().flatten()
    }
}

impl<T> Index<usize> for Chunks<T> {
    type Output = T;

    fn index(&self, position: usize) -> &T {
        &self.chunks[position / CHUNK][position % CHUNK]
    }
}

impl<T> IndexMut<usize> for Chunks<T> {
    fn index_mut(&mut self, position: usize) -> &mut T {
        &mut self.chunks[position / CHUNK][position % CHUNK]
    }
}

impl<T> FromIterator<T> for Chunks<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut chunks = Self::default();
        values.into_iter().for_each(|value| chunks.push(value));
        chunks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_where_they_are() {
        let mut chunks = Chunks::default();
        assert!(chunks.is_empty());
        for value in 0..CHUNK * 3 + 1 {
            assert_eq!(chunks.len(), value);
            chunks.push(value);
        }
        chunks[CHUNK] = 7;
        assert_eq!((chunks[CHUNK - 1], chunks[CHUNK], chunks[CHUNK * 3]), (CHUNK - 1, 7, CHUNK * 3));
        assert!(chunks.iter().enumerate().all(|(row, value)| row == *value || row == CHUNK));
    }
}
