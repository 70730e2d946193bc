//! Calls in a database: each read is one statement, each write goes through the writer.

use futures_util::future::BoxFuture;

use super::rows::Row;
use super::{
    BE_PRESENT, Backend, DUE, EVENTS_AFTER, EVENTS_OF, FORGET_PRESENCE, GET_ONE, IS_ATTENDED, LATE_ANSWERS, LEAVE,
    LOG_BOUNDS, LOG_ENDS, NEXT_DEADLINE, NOW, SqlStore, Statement, list, rows,
};
use crate::domain::limits::PRESENCE_LIFE;
use crate::domain::{Applied, Call, CallId, Command, Event, LateAnswer, Timestamp};
use crate::store::{CallStore, Cause, Fetched, ListQuery, LogBounds, Page, Reply, StoreError};

impl<B: Backend> SqlStore<B> {
    /// The calls of rows that end with the time at which they were read.
    async fn calls(&self, rows: Vec<Row>) -> Result<(Vec<Call>, Timestamp), StoreError> {
        let mut calls = Vec::with_capacity(rows.len());
        let mut now = None;
        for mut row in rows {
            calls.push(row.call()?);
            now = Some(row.instant()?);
        }
        match now {
            Some(now) => Ok((calls, now)),
            None => Ok((calls, self.now().await?)),
        }
    }

    async fn forget_presence(&self) -> Result<(), StoreError> {
        self.execute(Statement::new(FORGET_PRESENCE).bind(self.time_base())).await?;
        Ok(())
    }
}

impl<B: Backend> CallStore for SqlStore<B> {
    fn write(&self, command: Command) -> Reply<'_, Applied> {
        Box::pin(self.writer.write(command))
    }

    fn get_many<'a>(&'a self, ids: &'a [CallId]) -> Reply<'a, Fetched> {
        Box::pin(async move {
            let rows = match ids {
                [] => Vec::new(),
                [id] => self.read(|| Statement::new(GET_ONE).bind(self.time_base()).bind(*id)).await?,
                ids => {
                    let texts = rows::json(ids);
                    let make = || Statement::new(B::SETS.get_many).bind(self.time_base()).bind(texts.as_str());
                    self.read(make).await?
                }
            };
            let (calls, now) = self.calls(rows).await?;
            Ok(Fetched { calls, now })
        })
    }

    fn list<'a>(&'a self, query: &'a ListQuery) -> Reply<'a, Page> {
        Box::pin(async move {
            let rows = match has_nul(query) {
                true => Vec::new(),
                false => self.read(|| list::statement(query, self.time_base(), B::POSITION)).await?,
            };
            let (calls, now) = self.calls(rows).await?;
            Ok(Page::cut(calls, query, now))
        })
    }

    fn late_answers(&self, call: CallId, limit: usize) -> Reply<'_, Vec<LateAnswer>> {
        Box::pin(async move {
            let rows = self.read(|| Statement::new(LATE_ANSWERS).bind(call).bind(limit)).await?;
            rows.into_iter().map(|mut row| row.late_answer()).collect()
        })
    }

    fn events_after<'a>(&'a self, space: &'a str, after: u64, limit: usize) -> Reply<'a, Vec<Event>> {
        Box::pin(async move {
            let rows = self.read(|| Statement::new(EVENTS_AFTER).bind(space).bind(after).bind(limit)).await?;
            rows.into_iter().map(|mut row| row.event()).collect()
        })
    }

    fn events_of(&self, call: CallId, limit: usize) -> Reply<'_, Vec<Event>> {
        Box::pin(async move {
            let rows = self.read(|| Statement::new(EVENTS_OF).bind(call).bind(limit)).await?;
            rows.into_iter().map(|mut row| row.event()).collect()
        })
    }

    fn log_bounds<'a>(&'a self, space: &'a str) -> Reply<'a, LogBounds> {
        Box::pin(async move {
            let rows = self.read(|| Statement::new(LOG_BOUNDS).bind(space)).await?;
            let mut row = rows.into_iter().next().ok_or(StoreError::Corrupt(Cause::new("there is no epoch")))?;
            let epoch = row.text()?;
            let first = row.int_or_null()?.and_then(|first| u64::try_from(first).ok());
            let last = row.int_or_null()?.and_then(|last| u64::try_from(last).ok()).unwrap_or(0);
            Ok(LogBounds { epoch, before_first: first.map_or(last, |first| first.saturating_sub(1)), last })
        })
    }

    fn log_ends(&self) -> Reply<'_, Vec<(String, u64)>> {
        Box::pin(async move {
            let rows = self.read(|| Statement::new(LOG_ENDS)).await?;
            rows.into_iter().map(|mut row| Ok((row.text()?, row.count()?))).collect()
        })
    }

    fn due(&self, limit: usize) -> Reply<'_, Vec<CallId>> {
        Box::pin(async move {
            let rows = self.read(|| Statement::new(DUE).bind(self.time_base()).bind(limit)).await?;
            rows.into_iter().map(|mut row| row.call_id()).collect()
        })
    }

    fn next_deadline(&self) -> Reply<'_, Option<Timestamp>> {
        Box::pin(async move {
            let rows = self.read(|| Statement::new(NEXT_DEADLINE)).await?;
            rows.into_iter().next().map(|mut row| row.instant()).transpose()
        })
    }

    fn be_present<'a>(&'a self, space: &'a str, lease: &'a str) -> Reply<'a, ()> {
        Box::pin(async move {
            let life = i64::try_from(PRESENCE_LIFE.as_millis()).unwrap_or(i64::MAX);
            let statement = Statement::new(BE_PRESENT).bind(self.time_base()).bind(lease).bind(space).bind(life);
            self.execute(statement).await?;
            self.forget_presence().await
        })
    }

    fn leave<'a>(&'a self, lease: &'a str) -> Reply<'a, ()> {
        Box::pin(async move {
            self.execute(Statement::new(LEAVE).bind(lease)).await?;
            Ok(())
        })
    }

    fn is_attended<'a>(&'a self, space: &'a str) -> Reply<'a, bool> {
        Box::pin(async move {
            let rows = self.read(|| Statement::new(IS_ATTENDED).bind(self.time_base()).bind(space)).await?;
            Ok(!rows.is_empty())
        })
    }

    fn now(&self) -> Reply<'_, Timestamp> {
        Box::pin(async move {
            let rows = self.read(|| Statement::new(NOW).bind(self.time_base())).await?;
            rows.into_iter().next().ok_or(StoreError::Corrupt(Cause::new("there is no clock")))?.instant()
        })
    }

    fn is_shared(&self) -> bool {
        B::IS_SHARED
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.writer.close().await;
            self.reads.close().await;
        })
    }
}

/// Postgres refuses a text with NUL, and no stored one has it: such a filter finds nothing.
fn has_nul(query: &ListQuery) -> bool {
    let filters = [Some(&query.space), query.asker.as_ref(), query.key.as_ref(), query.agent.as_ref()];
    filters.into_iter().flatten().any(|filter| filter.contains('\0'))
}
