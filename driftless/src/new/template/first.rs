//! A first call of the service. `@CLIENT@::from_env` reads these variables:
//!
@LISTED@
@ALLOWED@

@PROGRAMIMPORTS@

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = @CLIENT@::from_env()?;
@SAMPLES@
@CALL@
    println!("{answer:?}");
    Ok(())
}
