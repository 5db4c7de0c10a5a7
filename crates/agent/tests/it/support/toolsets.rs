//! Small toolsets in the shapes of the shipped ones: one publishes, one takes by reference, one is slow, one has a secret.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use periplus_toolset::{Question, prelude::*};
use serde_json::json;
use tokio::sync::{Barrier, Notify};

/// Datasets that match.
#[derive(Debug, ToolResult)]
struct Found {
    /// What was found.
    message: String,
    /// Their ids.
    datasets: Option<Vec<String>>,
    /// The area that was meant.
    area_of_interest: Option<JsonObject>,
}

/// Search datasets by words.
#[tool(read_only)]
async fn search_datasets(
    /// The words.
    query: String,
) -> Found {
    let area = json!({ "type": "Feature", "properties": { "name": query, "source": "https://data.example/severn" },
                       "geometry": { "type": "Point", "coordinates": [-2.5, 52.0] } });
    Found {
        message: format!("Found 2 datasets for '{query}', see https://data.example/severn."),
        datasets: Some(vec!["era5-land".to_owned(), "chirps-daily".to_owned()]),
        area_of_interest: area.as_object().cloned(),
    }
}

/// The toolset that publishes.
pub(crate) fn dataset_search() -> Toolset {
    Toolset::new("dataset-search").tool(search_datasets)
}

/// A clipped dataset.
#[derive(Debug, ToolResult)]
struct Clipped {
    /// What was done.
    message: String,
    /// What the tool was given.
    bounds: Option<JsonObject>,
}

/// Clip a dataset to an area.
#[tool(read_only)]
async fn clip_raster(
    /// Id of the dataset.
    dataset_id: String,
    /// The area, as a search found it.
    #[tool(not_authored)]
    aoi: JsonObject,
) -> Clipped {
    let place = aoi
        .get("properties")
        .and_then(|properties| properties.get("name"))
        .cloned();
    Clipped {
        message: format!("Clipped {dataset_id} to {}.", place.unwrap_or_default()),
        bounds: Some(aoi),
    }
}

/// What a text said.
#[derive(Debug, ToolResult)]
struct Counted {
    /// How long it was.
    message: String,
}

/// Count the characters of a text.
#[tool(read_only)]
async fn count_text(
    /// The text.
    selection: String,
) -> Counted {
    Counted {
        message: format!("{} characters, starting with {:.9}", selection.len(), selection),
    }
}

/// The toolset that takes by reference.
pub(crate) fn clip_view() -> Toolset {
    Toolset::new("clip-view").tool(clip_raster).tool(count_text).view(
        "clip_raster",
        View::embedded("clip", "<!doctype html><title>Clip</title>"),
    )
}

/// Another toolset with a tool of the same name.
pub(crate) fn raster() -> Toolset {
    Toolset::new("raster").tool(clip_raster)
}

/// A receipt.
#[derive(Debug, ToolResult)]
struct Selected {
    /// How many.
    message: String,
    /// The receipt to pass on.
    selection: Option<String>,
}

/// Select records.
#[tool(read_only)]
async fn select(
    /// What to select.
    query: String,
) -> Selected {
    Selected {
        message: format!("3 records match {query}."),
        selection: Some("receipt-".to_owned() + &"x".repeat(40)),
    }
}

/// The toolset that publishes a text.
pub(crate) fn receipts() -> Toolset {
    Toolset::new("receipts").tool(select)
}

/// What the tools of [`slow`] share.
#[derive(Debug)]
pub(crate) struct Pace {
    /// Two calls of `meet` go on together.
    meeting: Barrier,
    /// A call of `wait` has begun.
    pub(crate) begun: Notify,
    /// Calls of `crowd` that run now, and the most there ever were.
    running: AtomicUsize,
    pub(crate) most: AtomicUsize,
}

/// That something ended.
#[derive(Debug, ToolResult)]
struct Done {
    /// That it did.
    message: String,
}

fn pace(cx: &Context) -> &Pace {
    cx.state::<Arc<Pace>>().expect("the toolset is built with it")
}

/// Go on when another call is here as well.
#[tool(read_only)]
async fn meet(cx: &Context) -> Done {
    pace(cx).meeting.wait().await;
    Done {
        message: "met".to_owned(),
    }
}

/// Wait for ever.
#[tool(read_only)]
async fn wait(cx: &Context) -> Done {
    pace(cx).begun.notify_one();
    std::future::pending().await
}

/// Take part in a crowd.
#[tool(read_only)]
async fn crowd(cx: &Context) -> Done {
    let pace = pace(cx);
    let now = pace.running.fetch_add(1, Ordering::SeqCst) + 1;
    pace.most.fetch_max(now, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_millis(20)).await;
    pace.running.fetch_sub(1, Ordering::SeqCst);
    Done {
        message: "was there".to_owned(),
    }
}

/// A toolset that takes its time.
pub(crate) fn slow() -> (Toolset, Arc<Pace>) {
    let pace = Arc::new(Pace {
        meeting: Barrier::new(2),
        begun: Notify::new(),
        running: AtomicUsize::new(0),
        most: AtomicUsize::new(0),
    });
    let toolset = Toolset::new("slow")
        .tool(meet)
        .tool(wait)
        .tool(crowd)
        .state(Arc::clone(&pace));
    (toolset, pace)
}

/// The tokens that were seen.
pub(crate) type Seen = Arc<Mutex<Vec<String>>>;

/// An account.
#[derive(Debug, ToolResult)]
struct Account {
    /// Whose it is.
    message: String,
}

/// Say who calls.
#[tool(read_only)]
async fn whoami(cx: &Context) -> Result<Account, ToolError> {
    let token = cx.credential("x-demo-token")?;
    let seen = cx.state::<Seen>().expect("the toolset is built with it");
    seen.lock().unwrap().push(token.to_owned());
    Ok(Account {
        message: format!("You are user {}.", token.len()),
    })
}

/// A toolset that wants a credential.
pub(crate) fn account() -> (Toolset, Seen) {
    let seen = Seen::default();
    let toolset = Toolset::new("account")
        .tool(whoami)
        .credential_header("x-demo-token")
        .state(Arc::clone(&seen));
    (toolset, seen)
}

/// A reservation.
#[derive(Debug, ToolResult)]
struct Reserved {
    /// What was reserved.
    message: String,
}

/// Reserve a room.
#[tool]
async fn reserve(
    /// Where.
    place: String,
    cx: &Context,
) -> Result<Reserved, ToolError> {
    let form = json!({ "type": "object", "properties": { "nights": { "type": "integer" } }, "required": ["nights"] });
    let form = form.as_object().cloned().unwrap_or_default();
    let stay: JsonObject = cx
        .ask(Question::form_with("stay", "How many nights?", form))
        .await?;
    let nights = stay.get("nights").cloned().unwrap_or_default();
    if !cx
        .ask(Question::confirm(
            "sure",
            &format!("{nights} nights at {place}, yes?"),
        ))
        .await?
    {
        return Err(ToolError::new("declined", "the person did not confirm"));
    }
    let reserved = cx.state::<AtomicUsize>().expect("the toolset is built with it");
    reserved.fetch_add(1, Ordering::SeqCst);
    Ok(Reserved {
        message: format!("Reserved {nights} nights at {place}."),
    })
}

/// A toolset that asks before it acts.
pub(crate) fn rooms() -> Toolset {
    Toolset::new("rooms").tool(reserve).state(AtomicUsize::new(0))
}
