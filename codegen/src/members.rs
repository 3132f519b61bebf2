//! Members of objects by their keys. Most objects of a contract have a few members, and are asked for many that they do not have: to compare
//! the keys takes less time than to hash one.

use serde_json::{Map, Value};

/// The most members that are compared one after the other.
const FEW: usize = 8;

/// As the methods of [`Map`].
pub(crate) trait Members {
    fn member(&self, key: &str) -> Option<&Value>;

    fn member_mut(&mut self, key: &str) -> Option<&mut Value>;

    fn take_member(&mut self, key: &str) -> Option<Value>;
}

impl Members for Map<String, Value> {
    fn member(&self, key: &str) -> Option<&Value> {
        if self.len() > FEW {
            return self.get(key);
        }
        self.iter().find(|(own, _)| *own == key).map(|(_, value)| value)
    }

    fn member_mut(&mut self, key: &str) -> Option<&mut Value> {
        if self.len() > FEW {
            return self.get_mut(key);
        }
        self.iter_mut().find(|(own, _)| *own == key).map(|(_, value)| value)
    }

    fn take_member(&mut self, key: &str) -> Option<Value> {
        self.member(key)?;
        self.remove(key)
    }
}

/// A value that is not an object has no members.
impl Members for Value {
    fn member(&self, key: &str) -> Option<&Value> {
        self.as_object()?.member(key)
    }

    fn member_mut(&mut self, key: &str) -> Option<&mut Value> {
        self.as_object_mut()?.member_mut(key)
    }

    fn take_member(&mut self, key: &str) -> Option<Value> {
        self.as_object_mut()?.take_member(key)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{FEW, Members as _};

    #[test]
    fn members_are_those_of_the_map() {
        for count in [0, 1, FEW, FEW + 1] {
            let mut object: Value = (0..count).map(|index| (index.to_string(), json!(index))).collect();
            for index in 0..FEW + 3 {
                let (key, mut expected) = (index.to_string(), (index < count).then(|| json!(index)));
                assert_eq!(object.member(&key), expected.as_ref());
                assert_eq!(object.member_mut(&key), expected.as_mut());
                assert_eq!(object.take_member(&key), expected);
                assert_eq!(object.member(&key), None);
            }
        }
        assert_eq!((json!([1]).member("0"), json!(null).take_member("")), (None, None));
    }
}
