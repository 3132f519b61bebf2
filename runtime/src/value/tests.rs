use std::time::{Duration, SystemTime};

use serde_json::{from_str, to_string};

use super::{Base64, Date, DateTime, Maybe, Time, TimeSpan};

#[test]
fn any_text_is_read_and_given_back() {
    for text in ["2024-05-01T10:00:00.1234567", "0001-01-01T00:00:00", "soon", "", "2024-13-45"] {
        let quoted = to_string(text).unwrap();
        assert_eq!(to_string(&from_str::<DateTime>(&quoted).unwrap()).unwrap(), quoted);
        assert_eq!(to_string(&from_str::<Date>(&quoted).unwrap()).unwrap(), quoted);
        assert_eq!(to_string(&from_str::<Time>(&quoted).unwrap()).unwrap(), quoted);
        assert_eq!(to_string(&from_str::<TimeSpan>(&quoted).unwrap()).unwrap(), quoted);
    }
    assert!(from_str::<DateTime>("5").is_err());
}

#[test]
fn points_in_time_convert() {
    let seconds = |text: &str| DateTime::new(text).to_utc().map(|time| time.unix_timestamp()).ok();
    let noon = Some(1_714_564_800);
    for text in [
        "2024-05-01T12:00:00Z",
        "2024-05-01t12:00:00z",
        "2024-05-01 12:00:00Z",
        "2024-05-01T14:00:00+02:00",
        "2024-05-01T12:00:00",
        "2024-05-01T12:00:00.9999999",
        " 2024-05-01T12:00:00Z ",
    ] {
        assert_eq!(seconds(text), noon, "{text}");
    }
    for text in ["2024-05-01", "12:00:00", "", "ü", "2024-05-01T25:00:00Z", "2024-02-30T00:00:00Z", "20240501T120000Z"]
    {
        assert_eq!(seconds(text), None, "{text}");
    }
    let offset = DateTime::new("2024-05-01T14:00:00-07:30").to_offset().unwrap();
    assert_eq!(offset.offset().whole_minutes(), -450);
    assert!(DateTime::new("2024-05-01T14:00:00-07:30").has_offset());
    assert!(!DateTime::new("2024-05-01T14:00:00").has_offset());
    assert_eq!(DateTime::from(offset).as_str(), "2024-05-01T14:00:00-07:30");
}

#[test]
fn dates_and_times_convert() {
    assert_eq!(Date::new("2024-02-29").to_date().unwrap().ordinal(), 60);
    assert_eq!(Date::new("2024-02-29T00:00:00").to_date().unwrap().ordinal(), 60);
    for text in ["2023-02-29", "2024-2-9", "29.02.2024", "2024-02-290", "", "üüüüüüü"] {
        assert!(Date::new(text).to_date().is_err(), "{text}");
    }
    assert_eq!(Date::from(Date::new("0099-12-31").to_date().unwrap()).as_str(), "0099-12-31");
    let time = Time::new("23:59:58.5").to_time().unwrap();
    assert_eq!(time.as_hms_milli(), (23, 59, 58, 500));
    assert_eq!(Time::from(time).as_str(), "23:59:58.5");
    assert_eq!(Time::from(Time::new("00:00:00Z").to_time().unwrap()).as_str(), "00:00:00");
    for text in ["24:00:00", "1:2:3", "", "noon"] {
        assert!(Time::new(text).to_time().is_err(), "{text}");
    }
}

#[test]
fn durations_convert() {
    let millis = |text: &str| TimeSpan::new(text).to_duration().ok().map(|duration| duration.as_millis());
    for (text, expected) in [
        ("00:00:00", 0),
        ("1.02:03:04.5", 93_784_500),
        ("12:30", 45_000_000),
        ("3", 259_200_000),
        ("25:00:00", 90_000_000),
        ("P1DT2H3M4.5S", 93_784_500),
        ("PT0.0001S", 0),
        ("P1W", 604_800_000),
        ("PT90M", 5_400_000),
    ] {
        assert_eq!(millis(text), Some(expected), "{text}");
    }
    for text in [
        "",
        "P",
        "PT",
        "P1Y",
        "P1M",
        "-00:00:01",
        "-PT1S",
        "00:60:00",
        "00:00:60",
        "1:2:3:4",
        "1.25:00:00",
        "a:b",
        "1.:00",
        "99999999999999999999",
        "PT18446744073709551615H",
        "213503982334602.00:00:00",
        "1S",
        "PT1S2M",
    ] {
        assert_eq!(millis(text), None, "{text}");
    }
    for duration in [Duration::ZERO, Duration::new(93_784, 500_000_000), Duration::from_nanos(100)] {
        assert_eq!(TimeSpan::from(duration).to_duration().unwrap(), duration);
    }
}

#[test]
fn bytes_are_base64() {
    for text in ["AP//", "AP__", "YQ==", "YQ"] {
        let read: Base64 = from_str(&format!("\"{text}\"")).unwrap();
        assert!([&[0, 255, 255][..], b"a"].contains(&read.as_bytes()), "{text}");
    }
    assert_eq!(to_string(&Base64::from("a")).unwrap(), "\"YQ==\"");
    for text in ["\"Y\"", "\"canary!\"", "5"] {
        let error = from_str::<Base64>(text).unwrap_err().to_string();
        assert!(!error.contains("canary"), "{error}");
    }
    assert_eq!(format!("{:?}", Base64::from("canary")), "Base64(6 bytes)");
}

#[test]
fn points_in_time_stand_in_the_order_of_time() {
    let mut times: Vec<DateTime> = [
        "soon",
        "2024-05-01T12:00:00+02:00",
        "2024-05-01T11:00:00Z",
        "2024-05-01T12:30:00+02:00",
        "2024-05-01T10:00:00Z",
        "",
    ]
    .map(DateTime::from)
    .into();
    times.sort();
    let texts: Vec<&str> = times.iter().map(DateTime::as_str).collect();
    let expected = [
        "2024-05-01T10:00:00Z",
        "2024-05-01T12:00:00+02:00",
        "2024-05-01T12:30:00+02:00",
        "2024-05-01T11:00:00Z",
        "",
        "soon",
    ];
    assert_eq!(texts, expected);
    for (index, one) in times.iter().enumerate() {
        for (other_index, other) in times.iter().enumerate() {
            assert_eq!(one.cmp(other), index.cmp(&other_index), "{one} {other}");
        }
    }
    let now = SystemTime::UNIX_EPOCH + Duration::from_millis(1_714_557_600_500);
    let written = DateTime::from(now);
    assert_eq!(written, "2024-05-01T10:00:00.5Z");
    assert_eq!(SystemTime::try_from(&written).unwrap(), now);
    assert!(SystemTime::try_from(&DateTime::new("soon")).is_err());
    assert_eq!(String::from("x".parse::<TimeSpan>().unwrap()), "x");
}

#[test]
fn a_member_that_may_be_absent_is_used_like_an_option() {
    let values = [Maybe::Absent, Maybe::Null, Maybe::Value(2)];
    assert_eq!(values.map(|value| value.map(|number| number + 1)), [Maybe::Absent, Maybe::Null, Maybe::Value(3)]);
    assert_eq!(values.map(|value| value.unwrap_or(7)), [7, 7, 2]);
    assert_eq!(values.map(Maybe::unwrap_or_default), [0, 0, 2]);
    assert_eq!(values.map(|value| value.unwrap_or_else(|| 8)), [8, 8, 2]);
    assert_eq!(values.map(Option::from), [None, None, Some(2)]);
    let mut value = Maybe::Value(1);
    assert_eq!((value.take(), value), (Maybe::Value(1), Maybe::Absent));
}
