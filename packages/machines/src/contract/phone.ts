import type { Point } from './rect.ts'

/** An app that has an icon on the phone. */
export interface App {
  readonly packageName: string
  /** The text below its icon. */
  readonly label: string
}

/** A touch with one finger: where it starts and ends, and how long it takes. A tap ends where it starts, after 0 ms. */
export interface Stroke {
  readonly from: Point
  readonly to: Point
  readonly durationMs: number
}

/** Options of every call. */
export interface PhoneOptions {
  readonly signal?: AbortSignal | undefined
}

/** The abilities that only a phone has. Every call settles when the phone has processed it. */
export interface Phone {
  /** Touches the screen with one finger. */
  touch(stroke: Stroke, options?: PhoneOptions): Promise<void>
  /** Presses keys together, in order. Names are Android's key codes without `KEYCODE_`, such as `HOME` or `A`. */
  press(keys: readonly string[], options?: PhoneOptions & { readonly durationMs?: number }): Promise<void>
  /** Types text exactly into the focused field. INVALID if none has the focus. */
  type(text: string, options?: PhoneOptions): Promise<void>
  /** Removes all text from the focused field. */
  clear(options?: PhoneOptions): Promise<void>
  /** Lists the apps that a person can start. */
  apps(options?: PhoneOptions): Promise<readonly App[]>
  /** Starts an app and brings it to the front. NOT_FOUND if it is not installed. */
  start(packageName: string, options?: PhoneOptions): Promise<void>
  /** Ends an app. NOT_FOUND if it is not installed. */
  close(packageName: string, options?: PhoneOptions): Promise<void>
}
