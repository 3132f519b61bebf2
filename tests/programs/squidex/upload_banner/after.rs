//! Uploads a picture into a folder of its own, describes it, and downloads a smaller one.

use squidex::families::assets::{GetAssetContentBySlugArguments, PutAssetArguments};
use squidex::types::{AnnotateAssetDto, AssetFolderScope, CreateAssetFolderDto, PostAssetRequest, ResizeMode};
use squidex::{Error, Squidex, Upload};

pub async fn run(squidex: &Squidex) -> Result<(), Error> {
    let assets = squidex.assets();
    let folders = assets.get_asset_folders("shop").scope(&AssetFolderScope::Items).await?;
    let folder = match folders.items.into_iter().find(|folder| folder.folder_name == "banners") {
        Some(folder) => folder,
        None => assets.post_asset_folder("shop", &CreateAssetFolderDto::new("banners")).await?,
    };
    let picture = Upload::bytes("<svg/>").file_name("spring.svg").content_type("image/svg+xml");
    let upload = PostAssetRequest::default().file(picture);
    let asset = assets.post_asset("shop", upload).parent_id(&folder.id).await?;

    let notes = AnnotateAssetDto::default().slug("spring").tags(vec!["banner".to_owned()]);
    assets.put_asset(PutAssetArguments { app: "shop", id: &asset.id, body: &notes }).await?;
    let arguments = GetAssetContentBySlugArguments { app: "shop", id_or_slug: "spring", more: "spring.svg" };
    let content = assets.get_asset_content_by_slug(arguments);
    let small = content.width(640).mode(&ResizeMode::Max).await?.bytes().await?;
    println!("{} of {} bytes", small.len(), asset.file_size);
    Ok(())
}
