//! The call of the first program, against a fake service.

use @LIBRARY@::families::@FAMILY@::operations::@MARKER@;
use @LIBRARY@::testing::{Fake, FakeReply};

#[tokio::test]
async fn a_refusal_of_the_service_is_an_error() -> Result<(), Box<dyn std::error::Error>> {
    let fake = Fake::new();
    fake.on(@MARKER@::FAKE).reply(FakeReply::status(404));
    let client = fake.client()?;

    let error = client.@FAMILY@().@OPERATION@().await.err().ok_or("it succeeded")?;

    assert!(error.is_not_found(), "{error}");
    assert_eq!(fake.calls()[0].path, @PATH@);
    Ok(())
}
