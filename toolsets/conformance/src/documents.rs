//! Resources: a text, a picture, and a family with a variable in its URI.

use periplus_toolset::{Body, Resource, ResourceTemplate, Toolset, json};

use crate::media::PNG;

/// The resources of the toolset.
pub(crate) struct Documents {
    fixed: Vec<Resource>,
    family: ResourceTemplate,
}

impl Documents {
    pub(crate) fn add_to(self, toolset: Toolset) -> Toolset {
        let toolset = self.fixed.into_iter().fold(toolset, Toolset::resource);
        toolset.resource_template(self.family)
    }
}

pub(crate) fn all() -> Documents {
    let text = "This is the content of the static text resource.";
    let family = ResourceTemplate::new(
        "test://template/{id}/data",
        "template-data",
        "application/json",
        |mut variables| {
            Box::pin(async move {
                let id = variables.remove("id")?;
                let data = format!("Data for ID: {id}");
                let document = json!({ "id": id, "templateTest": true, "data": data });
                Some(Body::Text(document.to_string()))
            })
        },
    );
    Documents {
        fixed: vec![
            Resource::text("test://static-text", "static-text", "text/plain", text)
                .description("A text that never changes."),
            Resource::bytes("test://static-binary", "static-binary", "image/png", PNG)
                .description("A picture that never changes."),
            Resource::text(
                "test://watched-resource",
                "watched-resource",
                "text/plain",
                "Watch me.",
            )
            .description("A text that clients may watch."),
        ],
        family: family.description("The data of an id."),
    }
}
