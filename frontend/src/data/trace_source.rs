//! Where a trace is, and how it is asked: a server over HTTP, or a worker of this page that holds a local file. Who asks
//! can't tell which.

use std::pin::Pin;

use syclscope_language::api::TraceInfo;
use syclscope_language::filter::Filter;
use syclscope_language::question::{Question, TileKey, TileView};

use crate::data::client::{self, ClientError};
use crate::data::json::Value;
use crate::data::tile::Tile;
use crate::data::worker::LocalTrace;

/// An answer to come, as a text.
pub type Text<'a> = Pin<Box<dyn Future<Output = Result<String, ClientError>> + 'a>>;

/// The home of a trace.
#[derive(Clone)]
pub enum Home {
    /// A server holds it under this key.
    Server(String),
    /// A worker holds it.
    Worker(LocalTrace),
}

impl Home {
    /// Asks a question and reads the answer.
    pub async fn ask<T: Value>(&self, question: &Question) -> Result<T, ClientError> {
        client::read(&self.answer(question).await?)
    }

    /// Asks a question whose answer may be long; the answer as it came. The page goes on while it comes.
    pub async fn text(&self, question: &Question) -> Result<String, ClientError> {
        match self {
            Self::Server(id) => client::ask_at_length(id, question).await,
            Self::Worker(trace) => trace.ask(question).await,
        }
    }

    /// The answer to a question. (Boxed, so that what waits for it is not compiled again for every type of answer.)
    fn answer<'a>(&'a self, question: &'a Question) -> Text<'a> {
        Box::pin(async move {
            match self {
                Self::Server(id) => client::ask(id, question).await,
                Self::Worker(trace) => trace.ask(question).await,
            }
        })
    }

    /// What is known of the trace before anything is drawn.
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

    /// A tile that tells how many slices a filter means.
    pub async fn filtered_tile(&self, key: TileKey, filter: &Filter) -> Result<Tile, ClientError> {
        let question = Question::FilteredTile(key, filter.clone());
        match key.view {
            TileView::Density => self.ask(&question).await.map(Tile::Density),
            _ => self.ask(&question).await.map(Tile::Timeline),
        }
    }

    /// The address of the recording's file, where a server has it.
    pub fn file_url(&self) -> Option<String> {
        match self {
            Self::Server(id) => Some(format!("./api/v1/traces/{id}/file")),
            Self::Worker(_) => None,
        }
    }
}
