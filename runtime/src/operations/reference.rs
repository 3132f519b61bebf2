//! References to operations.

use std::{collections::BTreeMap, fmt, time::SystemTime};

use serde::{Deserialize, Serialize, de};

use super::{
    Intent, fingerprint,
    time::{from_millis, millis},
};
use crate::error::{Error, Kind};

const VERSION: u32 = 1;

/// The longest identifier, in bytes.
const LONGEST: usize = 1024;

/// A reference to an asynchronous operation: everything needed to get it again, anywhere and at any time. It contains
/// no secret, and gives no right: its user needs a credential of their own.
///
/// It is serialized with serde. One that was damaged or changed cannot be deserialized, and one of another deployment
/// is refused by [`Client::operation`](crate::Client::operation). The checksum detects mistakes; it is not a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationRef {
    kind: String,
    id: String,
    deployment: String,
    accepted: u64,
    correlation: String,
    parameters: BTreeMap<String, String>,
    address: BTreeMap<String, String>,
}

/// Returns whether a text of the service can be an identifier.
fn is_valid(text: &str) -> bool {
    !text.is_empty() && text.len() <= LONGEST && !text.chars().any(char::is_control)
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    version: u32,
    kind: String,
    id: String,
    deployment: String,
    accepted: u64,
    correlation: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    parameters: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    address: BTreeMap<String, String>,
    check: String,
}

impl OperationRef {
    /// Creates the reference to the operation of a submission.
    pub(super) fn from_intent(intent: &Intent, id: String) -> Result<Self, Error> {
        if !is_valid(&id) {
            return Err(Error::with(Kind::Reference, "the identifier of the operation is not valid")
                .hint("check its pointer in the configuration"));
        }
        let Intent { correlation, kind, deployment, parameters, .. } = intent.clone();
        let (accepted, address) = (millis(SystemTime::now()), BTreeMap::new());
        Ok(Self { kind, id, deployment, accepted, correlation, parameters, address })
    }

    /// Sets the parameters of the operation's address.
    pub(super) fn with_address(self, address: BTreeMap<String, String>) -> Result<Self, Error> {
        if let Some((name, _)) = address.iter().find(|(_, value)| !is_valid(value)) {
            let message = format!("the value of `{name}` in the address of the operation is not valid");
            return Err(Error::with(Kind::Reference, message).hint("check the address on the service"));
        }
        Ok(Self { address, ..self })
    }

    /// Returns the name of its binding.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Returns its identifier on the service.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the fingerprint of the deployment that accepted it: of its address.
    pub fn deployment(&self) -> &str {
        &self.deployment
    }

    /// Returns the time at which it was accepted, on this machine's clock.
    pub fn accepted_at(&self) -> SystemTime {
        from_millis(self.accepted)
    }

    /// As if it had been accepted this long ago, or by a clock that is behind by this much.
    #[cfg(all(test, feature = "testing"))]
    pub(super) fn accepted_before(self, time: std::time::Duration) -> Self {
        Self { accepted: millis(self.accepted_at() - time), ..self }
    }

    /// Returns the identifier that connects it with its submission in a store. Random, and unique.
    pub fn correlation(&self) -> &str {
        &self.correlation
    }

    /// Returns the path parameters of its submission, by their names in the contract.
    pub fn parameters(&self) -> &BTreeMap<String, String> {
        &self.parameters
    }

    /// Returns the parameters of the address that the service gave it ([`Watched::header`](super::Watched::header)), without
    /// the identifier. A name may have another value there than in the path of the submission.
    pub fn address(&self) -> &BTreeMap<String, String> {
        &self.address
    }

    /// Returns whether both identify the same operation, whatever their times of acceptance.
    pub(super) fn is_same_operation(&self, other: &Self) -> bool {
        (&self.kind, &self.id, &self.deployment) == (&other.kind, &other.id, &other.deployment)
    }

    fn check(&self) -> String {
        let accepted = self.accepted.to_string();
        let mut parts = vec![self.kind.as_str(), &self.id, &self.deployment, &accepted, &self.correlation];
        parts.extend(self.parameters.iter().flat_map(|(name, value)| [name.as_str(), value.as_str()]));
        if !self.address.is_empty() {
            // The name of no parameter.
            parts.push("{address}");
            parts.extend(self.address.iter().flat_map(|(name, value)| [name.as_str(), value.as_str()]));
        }
        fingerprint::from_parts("reference 1", &parts)
    }
}

/// Writes JSON on one line, which [`FromStr`](std::str::FromStr) reads.
impl fmt::Display for OperationRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

impl std::str::FromStr for OperationRef {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        serde_json::from_str(text).map_err(|cause| {
            Error::with(Kind::Reference, "the text is not a reference to an operation, or was changed")
                .hint("store it as `Display` or serde writes it")
                .cause(cause)
        })
    }
}

impl Serialize for OperationRef {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Wire {
            version: VERSION,
            kind: self.kind.clone(),
            id: self.id.clone(),
            deployment: self.deployment.clone(),
            accepted: self.accepted,
            correlation: self.correlation.clone(),
            parameters: self.parameters.clone(),
            address: self.address.clone(),
            check: self.check(),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for OperationRef {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wire = Wire::deserialize(deserializer)?;
        if wire.version != VERSION {
            return Err(de::Error::custom("the reference has a version that this client does not know: update it"));
        }
        let Wire { kind, id, deployment, accepted, correlation, parameters, address, check, .. } = wire;
        let reference = Self { kind, id, deployment, accepted, correlation, parameters, address };
        if reference.check() != check {
            return Err(de::Error::custom("the reference was changed or damaged: take it from where it was stored"));
        }
        Ok(reference)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn reference(id: impl Into<String>) -> Result<OperationRef, Error> {
        let intent = Intent {
            correlation: "c".to_owned(),
            label: None,
            kind: "deployment".to_owned(),
            deployment: "d".to_owned(),
            at: 0,
            parameters: BTreeMap::new(),
            key: super::super::intent::SubmissionKey::None,
            contents: None,
        };
        OperationRef::from_intent(&intent, id.into())
    }

    #[test]
    fn an_identifier_that_a_service_gives_has_a_length_and_no_control_characters() {
        for id in ["", "a\nb", "a\u{7f}"] {
            assert_eq!(reference(id).unwrap_err().code(), "reference", "{id:?}");
        }
        assert_eq!(reference("x".repeat(LONGEST)).unwrap().id().len(), LONGEST);
        for longer in [1, 2, 100_000] {
            assert!(reference("x".repeat(LONGEST + longer)).is_err(), "{longer} too long");
        }
    }
}
