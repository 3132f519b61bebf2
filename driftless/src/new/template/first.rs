//! A first call of the service. `@CLIENT@::from_env` reads these variables:
//!
@LISTED@
use @LIBRARY@::@CLIENT@;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = @CLIENT@::from_env()?;
    @CALL@
    println!("{answer:?}");
    Ok(())
}
