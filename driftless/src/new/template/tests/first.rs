//! The call of the first program, against a fake service.
@ALLOWED@

@TESTIMPORTS@

#[tokio::test]
async fn a_refusal_of_the_service_is_an_error() -> Result<(), Box<dyn std::error::Error>> {
    let fake = Fake::new();
@REFUSAL@
    let client = fake.client()?;

@REFUSED@

    assert!(error.is_not_found(), "{error}");
@PATHCHECK@
    Ok(())
}
