//! Publishes notes as a gist: changes the gists that have them, and makes a copy.

use std::collections::BTreeMap;

use github::types::{BodyRequest, GistsUpdateRequest, GistsUpdateRequestFilesValue};
use github::types::{GistsCreateRequest, GistsCreateRequestFilesValue, GistsCreateRequestPublic};
use github::{Error, Github};

pub async fn run(github: &Github, text: &str) -> Result<(), Error> {
    let gists = github.gists();
    let mine = gists.list().with_items().collect().await?;
    for gist in mine.iter().filter(|gist| gist.files.contains_key("notes.md")) {
        let file = GistsUpdateRequestFilesValue::default().content(text);
        let change = GistsUpdateRequest::default().files(BTreeMap::from([("notes.md".to_owned(), Some(file))]));
        match gists.update(&gist.id, &change).await {
            Ok(_) => drop(gists.create_comment(&gist.id, &BodyRequest::new("A new edition")).await?),
            Err(error) if error.is_not_found() => println!("{} was deleted in between", gist.id),
            Err(error) => return Err(error),
        }
    }
    let file = GistsCreateRequestFilesValue::new(text);
    let gist = GistsCreateRequest::new(BTreeMap::from([("copy.md".to_owned(), file)]));
    let gist = gist.description("A copy").public(GistsCreateRequestPublic::Boolean(false));
    println!("{}", gists.create(&gist).await?.html_url.unwrap_or_default());
    Ok(())
}
