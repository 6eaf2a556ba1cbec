// Pictures as WebP. The browser that shows the page encodes them, so no other encoder is needed; the frames of the
// moving picture are joined here (https://developers.google.com/speed/webp/docs/riff_container).

/**
 * Quality of pictures: letters stay sharp, and the pictures inside the program stay small. The moving one is not in the
 * program.
 */
const QUALITY = { still: 0.5, moving: 0.75 };

/** Starts the encoder, a blank page. */
export async function encoder(context) {
  const page = await context.newPage();
  await page.addScriptTag({ content: `window.encode = ${encode}; window.pixels = ${pixels}` });
  const of = async (quality, png, before) => {
    const pictures = [png.toString('base64'), before?.toString('base64') ?? null];
    const answer = await page.evaluate((given) => window.encode(...given), [...pictures, quality]);
    return answer && { ...answer, webp: Buffer.from(answer.webp, 'base64') };
  };
  return {
    /** Returns a PNG as WebP. */
    still: async (png) => (await of(QUALITY.still, png)).webp,
    /** Returns the difference from another picture: its place and its pixels; null if there is none. */
    change: (png, before) => of(QUALITY.moving, png, before),
  };
}

/** Runs in the browser. */
async function encode(png, before, quality) {
  const now = await window.pixels(png);
  let [left, top, right, bottom] = [0, 0, now.width, now.height];
  if (before) {
    const then = await window.pixels(before);
    const [one, other] = [now, then].map(({ data }) => new Uint32Array(data.buffer));
    [left, top, right, bottom] = [now.width, now.height, 0, 0];
    for (let y = 0; y < now.height; y++) {
      for (let x = 0; x < now.width; x++) {
        if (one[y * now.width + x] === other[y * now.width + x]) continue;
        [left, right] = [Math.min(left, x), Math.max(right, x + 1)];
        [top, bottom] = [Math.min(top, y), Math.max(bottom, y + 1)];
      }
    }
    if (right === 0) return null;
    // The format has places in steps of two.
    [left, top] = [left & ~1, top & ~1];
  }
  const canvas = new OffscreenCanvas(right - left, bottom - top);
  canvas.getContext('2d', { alpha: false }).putImageData(now, -left, -top);
  const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/webp', quality })).arrayBuffer());
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return { left, top, width: right - left, height: bottom - top, webp: btoa(letters) };
}

/** Runs in the browser. */
async function pixels(png) {
  const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  const context = canvas.getContext('2d');
  context.drawImage(bitmap, 0, 0);
  return context.getImageData(0, 0, bitmap.width, bitmap.height);
}

/**
 * Returns a moving picture of frames `{ left, top, width, height, webp, ms }`: for `ms` milliseconds each shows the
 * changes since the previous one.
 */
export function moving(frames) {
  const [first] = frames;
  const head = Buffer.alloc(10);
  head[0] = 0x02;
  head.writeUIntLE(first.width - 1, 4, 3);
  head.writeUIntLE(first.height - 1, 7, 3);
  const parts = frames.map(({ left, top, width, height, webp, ms }) => {
    const place = Buffer.alloc(16);
    [left / 2, top / 2, width - 1, height - 1, ms].forEach((number, at) => place.writeUIntLE(number, at * 3, 3));
    // Its pixels replace the previous ones, without blending.
    place[15] = 0x02;
    return chunk('ANMF', Buffer.concat([place, bitstream(webp)]));
  });
  // No background colour, and endless repetition.
  const body = Buffer.concat([Buffer.from('WEBP'), chunk('VP8X', head), chunk('ANIM', Buffer.alloc(6)), ...parts]);
  return chunk('RIFF', body);
}

function chunk(name, bytes) {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(bytes.length);
  return Buffer.concat([Buffer.from(name), size, bytes, Buffer.alloc(bytes.length % 2)]);
}

/** Returns the chunk with the pixels of a still picture. */
function bitstream(webp) {
  for (let at = 12; at < webp.length; ) {
    const [name, size] = [webp.toString('latin1', at, at + 4), webp.readUInt32LE(at + 4)];
    const end = at + 8 + size + (size % 2);
    if (name === 'VP8L' || name === 'VP8 ') return webp.subarray(at, end);
    at = end;
  }
  throw new Error('the browser has written no picture without transparency');
}
