//! The conformance suite of the stores: every behaviour on memory, SQLite and Postgres.
//!
//! A behaviour is a function of a [`fixture::Fixture`]; [`on_every_store`] makes three tests of it.

/// Makes a test of each function for each store.
macro_rules! on_every_store {
    ($($behaviour:ident),+ $(,)?) => {
        mod memory {
            use crate::store::fixture::Fixture;
            $(#[tokio::test]
            async fn $behaviour() {
                super::$behaviour(Fixture::memory().await).await;
            })+
        }
        mod sqlite {
            use crate::store::fixture::Fixture;
            $(#[tokio::test]
            async fn $behaviour() {
                super::$behaviour(Fixture::sqlite().await).await;
            })+
        }
        mod postgres {
            use crate::store::fixture::Fixture;
            $(#[tokio::test]
            async fn $behaviour() {
                if let Some(store) = Fixture::postgres().await {
                    super::$behaviour(store).await;
                }
            })+
        }
    };
}

mod asking;
mod databases;
mod deadlines;
mod erasing;
mod events;
mod fixture;
mod holding;
mod identities;
mod lists;
mod nodes;
mod odd_text;
mod presence;
mod random;
mod receipts;
mod settling;
