//! The one statement that is put together: a list has filters, and a filter that is absent must not be in the text,
//! or no database could use an index for those that are there.
//!
//! Only constants of this file get into the text; what a caller gives is bound.

use std::fmt::Write as _;

use sqlx::{AssertSqlSafe, SqlSafeStr as _};

use super::rows::Cell;
use super::{Statement, call_columns, now};
use crate::domain::{CallId, Status};
use crate::store::{Cursor, ListQuery, Sort, StatusFilter, search};

const SELECT: &str = concat!("SELECT ", call_columns!(), ", ", now!(), " FROM calls WHERE calls.space = $2");

/// The statement for a list. Reads one call more than the page holds, to know whether there is another page.
pub(super) fn statement(query: &ListQuery, time_base: i64, position: &str) -> Statement {
    let mut list = List { sql: SELECT.to_owned(), values: vec![time_base.into(), query.space.as_str().into()] };
    list.equals("calls.asker_id", query.asker.as_deref());
    list.equals("calls.key", query.key.as_deref());
    // Few calls have the key that is asked for, or are pending. The other conditions must not look like those that an
    // index serves, or a database may walk over all that an agent ever asked instead.
    let is_narrow = query.key.is_some() || query.status == Some(StatusFilter::Is(Status::Pending));
    let agent = if is_narrow { "calls.agent_name || ''" } else { "calls.agent_name" };
    let status = if query.key.is_some() { "calls.status || ''" } else { "calls.status" };
    match query.status {
        None => {}
        // As text: SQLite uses a partial index only if it can see that its condition holds.
        Some(StatusFilter::Is(wanted)) => list.write(format_args!(" AND {status} = '{}'", wanted.name())),
        Some(StatusFilter::Settled) => list.write(format_args!(" AND {status} <> '{}'", Status::Pending.name())),
    }
    list.equals(agent, query.agent.as_deref());
    if let Some(text) = &query.text {
        let needle = list.bind(search::fold(text));
        list.write(format_args!(" AND {position}(calls.search, ${needle}) > 0"));
    }
    list.order(query);
    let limit = list.bind(query.limit.saturating_add(1));
    list.write(format_args!(" LIMIT ${limit}"));
    Statement { sql: AssertSqlSafe(list.sql).into_sql_str(), values: list.values }
}

/// The text of every list that can be asked for.
pub(super) fn every_text(position: &str) -> Vec<String> {
    let each = Status::ALL.map(|status| Some(StatusFilter::Is(status)));
    let statuses = [None, Some(StatusFilter::Settled)].into_iter().chain(each);
    let cursor = Cursor { at: 0, id: CallId(uuid::Uuid::nil()) };
    let mut texts = Vec::new();
    for status in statuses {
        for filters in 0..64_u32 {
            let has = |filter: u32| filters & (1 << filter) != 0;
            let filter = |number| has(number).then(String::new);
            let query = ListQuery {
                space: String::new(),
                asker: filter(0),
                status,
                key: filter(1),
                agent: filter(2),
                text: filter(3),
                sort: if has(4) { Sort::Due } else { Sort::Newest },
                after: has(5).then_some(cursor),
                limit: 1,
            };
            texts.push(statement(&query, 0, position).sql.as_str().to_owned());
        }
    }
    texts
}

struct List {
    sql: String,
    values: Vec<Cell>,
}

impl List {
    fn write(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing into a String cannot fail.
        let _ = self.sql.write_fmt(text);
    }

    /// The number of the placeholder.
    fn bind(&mut self, value: impl Into<Cell>) -> usize {
        self.values.push(value.into());
        self.values.len()
    }

    fn equals(&mut self, column: &str, value: Option<&str>) {
        if let Some(value) = value {
            let number = self.bind(value);
            self.write(format_args!(" AND {column} = ${number}"));
        }
    }

    fn order(&mut self, query: &ListQuery) {
        let (column, beyond, direction) = match query.sort {
            Sort::Newest => ("calls.asked_at", "<", "DESC"),
            Sort::Due => ("calls.deadline", ">", "ASC"),
        };
        // Few calls of a key are sorted. An index that has the order would be walked from end to end.
        let column = if query.key.is_some() { format!("{column} + 0") } else { column.to_owned() };
        if let Some(after) = query.after {
            let (at, id) = (self.bind(after.at), self.bind(after.id));
            self.write(format_args!(" AND ({column}, calls.id) {beyond} (${at}, ${id})"));
        }
        self.write(format_args!(" ORDER BY {column} {direction}, calls.id {direction}"));
    }
}
