// Encodes a picture of at most 256 colours as PNG with a palette, in base64: a fraction of the size that the browser writes.
async (png) => {
  const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
  const { width, height } = image;
  const context = new OffscreenCanvas(width, height).getContext("2d");
  context.drawImage(image, 0, 0);
  const pixels = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
  const counts = new Map();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const parts = (pixel) => [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255];
  // A coloured pixel counts more than a grey one.
  const weight = ([pixel, count]) => count * (1 + (Math.max(...parts(pixel)) - Math.min(...parts(pixel))) / 12);
  const palette = [...counts].sort((one, other) => weight(other) - weight(one)).slice(0, 96).map(([pixel]) => parts(pixel));
  const nearest = new Map();
  const index = (pixel) => {
    if (!nearest.has(pixel)) {
      const [r, g, b] = parts(pixel);
      let best = 0;
      let least = Infinity;
      palette.forEach(([pr, pg, pb], at) => {
        const distance = (pr - r) ** 2 + (pg - g) ** 2 + (pb - b) ** 2;
        if (distance < least) [least, best] = [distance, at];
      });
      nearest.set(pixel, best);
    }
    return nearest.get(pixel);
  };
  // Each row begins with its filter type, which is none.
  const rows = new Uint8Array((width + 1) * height);
  for (let y = 0; y < height; y += 1) for (let x = 0; x < width; x += 1) rows[y * (width + 1) + x + 1] = index(pixels[y * width + x]);
  const packed = new Uint8Array(await new Response(new Blob([rows]).stream().pipeThrough(new CompressionStream("deflate"))).arrayBuffer());
  const crcs = Array.from({ length: 256 }, (_, n) => { let c = n; for (let k = 0; k < 8; k += 1) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1; return c >>> 0; });
  const chunk = (name, data) => {
    const bytes = new Uint8Array(data.length + 12);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, data.length);
    bytes.set([...name].map((letter) => letter.charCodeAt(0)), 4);
    bytes.set(data, 8);
    let crc = 0xffffffff;
    for (const byte of bytes.subarray(4, data.length + 8)) crc = crcs[(crc ^ byte) & 255] ^ (crc >>> 8);
    view.setUint32(data.length + 8, (crc ^ 0xffffffff) >>> 0);
    return bytes;
  };
  const head = new Uint8Array(13);
  new DataView(head.buffer).setUint32(0, width);
  new DataView(head.buffer).setUint32(4, height);
  head.set([8, 3, 0, 0, 0], 8);
  const all = new Blob([new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10]), chunk("IHDR", head), chunk("PLTE", Uint8Array.from(palette.flat())), chunk("IDAT", packed), chunk("IEND", new Uint8Array())]);
  const bytes = new Uint8Array(await all.arrayBuffer());
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
