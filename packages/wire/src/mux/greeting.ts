import { encodeFrame, frameType, headerBytes, maxFrameBytes } from './frame.ts'
import { MuxError } from './mux-error.ts'

export const version = 1
export const nonceBytes = 16

/**
 * The zeros before the first HELLO: a whole frame of them completes whatever was cut off, and as many again are more
 * than any valid frames contain, by which a lost receiver knows where a frame begins.
 */
const zeros = 2 * maxFrameBytes

/** Encodes what the opener sends first. */
export function encodeGreeting(nonce: Uint8Array): Uint8Array {
  const greeting = new Uint8Array(zeros + helloOf(nonce).length)
  greeting.set(helloOf(nonce), zeros)
  return greeting
}

/** Encodes HELLO, whose payload is the nonce and the version. */
export function helloOf(nonce: Uint8Array, spoken = version): Uint8Array {
  return encodeFrame(frameType.hello, 0, Uint8Array.of(...nonce, spoken))
}

/** Searches what arrives for the answer to a greeting, and keeps fewer bytes than the answer has. */
export class AnswerSearch {
  readonly #wanted: Uint8Array
  readonly #maxBytes: number
  #searched = 0
  /** What arrived last, if the answer may begin in it. */
  #tail: Uint8Array = new Uint8Array(0)

  constructor(nonce: Uint8Array, maxBytes: number) {
    this.#wanted = helloOf(nonce).subarray(0, headerBytes + nonceBytes)
    this.#maxBytes = maxBytes
  }

  /** Returns what arrived from the begin of the answer on, or nothing if the answer has not arrived. */
  receive(chunk: Uint8Array): Uint8Array | undefined {
    const bytes = new Uint8Array(this.#tail.length + chunk.length)
    bytes.set(this.#tail)
    bytes.set(chunk, this.#tail.length)
    const first = this.#wanted[0] ?? 0
    for (let at = bytes.indexOf(first); at !== -1; at = bytes.indexOf(first, at + 1))
      if (this.#wanted.every((byte, i) => bytes[at + i] === byte)) return bytes.subarray(at)
    this.#searched += chunk.length
    if (this.#searched > this.#maxBytes)
      throw new MuxError(`the other side sent ${this.#searched} bytes, but no answer to the greeting`)
    this.#tail = bytes.slice(-(this.#wanted.length - 1))
    return undefined
  }
}
