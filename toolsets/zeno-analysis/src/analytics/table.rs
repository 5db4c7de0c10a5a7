//! Results as tables. The service writes columns; it is not always careful about their lengths and types.

use periplus_toolset::{JsonObject, Value};

use crate::catalogue::Endpoint;

/// Rows of one pull, by column; every column has as many values.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Table {
    pub(crate) columns: Vec<Column>,
}

/// One column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) values: Vec<Value>,
}

/// Columns of the flattened inventory, in their order.
const INVENTORY: [&str; 9] = [
    "aoi_id",
    "aoi_type",
    "category",
    "class",
    "year",
    "gross_emissions_MgCO2e",
    "gross_removals_MgCO2",
    "net_flux_MgCO2e",
    "area_ha",
];

impl Table {
    /// Reads a result; null is an empty one.
    ///
    /// # Errors
    /// What about it cannot be read.
    pub(crate) fn parse(endpoint: Endpoint, result: &Value) -> Result<Self, String> {
        match result {
            Value::Null => Ok(Self::default()),
            Value::Object(object) if endpoint == Endpoint::LandInventory => inventory(object),
            Value::Object(object) => columns(object),
            _ => Err("the result is no object of columns".to_owned()),
        }
    }

    pub(crate) fn row_count(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.columns.iter().map(|column| column.name.clone()).collect()
    }

    /// The values of a column.
    pub(crate) fn column(&self, name: &str) -> Option<&[Value]> {
        let column = self.columns.iter().find(|column| column.name == name)?;
        Some(&column.values)
    }

    /// Adds the rows of another table; what either lacks is null.
    pub(crate) fn append(&mut self, other: Self) {
        let (before, added) = (self.row_count(), other.row_count());
        for column in other.columns {
            match self.columns.iter_mut().find(|known| known.name == column.name) {
                Some(known) => known.values.extend(column.values),
                None => {
                    let mut values = vec![Value::Null; before];
                    values.extend(column.values);
                    self.columns.push(Column { values, ..column });
                }
            }
        }
        for column in &mut self.columns {
            column.values.resize(before + added, Value::Null);
        }
    }

    /// The first and last of the dates, years or periods in the rows.
    pub(crate) fn span(&self) -> Option<(String, String)> {
        let column = self.columns.iter().find(|column| {
            column.name == "year"
                || ["_year", "_date", "_period"]
                    .iter()
                    .any(|end| column.name.ends_with(end))
        })?;
        let mut texts: Vec<String> = column
            .values
            .iter()
            .filter_map(|value| match value {
                Value::String(text) => Some(text.clone()),
                Value::Number(number) => Some(number.to_string()),
                _ => None,
            })
            .collect();
        texts.sort_unstable();
        Some((texts.first()?.clone(), texts.last()?.clone()))
    }
}

fn columns(object: &JsonObject) -> Result<Table, String> {
    let lists = object
        .iter()
        .filter_map(|(name, value)| Some((name, value.as_array()?)));
    let mut lengths = lists.clone().map(|(_, values)| values.len());
    let rows = lengths.next().unwrap_or(0);
    if lengths.any(|length| length != rows) {
        let sizes: Vec<String> = lists
            .map(|(name, values)| format!("{name} {}", values.len()))
            .collect();
        return Err(format!("columns of different length: {}", sizes.join(", ")));
    }
    let columns = object
        .iter()
        .filter_map(|(name, value)| {
            let values = match value {
                Value::Array(values) => values.clone(),
                // Notes about types, and no column.
                Value::Object(_) => return None,
                // One value for all rows.
                scalar => vec![scalar.clone(); rows],
            };
            Some(Column {
                name: name.clone(),
                values,
            })
        })
        .collect();
    Ok(Table { columns })
}

/// The sections of the inventory as one table, in the order they came.
fn inventory(sections: &JsonObject) -> Result<Table, String> {
    let mut columns: Vec<Column> = INVENTORY
        .iter()
        .map(|name| Column {
            name: (*name).to_owned(),
            values: Vec::new(),
        })
        .collect();
    for (section, value) in sections {
        let Value::Object(object) = value else { continue };
        let table = self::columns(object).map_err(|reason| format!("{section}: {reason}"))?;
        for row in 0..table.row_count() {
            let cell = |name: &str| table.column(name).and_then(|values| values.get(row)).cloned();
            for column in &mut columns {
                let value = match column.name.as_str() {
                    "category" => Some(category(section).into()),
                    "class" => class(section, &cell),
                    name => cell(name),
                };
                column.values.push(value.unwrap_or_default());
            }
        }
    }
    Ok(Table { columns })
}

fn category(section: &str) -> &str {
    match section {
        "mineral_soil" | "organic_soil" => "soil",
        other => other,
    }
}

fn class(section: &str, cell: &dyn Fn(&str) -> Option<Value>) -> Option<Value> {
    match section {
        "mineral_soil" => Some("mineral".into()),
        "organic_soil" => Some("organic".into()),
        _ => cell("land_state_class").or_else(|| cell("category")),
    }
}

#[cfg(test)]
mod tests {
    use periplus_toolset::json;

    use super::*;

    fn parse(result: Value) -> Result<Table, String> {
        Table::parse(Endpoint::Grasslands, &result)
    }

    #[test]
    fn a_single_value_stands_for_all_rows_and_notes_about_types_are_dropped() {
        let table =
            parse(json!({ "year": [2000, 2001], "aoi_type": "admin", "__dtypes__": { "year": "int" } }))
                .unwrap();
        assert_eq!(table.names(), ["year", "aoi_type"]);
        assert_eq!(
            table.column("aoi_type").unwrap(),
            [json!("admin"), json!("admin")]
        );
        assert_eq!(table.span(), Some(("2000".to_owned(), "2001".to_owned())));
    }

    #[test]
    fn no_result_is_an_empty_table_and_unequal_columns_are_an_error() {
        assert_eq!(parse(Value::Null).unwrap().row_count(), 0);
        assert_eq!(parse(json!({ "year": [] })).unwrap().row_count(), 0);
        assert!(
            parse(json!({ "year": [1, 2], "area_ha": [1] }))
                .unwrap_err()
                .contains("area_ha 1")
        );
        assert!(parse(json!([1])).is_err());
    }

    #[test]
    fn tables_are_joined_by_column_name() {
        let mut table = parse(json!({ "aoi_id": ["A"], "area_ha": [1] })).unwrap();
        table.append(parse(json!({ "area_ha": [2, 3], "region": ["x", "y"] })).unwrap());
        assert_eq!(table.row_count(), 3);
        assert_eq!(
            table.column("aoi_id").unwrap(),
            [json!("A"), Value::Null, Value::Null]
        );
        assert_eq!(
            table.column("region").unwrap(),
            [Value::Null, json!("x"), json!("y")]
        );
    }

    #[test]
    fn the_inventory_is_one_table_of_categories_and_classes() {
        let result = json!({
            "vegetation": { "aoi_id": ["A"], "aoi_type": ["admin"], "land_state_class": ["Forest"], "year": [2020], "gross_emissions_MgCO2e": [5.0], "net_flux_MgCO2e": [1.0] },
            "organic_soil": { "aoi_id": ["A"], "aoi_type": ["admin"], "year": [2020], "gross_emissions_MgCO2e": [2.0] },
            "agriculture": { "aoi_id": ["A"], "aoi_type": ["admin"], "category": ["livestock"], "year": [2020], "gross_emissions_MgCO2e": [3.0] },
        });
        let table = Table::parse(Endpoint::LandInventory, &result).unwrap();
        assert_eq!(table.names(), INVENTORY);
        assert_eq!(
            table.column("category").unwrap(),
            ["vegetation", "soil", "agriculture"].map(Value::from)
        );
        assert_eq!(
            table.column("class").unwrap(),
            ["Forest", "organic", "livestock"].map(Value::from)
        );
        assert_eq!(
            table.column("net_flux_MgCO2e").unwrap(),
            [json!(1.0), Value::Null, Value::Null]
        );
    }
}
