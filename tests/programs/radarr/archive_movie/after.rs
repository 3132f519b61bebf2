//! Tags a movie as archived, and removes its failed downloads from the queue.

use radarr::types::{DownloadProtocol, QueueStatus, TagResource};
use radarr::{Error, Radarr};

pub async fn run(radarr: &Radarr) -> Result<(), Error> {
    let mut movie = match radarr.movie().get(7).await {
        Ok(movie) => movie,
        Err(error) if error.is_not_found() => return Ok(println!("movie 7 does not exist")),
        Err(error) => return Err(error),
    };
    let tag = radarr.tag().create(&TagResource::default().label("archive")).await?;
    let mut tags = movie.tags.take().unwrap_or_default();
    tags.extend(tag.id);
    let movie = movie.tags(tags).monitored(false);
    radarr.movie().update("7", &movie).move_files(true).await?;

    let queue = radarr.queue().list().movie_ids(&[7]).protocol(&DownloadProtocol::Torrent);
    let failed = queue.status(&[QueueStatus::Failed, QueueStatus::Warning]).with_items().collect().await?;
    for download in failed {
        println!("removing {}", download.title.unwrap_or_default());
        radarr.queue().delete(download.id.unwrap_or_default()).blocklist(true).await?;
    }
    Ok(())
}
