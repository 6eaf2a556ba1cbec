//! Source of a trace: a server over HTTP, or a worker of this page with a local file. Callers don't see the difference.

use std::pin::Pin;

use syclscope_language::api::TraceInfo;
use syclscope_language::filter::Filter;
use syclscope_language::question::{Question, TileKey, TileView};

use crate::data::client::{self, ClientError};
use crate::data::json::Value;
use crate::data::tile::Tile;
use crate::data::worker::LocalTrace;

pub type Text<'a> = Pin<Box<dyn Future<Output = Result<String, ClientError>> + 'a>>;

#[derive(Clone)]
pub enum TraceSource {
    Server(String),
    Worker(LocalTrace),
}

impl TraceSource {
    pub async fn ask<T: Value>(&self, question: &Question) -> Result<T, ClientError> {
        client::read(&self.answer(question).await?)
    }

    /// Sends a query whose answer may be long and returns the raw answer. It yields to the page while
    /// reading.
    pub async fn text(&self, question: &Question) -> Result<String, ClientError> {
        match self {
            Self::Server(id) => client::ask_at_length(id, question).await,
            Self::Worker(trace) => trace.ask(question).await,
        }
    }

    /// Returns the answer to a query. The future is boxed, so that callers are not compiled again for every type of
    /// answer.
    fn answer<'a>(&'a self, question: &'a Question) -> Text<'a> {
        Box::pin(async move {
            match self {
                Self::Server(id) => client::ask(id, question).await,
                Self::Worker(trace) => trace.ask(question).await,
            }
        })
    }

    pub async fn info(&self) -> Result<TraceInfo, ClientError> {
        self.ask(&Question::Info).await
    }

    pub async fn tile(&self, key: TileKey) -> Result<Tile, ClientError> {
        let question = Question::Tile(key);
        match key.view {
            TileView::Timeline | TileView::Kernel | TileView::Object => {
                self.ask(&question).await.map(Tile::Timeline)
            }
            TileView::Counter | TileView::Activity => self.ask(&question).await.map(Tile::Counter),
            TileView::Density => self.ask(&question).await.map(Tile::Density),
        }
    }

    /// Returns a tile with the number of slices matching a filter.
    pub async fn filtered_tile(&self, key: TileKey, filter: &Filter) -> Result<Tile, ClientError> {
        let question = Question::FilteredTile(key, filter.clone());
        match key.view {
            TileView::Density => self.ask(&question).await.map(Tile::Density),
            _ => self.ask(&question).await.map(Tile::Timeline),
        }
    }

    /// Returns the address of the recording's file, if a server has it.
    pub fn file_url(&self) -> Option<String> {
        match self {
            Self::Server(id) => Some(format!("./api/v1/traces/{id}/file")),
            Self::Worker(_) => None,
        }
    }
}
