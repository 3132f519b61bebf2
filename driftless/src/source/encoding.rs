//! The content codings of a body (RFC 9110, section 8.4).

use std::borrow::Cow;
use std::io::{self, Read};

use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use ruzstd::decoding::StreamingDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};

/// The codings of `Accept-Encoding`.
pub(super) const ACCEPTED: &str = "gzip, deflate, br, zstd";
/// The most that one body is packed in one another.
const LAYERS: usize = 3;
/// Length that a decoder of brotli reads at once, in bytes.
const CHUNK: usize = 8 * 1024;

/// The reason that a body cannot be unpacked.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// It holds more than the limit.
    TooLarge,
    /// It does not have the coding of its header, or breaks off.
    Broken(String),
}

/// The body without the codings that the header lists, in their order. An unknown coding is left as it is: some servers write
/// the name of a character set there.
pub(super) fn unpack(codings: &str, mut body: Vec<u8>, limit: usize) -> Result<Vec<u8>, Trouble> {
    let codings = codings.split(',').map(|coding| coding.trim().to_ascii_lowercase());
    let codings: Vec<String> = codings.filter(|coding| !coding.is_empty() && coding != "identity").collect();
    if codings.len() > LAYERS {
        return Err(Trouble::Broken(format!("packed {} times", codings.len())));
    }
    if body.is_empty() {
        return Ok(body);
    }
    for coding in codings.iter().rev() {
        match layer(coding, &body, limit)? {
            Cow::Owned(unpacked) => body = unpacked,
            Cow::Borrowed(_) => break,
        }
    }
    Ok(body)
}

fn layer<'b>(coding: &str, body: &'b [u8], limit: usize) -> Result<Cow<'b, [u8]>, Trouble> {
    let unpacked = match coding {
        "gzip" | "x-gzip" => bounded(MultiGzDecoder::new(body), limit),
        // The standard means zlib; some servers send the bare stream.
        "deflate" if is_zlib(body) => bounded(ZlibDecoder::new(body), limit),
        "deflate" => bounded(DeflateDecoder::new(body), limit),
        "br" => bounded(brotli_decompressor::Decompressor::new(body, CHUNK), limit),
        "zstd" => zstd(body, limit),
        _ => return Ok(Cow::Borrowed(body)),
    };
    unpacked.map(Cow::Owned).map_err(|error| match error {
        Trouble::Broken(cause) => Trouble::Broken(format!("it is not whole {coding}: {cause}")),
        Trouble::TooLarge => error,
    })
}

/// RFC 1950: the method in the low half of the first byte, and both bytes together a multiple of 31.
fn is_zlib(body: &[u8]) -> bool {
    matches!(body, [first, second, ..] if first & 0x0F == 8 && u16::from_be_bytes([*first, *second]).is_multiple_of(31))
}

/// Reads up to the first byte beyond the limit: a small body can hold any size.
fn bounded(reader: impl Read, limit: usize) -> Result<Vec<u8>, Trouble> {
    let mut unpacked = Vec::new();
    append(reader, &mut unpacked, limit)?;
    Ok(unpacked)
}

fn append(reader: impl Read, unpacked: &mut Vec<u8>, limit: usize) -> Result<(), Trouble> {
    let room = (limit - unpacked.len()) as u64;
    let broken = |error: io::Error| Trouble::Broken(error.to_string());
    reader.take(room.saturating_add(1)).read_to_end(unpacked).map_err(broken)?;
    if unpacked.len() > limit { Err(Trouble::TooLarge) } else { Ok(()) }
}

/// One frame after the other (RFC 8878, section 3); some of them hold no data.
fn zstd(body: &[u8], limit: usize) -> Result<Vec<u8>, Trouble> {
    let mut rest = body;
    let mut unpacked = Vec::new();
    while !rest.is_empty() {
        match StreamingDecoder::new(&mut rest) {
            Ok(frame) => append(frame, &mut unpacked, limit)?,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                let after = usize::try_from(length).ok().and_then(|length| rest.get(length..));
                rest = after.ok_or_else(|| Trouble::Broken("a frame breaks off".to_owned()))?;
            }
            Err(error) => return Err(Trouble::Broken(error.to_string())),
        }
    }
    Ok(unpacked)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    use super::*;

    const TEXT: &[u8] = b"{\"openapi\":\"3.0.4\",\"paths\":{}}";

    /// `TEXT` in brotli.
    const BROTLI: &[u8] = &[
        0x8B, 0x0E, 0x80, 0x7B, 0x22, 0x6F, 0x70, 0x65, 0x6E, 0x61, 0x70, 0x69, 0x22, 0x3A, 0x22, 0x33, 0x2E, 0x30,
        0x2E, 0x34, 0x22, 0x2C, 0x22, 0x70, 0x61, 0x74, 0x68, 0x73, 0x22, 0x3A, 0x7B, 0x7D, 0x7D, 0x03,
    ];

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).expect("written");
        encoder.finish().expect("packed")
    }

    fn packed(coding: &str, text: &[u8]) -> Vec<u8> {
        match coding {
            "gzip" | "x-gzip" => gzip(text),
            "zlib" => {
                let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
                encoder.write_all(text).expect("written");
                encoder.finish().expect("packed")
            }
            "deflate" => {
                let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
                encoder.write_all(text).expect("written");
                encoder.finish().expect("packed")
            }
            "zstd" => ruzstd::encoding::compress_to_vec(text, ruzstd::encoding::CompressionLevel::Fastest),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn every_coding_that_is_asked_for_is_read() {
        for (header, coding) in
            [("gzip", "gzip"), (" X-GZIP ", "gzip"), ("deflate", "zlib"), ("deflate", "deflate"), ("zstd", "zstd")]
        {
            let body = packed(coding, TEXT);
            assert_eq!(unpack(header, body, 1000).as_deref(), Ok(TEXT), "{header}");
        }
        assert_eq!(unpack("br", BROTLI.to_vec(), 1000).as_deref(), Ok(TEXT));
        assert_eq!(unpack("gzip, identity,br", BROTLI.to_vec(), 1000), unpack("gzip", TEXT.to_vec(), 1000));
        assert_eq!(unpack("zstd, gzip", gzip(&packed("zstd", TEXT)), 1000).as_deref(), Ok(TEXT));
        for header in ["", "identity", "utf-8", "compress"] {
            assert_eq!(unpack(header, TEXT.to_vec(), 10).as_deref(), Ok(TEXT), "{header}");
        }
        // Frames of zstd follow one another, with or without data.
        let skipped =
            [&[0x50, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3][..], &packed("zstd", TEXT), &packed("zstd", TEXT)];
        assert_eq!(unpack("zstd", skipped.concat(), 1000).as_deref(), Ok([TEXT, TEXT].concat().as_slice()));
        assert_eq!(unpack("gzip", Vec::new(), 1000), Ok(Vec::new()));
    }

    /// A few thousand bytes that hold a hundred times as much: the number of bytes read stays below the limit.
    #[test]
    fn a_bomb_is_cut_off() {
        let large = vec![b' '; 1_000_000];
        for (header, coding) in [("gzip", "gzip"), ("deflate", "zlib"), ("deflate", "deflate"), ("zstd", "zstd")] {
            let body = packed(coding, &large);
            assert!(body.len() < 100_000, "{coding}: {}", body.len());
            assert_eq!(unpack(header, body.clone(), large.len()).map(|text| text.len()), Ok(large.len()), "{coding}");
            // A decoder that reads on beyond the limit reports that the body breaks off.
            let half = body[..body.len() / 2].to_vec();
            assert_eq!(unpack(header, half, 1000), Err(Trouble::TooLarge), "{coding}");
            assert_eq!(unpack(header, body, large.len() - 1), Err(Trouble::TooLarge), "{coding}");
        }
        assert_eq!(unpack("br", BROTLI.to_vec(), TEXT.len() - 1), Err(Trouble::TooLarge));
        assert!(matches!(unpack("gzip,gzip,gzip,gzip", gzip(TEXT), 1000), Err(Trouble::Broken(_))));
    }

    #[test]
    fn what_breaks_off_or_is_something_else_is_said() {
        for (header, coding) in [("gzip", "gzip"), ("deflate", "zlib"), ("zstd", "zstd")] {
            let body = packed(coding, TEXT);
            for length in [1, 5, body.len() / 2, body.len() - 1] {
                let trouble = unpack(header, body[..length].to_vec(), 1000);
                assert!(matches!(trouble, Err(Trouble::Broken(_))), "{header} {length}: {trouble:?}");
            }
            assert!(matches!(unpack(header, TEXT.to_vec(), 1000), Err(Trouble::Broken(_))), "{header}");
        }
        for length in 1..BROTLI.len() {
            assert!(matches!(unpack("br", BROTLI[..length].to_vec(), 1000), Err(Trouble::Broken(_))), "{length}");
        }
    }
}
