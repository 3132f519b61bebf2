//! The smallest files of the usual binary types, for answers that no program has uploaded.

/// A gray pixel.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0\x3a\x7e\x9b\x55\
    \0\0\0\nIDAT\x78\xda\x63\x60\0\0\0\x02\0\x01\xe5\x27\xde\xfc\0\0\0\0IEND\xae\x42\x60\x82";
const GIF: &[u8] = b"GIF89a\x01\0\x01\0\x80\0\0\xff\xff\xff\0\0\0\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0\x3b";
const WEBP: &[u8] = b"RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0\x2f\0\0\0\x10\x07\x10\x11\x11\x88\x88\xfe\x07\0";
const SVG: &[u8] = b"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\" height=\"1\"/>";
/// No sound: one channel, 8 kHz, 16 bits.
const WAV: &[u8] = b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\0\0\0\0";
/// An empty archive.
const ZIP: &[u8] = b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
const GZIP: &[u8] = b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x03\0\0\0\0\0\0\0\0\0";
const TAR: &[u8] = &[0; 1_024];
const HTML: &[u8] = b"<!doctype html>\n<title>sandbox</title>\n";
/// A page without content. The numbers behind `xref` are the positions of the objects.
const PDF: &[u8] = b"%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n\
    3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]>>\nendobj\nxref\n0 4\n0000000000 65535 f \n0000000009 00000 n \n\
    0000000054 00000 n \n0000000105 00000 n \ntrailer\n<</Size 4/Root 1 0 R>>\nstartxref\n168\n%%EOF\n";

/// A file of a media type. `None` for types that a value is encoded for, such as JSON and XML.
pub(crate) fn file(essence: &str) -> Option<Vec<u8>> {
    let bytes = match essence {
        "image/png" => PNG,
        "image/jpeg" | "image/jpg" => return Some(jpeg()),
        "image/gif" => GIF,
        "image/webp" => WEBP,
        "image/svg+xml" => SVG,
        "audio/wav" | "audio/x-wav" | "audio/wave" => WAV,
        "application/pdf" => PDF,
        "application/zip" | "application/x-zip-compressed" => ZIP,
        "application/gzip" | "application/x-gzip" => GZIP,
        "application/x-tar" => TAR,
        "text/html" => HTML,
        "application/octet-stream" => b"\0",
        _ if essence.starts_with("text/") && !essence.ends_with("xml") && essence != "text/event-stream" => b"text",
        _ => return None,
    };
    Some(bytes.to_vec())
}

/// A gray pixel: one block, whose two tables of codes have one code each.
fn jpeg() -> Vec<u8> {
    let codes = |class: u8| [&[0xff, 0xc4, 0, 20, class, 1][..], &[0; 16]].concat();
    let quantization = [&[0xff, 0xdb, 0, 67, 0][..], &[1; 64]].concat();
    let frame: &[u8] = &[0xff, 0xc0, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0];
    let scan: &[u8] = &[0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 0x3f, 0xff, 0xd9];
    [&[0xff, 0xd8], quantization.as_slice(), frame, &codes(0), &codes(0x10), scan].concat()
}

#[cfg(test)]
mod tests {
    use super::{PDF, file};

    #[test]
    fn files_begin_and_end_as_their_types_do() {
        for (essence, begin, end) in [
            ("image/png", &b"\x89PNG"[..], &b"IEND\xae\x42\x60\x82"[..]),
            ("image/jpeg", b"\xff\xd8\xff", b"\xff\xd9"),
            ("image/gif", b"GIF89a", b"\x3b"),
            ("application/pdf", b"%PDF-", b"%%EOF\n"),
            ("application/zip", b"PK", b"\0"),
        ] {
            let bytes = file(essence).unwrap();
            assert!(bytes.starts_with(begin) && bytes.ends_with(end), "{essence}");
        }
        assert_eq!((file("image/jpeg").unwrap().len(), file("application/json")), (141, None));
        let text = std::str::from_utf8(PDF).unwrap();
        let positions = ["1 0 obj", "2 0 obj", "3 0 obj", "xref"].map(|object| text.find(object).unwrap());
        assert_eq!(positions, [9, 54, 105, 168]);
    }
}
