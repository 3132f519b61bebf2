//! Lists the wanted movies without a file, and lets Radarr search for them.

use radarr::types::{CommandResource, SortDirection};
use radarr::{Error, Radarr};

pub async fn run(radarr: &Radarr) -> Result<(), Error> {
    let mut movies = radarr
        .missing()
        .list()
        .monitored(true)
        .sort_key("movieMetadata.year")
        .sort_direction(&SortDirection::Descending)
        .page_size(2)
        .with_items();
    while let Some(movie) = movies.next().await {
        println!("{} has no file", movie?.title.unwrap_or_default());
    }
    let search = CommandResource::default().name("MissingMoviesSearch");
    let started = radarr.command().create(&search).await?;
    let command = radarr.command().get(started.id.unwrap_or_default()).await?;
    println!("the search is {:?}", command.status);
    Ok(())
}
