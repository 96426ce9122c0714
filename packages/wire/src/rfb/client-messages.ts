import { zlibSync } from 'fflate'
import { clipboardFlags } from './clipboard-flags.ts'
import type { Screen } from './events.ts'
import { fenceFlags, maxFencePayload } from './fence-flags.ts'
import type { Rect } from './rect.ts'
import { encodeLatin1 } from './text.ts'

/** Encodes a message of `length` bytes, big endian. Bytes that `write` does not set are padding. */
function message(type: number, length: number, write: (fields: DataView) => void): Uint8Array {
  const bytes = new Uint8Array(length)
  bytes[0] = type
  write(new DataView(bytes.buffer))
  return bytes
}

function writeRect(fields: DataView, at: number, { x, y, width, height }: Rect): void {
  for (const [index, value] of [x, y, width, height].entries()) fields.setUint16(at + 2 * index, value)
}

/**
 * Requests 32-bit little-endian pixels with 8 bits per colour, red lowest, so that a pixel in memory is R, G, B and
 * padding (RFC 6143, 7.5.1).
 */
export const setPixelFormat = (): Uint8Array =>
  message(0, 20, fields => {
    const [bitsPerPixel, depth, bigEndian, trueColour] = [32, 24, 0, 1]
    for (const [index, value] of [bitsPerPixel, depth, bigEndian, trueColour].entries())
      fields.setUint8(4 + index, value)
    for (const colour of [0, 1, 2]) {
      fields.setUint16(8 + 2 * colour, 255)
      fields.setUint8(14 + colour, 8 * colour)
    }
  })

/** RFC 6143, 7.5.2. */
export const setEncodings = (encodings: readonly number[]): Uint8Array =>
  message(2, 4 + 4 * encodings.length, fields => {
    fields.setUint16(2, encodings.length)
    for (const [index, number] of encodings.entries()) fields.setInt32(4 + 4 * index, number)
  })

/** RFC 6143, 7.5.3. An incremental request is answered when something has changed, any other immediately. */
export const framebufferUpdateRequest = (rect: Rect, incremental: boolean): Uint8Array =>
  message(3, 10, fields => {
    fields.setUint8(1, incremental ? 1 : 0)
    writeRect(fields, 2, rect)
  })

/** RFC 6143, 7.5.4. */
export const keyEvent = (keysym: number, down: boolean): Uint8Array =>
  message(4, 8, fields => {
    fields.setUint8(1, down ? 1 : 0)
    fields.setUint32(4, keysym)
  })

/** RFC 6143, 7.5.5. Bit 0 of the mask is the first button. */
export const pointerEvent = (x: number, y: number, buttonMask: number): Uint8Array =>
  message(5, 6, fields => {
    fields.setUint8(1, buttonMask)
    fields.setUint16(2, x)
    fields.setUint16(4, y)
  })

/** RFC 6143, 7.5.6. Lines end with a line feed only. */
export function clientCutText(text: string): Uint8Array {
  const bytes = encodeLatin1(text)
  const cutText = message(6, 8 + bytes.length, fields => fields.setUint32(4, bytes.length))
  cutText.set(bytes, 8)
  return cutText
}

/** rfbproto, Extended Clipboard Pseudo-Encoding: a negative length marks the extended format. */
function clipboardMessage(flags: number, payload: Uint8Array = new Uint8Array(0)): Uint8Array {
  const whole = message(6, 12 + payload.length, fields => {
    fields.setInt32(4, -(4 + payload.length))
    fields.setUint32(8, flags)
  })
  whole.set(payload, 12)
  return whole
}

/** Announces that this client supports text of any length on request, and wants none unrequested. */
export const clipboardCaps = (): Uint8Array =>
  clipboardMessage(
    Object.values(clipboardFlags).reduce((all, flag) => all | flag),
    new Uint8Array(4),
  )

/**
 * Announces that this side has a new text. The extended clipboard messages are only for a server that supports them.
 */
export const clipboardOffer = (hasText: boolean): Uint8Array =>
  clipboardMessage(clipboardFlags.notify | (hasText ? clipboardFlags.text : 0))

/** Requests the server's clipboard text. */
export const clipboardRequest = (): Uint8Array =>
  clipboardMessage(clipboardFlags.request | clipboardFlags.text)

/** Sends the clipboard text, with CRLF line ends and a terminating NUL. */
export function clipboardText(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(`${text.replaceAll(/\r?\n/g, '\r\n')}\0`)
  const sized = new Uint8Array(4 + bytes.length)
  new DataView(sized.buffer).setUint32(0, bytes.length)
  sized.set(bytes, 4)
  return clipboardMessage(clipboardFlags.provide | clipboardFlags.text, zlibSync(sized))
}

/** rfbproto, EnableContinuousUpdates. Only for a server that supports `continuous-updates`. */
export const enableContinuousUpdates = (enable: boolean, rect: Rect): Uint8Array =>
  message(150, 10, fields => {
    fields.setUint8(1, enable ? 1 : 0)
    writeRect(fields, 2, rect)
  })

/** rfbproto, ClientFence. Only for a server that supports `fence`. */
export function fence(flags: number, payload: Uint8Array): Uint8Array {
  if (payload.length > maxFencePayload)
    throw new RangeError(`a fence carries at most ${maxFencePayload} bytes, not ${payload.length}`)
  const whole = message(248, 9 + payload.length, fields => {
    fields.setUint32(4, flags)
    fields.setUint8(8, payload.length)
  })
  whole.set(payload, 9)
  return whole
}

/** A fence that the server answers with a `fence` event of the same payload. */
export const fenceRequest = (flags: number, payload: Uint8Array): Uint8Array =>
  fence((flags | fenceFlags.request) >>> 0, payload)

/** rfbproto, SetDesktopSize. Only for a server that supports `set-desktop-size`. */
export const setDesktopSize = (width: number, height: number, screens: readonly Screen[]): Uint8Array =>
  message(251, 8 + 16 * screens.length, fields => {
    fields.setUint16(2, width)
    fields.setUint16(4, height)
    fields.setUint8(6, screens.length)
    for (const [index, screen] of screens.entries()) {
      const at = 8 + 16 * index
      fields.setUint32(at, screen.id)
      writeRect(fields, at + 4, screen)
      fields.setUint32(at + 12, screen.flags)
    }
  })

/**
 * rfbproto, QEMU Extended Key Event: the position of the key on the keyboard (an XT scancode) together with its keysym.
 */
export const qemuKeyEvent = (keysym: number, scancode: number, down: boolean): Uint8Array =>
  message(255, 12, fields => {
    fields.setUint16(2, down ? 1 : 0)
    fields.setUint32(4, keysym)
    fields.setUint32(8, scancode)
  })
