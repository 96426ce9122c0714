/** The bytes that an operation answers with. Read them once, in one of these ways. */
export class Bytes {
  readonly headers: Headers
  readonly #response: Response

  constructor(response: Response) {
    this.headers = response.headers
    this.#response = response
  }

  /** The bytes as they arrive. Cancel the stream to stop the transfer. */
  get stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return this.#response.body ?? new Blob([]).stream()
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await this.#response.arrayBuffer())
  }

  text(): Promise<string> {
    return this.#response.text()
  }
}
