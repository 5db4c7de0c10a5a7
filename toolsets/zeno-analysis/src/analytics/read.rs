//! Reads the figures of a record again.

use url::Url;

use super::{Analytics, AnalyticsError, Request, Table};
use crate::{catalogue::Endpoint, statistics::Statistics};

impl Analytics {
    /// The rows of a record.
    ///
    /// Only the configured service is asked, whatever the record names. An analysis it does not know is posted again: the
    /// same payload gives the same figures, on this machine or another.
    ///
    /// # Errors
    /// As a pull.
    pub(crate) async fn read(&self, record: &Statistics) -> Result<Table, AnalyticsError> {
        if !record.data.is_empty() {
            return inline(record);
        }
        let endpoint = endpoint(record).ok_or_else(|| {
            AnalyticsError::Malformed(format!("the record has no known analysis: {:?}", record.endpoint))
        })?;
        let mut table = Table::default();
        for (index, url) in record.urls().enumerate() {
            let request = Request {
                endpoint,
                body: record.requests.get(index).cloned().unwrap_or_default(),
            };
            let link = Url::parse(url)
                .map_err(|error| AnalyticsError::Malformed(format!("the record's URL is none ({error})")))?;
            let rows = match self.fetch(&request, &link).await? {
                Some(analysis) => analysis.table,
                None if !can_be_posted(&request) => {
                    let reason = "the analysis is gone; pull the data again".to_owned();
                    return Err(AnalyticsError::Failed(reason));
                }
                None => self.pull(std::slice::from_ref(&request)).await?.0,
            };
            table.append(rows);
        }
        Ok(table)
    }
}

/// Records leave out shapes, so what was asked with one cannot be asked again.
fn can_be_posted(request: &Request) -> bool {
    request
        .body
        .get("aoi")
        .is_some_and(|aoi| aoi["type"] != "feature_collection")
}

/// Records of earlier versions have their rows with them, sometimes wrapped.
fn inline(record: &Statistics) -> Result<Table, AnalyticsError> {
    let wrapped = record.data.get("data").filter(|data| data.is_object());
    let rows = wrapped.cloned().unwrap_or_else(|| record.data.clone().into());
    Table::parse(endpoint(record).unwrap_or(Endpoint::TreeCoverLoss), &rows)
        .map_err(AnalyticsError::Malformed)
}

/// The analysis of a record; those of other programs name it in their URL only.
fn endpoint(record: &Statistics) -> Option<Endpoint> {
    let of_url = record
        .source_url
        .split_once("/land_change/")
        .and_then(|(_, path)| path.split('/').next())
        .unwrap_or_default();
    [record.endpoint.as_str(), of_url]
        .into_iter()
        .find_map(|name| serde_json::from_value(name.into()).ok())
}
