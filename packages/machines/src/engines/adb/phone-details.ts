/** What a worker has to know about a phone that it opens, as JSON. */
export type PhoneDetails = {
  /** The id of the machine that has claimed the phone. */
  readonly id: string
  /** For messages, and because a device behind an adb server is talked to in another way. */
  readonly address: string
  readonly env: Record<string, string>
  /** The private key of the service; left out for a device behind an adb server, which has keys of its own. */
  readonly key?: PhoneKey
  /** The ffmpeg program, if there is a scrcpy server. */
  readonly decoder?: string
}

export type PhoneKey = {
  readonly base64: string
  readonly name: string
}
