const headerBytes = 20

/** Wraps one chunk into a WebP file (RFC 9649, "Simple File Format (Lossless)"). */
export function webpFile(chunk: 'VP8L', body: Uint8Array): Uint8Array<ArrayBuffer> {
  const padded = body.length + (body.length % 2)
  const file = new Uint8Array(headerBytes + padded)
  const view = new DataView(file.buffer)
  file.set(ascii('RIFF'), 0)
  view.setUint32(4, file.length - 8, true)
  file.set(ascii('WEBP'), 8)
  file.set(ascii(chunk), 12)
  view.setUint32(16, body.length, true)
  file.set(body, headerBytes)
  return file
}

function ascii(text: string): Uint8Array {
  return Uint8Array.from(text, character => character.charCodeAt(0))
}
