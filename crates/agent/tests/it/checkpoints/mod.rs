//! Every store of threads behaves alike: one list of behaviours, run over memory, SQLite, and PostgreSQL with
//! and without a pooler.

mod behaviour;
mod crash;
mod outage;
mod place;
mod proxy;
mod sqlite_file;
mod tables;
mod tls;
mod writer;

use self::place::Place;

/// One test for each behaviour and each store.
macro_rules! on_every_store {
    ($($behaviour:ident),* $(,)?) => {
        mod memory {
            $(#[tokio::test]
            async fn $behaviour() {
                super::behaviour::$behaviour(&super::Place::memory()).await;
            })*
        }

        mod sqlite {
            $(#[tokio::test]
            async fn $behaviour() {
                super::behaviour::$behaviour(&super::Place::sqlite()).await;
            })*
        }

        mod postgres {
            $(#[tokio::test]
            async fn $behaviour() {
                if let Some(place) = super::Place::postgres().await {
                    super::behaviour::$behaviour(&place).await;
                    place.remove().await;
                }
            })*
        }

        mod pooled {
            $(#[tokio::test]
            async fn $behaviour() {
                if let Some(place) = super::Place::pooled().await {
                    super::behaviour::$behaviour(&place).await;
                    place.remove().await;
                }
            })*
        }
    };
}

on_every_store![
    every_kind_of_record_reads_back_as_it_was_written,
    a_thread_that_nobody_wrote_is_nowhere,
    an_append_that_does_not_continue_the_thread_is_refused,
    of_many_appends_at_once_one_is_stored,
    an_interrupted_turn_keeps_its_records_and_its_values,
    a_huge_value_reads_back,
    a_value_is_read_through_the_threads_that_name_it,
    the_state_of_old_turns_is_dropped_and_said_to_be,
    the_latest_state_stays_however_little_is_kept,
    a_deleted_thread_leaves_nothing_and_takes_nothing_from_others,
    a_first_message_may_hold_any_character,
    threads_are_listed_newest_first_page_by_page,
    a_thread_is_held_by_one_run_at_a_time,
    who_waits_for_a_thread_is_told_when_it_is_free,
    a_released_thread_can_be_claimed_at_once,
];
